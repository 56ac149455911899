/** `npm run bench -- docs` writes docs/performance.md and its charts from the stored results. */
import { writePage } from './page.js';

await writePage();
