/** Tests that the guide has a heading for every error code and mentions every reason. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

import { ROOT } from '../stories/program.js';
import { GUIDE } from './page.js';

const read = (...steps: string[]): Promise<string> => readFile(path.join(...steps), 'utf8');

const page = await read(GUIDE, 'errors.md');
const once = await read(GUIDE, 'once.md');
const errors = await read(ROOT, 'src/errors.ts');
const onceErrors = await read(ROOT, 'src/once/onceError.ts');

/** Reads the strings of a union type from its source. */
function stringsOf(source: string, union: string): string[] {
  const body = new RegExp(`export type ${union} =([^;]+);`).exec(source)?.[1] ?? '';
  return [...body.matchAll(/'([^']+)'/g)].map(([, string = '']) => string);
}

test.each(stringsOf(errors, 'InvalidGraphCode'))('the guide has a heading for %s', (code) => {
  expect(page).toContain(`\n### ${code}\n`);
});

test.each(
  stringsOf(errors, 'RejectReason').filter((reason) => reason !== 'non-string requestState'),
)('the guide names the reason %s', (reason) => {
  expect(page).toContain(`\`${reason}\``);
});

test.each([...onceErrors.matchAll(/^ {2}(\w+):/gm)].map(([, reason = '']) => reason))(
  "the guide's page about `once` names the reason %s",
  (reason) => {
    expect(once).toContain(`\`${reason}\``);
  },
);
