/** Holds what a call over HTTP does below the budgets in budgets.json. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const budgets = JSON.parse(readFileSync(here('budgets.json'), 'utf8')) as Counts;
const { stdout } = await promisify(execFile)(process.execPath, [
  ...['--import', 'tsx'],
  here('countCalls.ts'),
]);
const { texts, counts } = JSON.parse(stdout) as { texts: unknown; counts: Counts };

test('the calls that are counted pay, ask, and pay after the answer', () => {
  expect(texts).toEqual(['Paid 40 for small', 'input_required', 'Paid 900 for big']);
});

describe.each(Object.entries(budgets))('a call that is %s', (kind, budget) => {
  test.each(Object.entries(budget))('stays below its budget of %s', (what, most) => {
    expect(counts[kind]?.[what]).toBeLessThanOrEqual(most);
  });
});

test('every count has a budget that is not larger than it needs', () => {
  for (const [kind, counted] of Object.entries(counts)) {
    expect(Object.keys(budgets[kind] ?? {})).toEqual(Object.keys(counted));
    for (const [what, times] of Object.entries(counted))
      expect(budgets[kind]?.[what], `${kind}: ${what}`).toBeLessThanOrEqual(times * 1.05 + 1);
  }
});
