/** Writes docs/compatibility.md. */
import { writeFileSync } from 'node:fs';

import { compatibilityPage, PAGE } from './support/compatibilityPage.js';

writeFileSync(PAGE, await compatibilityPage());
