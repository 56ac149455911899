/** `npm run bench -- docs` writes docs/performance.md and its chart from the stored results. */
import { writeFileSync } from 'node:fs';

import { CHART, PAGE, performanceChart, performancePage } from './page.js';

writeFileSync(CHART, performanceChart());
writeFileSync(PAGE, await performancePage());
