/** The table of what works with what is made from runs, and not by hand. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

import { compatibilityPage, PAGE } from '../../peers/support/compatibilityPage.js';

it('docs/compatibility.md is what `npm run docs:compatibility` makes from peers/results', async () => {
  expect(await readFile(PAGE, 'utf8')).toBe(await compatibilityPage());
});
