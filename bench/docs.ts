/** Fills docs/performance.md anew, and draws its charts, from what the runs left. */
import { writeFileSync } from 'node:fs';

import { drawPicture, readCharts } from './growth/numbers.js';
import { PAGE, performancePage } from './page.js';

for (const [name, chart] of Object.entries(readCharts())) drawPicture(name, chart);
writeFileSync(PAGE, await performancePage());
