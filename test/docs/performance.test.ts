/** Tests that the performance page is generated from benchmark results. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

import { PICTURES, readCharts } from '../../bench/growth/numbers.js';
import { drawChart } from '../../bench/measure/chart.js';
import { PAGE, performancePage } from '../../bench/page.js';

it('docs/performance.md is the output of `npm run docs:performance`', async () => {
  expect(await readFile(PAGE, 'utf8')).toBe(await performancePage());
});

it('the charts are the output of bench/growth.json', async () => {
  for (const [name, chart] of Object.entries(readCharts()))
    expect(await readFile(new URL(`${name}.svg`, PICTURES), 'utf8')).toBe(drawChart(chart));
});
