/** Tests that the compatibility page is generated from the results of test runs. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

import { compatibilityPage, PAGE } from '../../peers/support/compatibilityPage.js';

it('docs/compatibility.md is the output of `npm run docs -- compatibility`', async () => {
  expect(await readFile(PAGE, 'utf8')).toBe(await compatibilityPage());
});
