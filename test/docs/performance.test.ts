/** Tests that the performance page and its chart are generated from benchmark results. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

import { CHART, chartVersions, PAGE, performanceChart, performancePage } from '../../bench/page.js';
import packageJson from '../../package.json' with { type: 'json' };

it('docs/performance.md is the output of `npm run bench -- docs`', async () => {
  expect(await readFile(PAGE, 'utf8')).toBe(await performancePage());
});

it('docs/performance.svg is the output of `npm run bench -- docs`', async () => {
  expect(await readFile(CHART, 'utf8')).toBe(performanceChart());
});

it('the chart is of the minor version of the package', () => {
  const minor = (version: string): string => version.split('.').slice(0, 2).join('.');
  expect(chartVersions().map(minor)).toEqual([minor(packageJson.version)]);
});
