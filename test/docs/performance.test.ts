/** Tests that the performance page and its chart are generated from benchmark results. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

import { CHART, PAGE, performanceChart, performancePage } from '../../bench/page.js';

it('docs/performance.md is the output of `npm run bench -- docs`', async () => {
  expect(await readFile(PAGE, 'utf8')).toBe(await performancePage());
});

it('docs/performance.svg is the output of `npm run bench -- docs`', async () => {
  expect(await readFile(CHART, 'utf8')).toBe(performanceChart());
});
