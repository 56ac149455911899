/** The figures of the performance page are made from runs, and not by hand. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

import { PICTURES, readCharts } from '../../bench/growth/numbers.js';
import { drawChart } from '../../bench/measure/chart.js';
import { PAGE, performancePage } from '../../bench/page.js';

it('docs/performance.md is what `npm run docs:performance` makes from bench/*.json', async () => {
  expect(await readFile(PAGE, 'utf8')).toBe(await performancePage());
});

it('its charts are drawn from bench/growth.json', async () => {
  for (const [name, chart] of Object.entries(readCharts()))
    expect(await readFile(new URL(`${name}.svg`, PICTURES), 'utf8')).toBe(drawChart(chart));
});
