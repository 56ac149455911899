/** Writes docs/compatibility.md anew. */
import { writeFileSync } from 'node:fs';

import { compatibilityPage, PAGE } from './support/compatibilityPage.js';

writeFileSync(PAGE, await compatibilityPage());
