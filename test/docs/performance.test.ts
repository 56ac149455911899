/** Tests that the performance page and its charts are generated from benchmark results. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

import { goals } from '../../bench/goals/index.js';
import { chartVersions, performanceFiles } from '../../bench/page.js';
import { readResults } from '../../bench/report.js';
import packageJson from '../../package.json' with { type: 'json' };

const files = await performanceFiles();

it.each(files)('%s is the output of `npm run bench -- docs`', async (file, text) => {
  expect(await readFile(file, 'utf8')).toBe(text);
});

it('the chart is of the minor version of the package', () => {
  const minor = (version: string): string => version.split('.').slice(0, 2).join('.');
  expect(chartVersions().map(minor)).toEqual([minor(packageJson.version)]);
});

it('every figure of the page can be measured again', () => {
  const known = goals.map(({ id }) => id);
  const shown = Object.values(readResults()).flatMap((saved) => Object.keys(saved));

  expect(shown.filter((id) => !known.includes(id))).toEqual([]);
});

it('every performance goal with a number has a command', () => {
  const known = goals.map(({ id }) => id);
  const numbered = Array.from({ length: 16 }, (_, index) => `Q${index + 1}`);

  expect(known).toEqual(expect.arrayContaining([...numbered, 'Q5b', 'Q6b']));
});
