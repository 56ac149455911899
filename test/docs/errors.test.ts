/** The page about errors has a heading for every code, and a word on every reason and warning. */
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

/** The members of a union of texts, as its source has them. */
function membersOf(source: string, union: string): string[] {
  const body = new RegExp(`export type ${union} =([^;]+);`).exec(source)?.[1] ?? '';
  return [...body.matchAll(/'([^']+)'/g)].map(([, member = '']) => member);
}

test.each(membersOf(errors, 'InvalidGraphCode'))('%s has a heading', (code) => {
  expect(page).toContain(`\n### ${code}\n`);
});

test.each(
  membersOf(errors, 'RejectReason').filter((reason) => reason !== 'non-string requestState'),
)('the reason %s is named', (reason) => {
  expect(page).toContain(`\`${reason}\``);
});

test.each([...onceErrors.matchAll(/^ {2}(\w+):/gm)].map(([, reason = '']) => reason))(
  'the reason %s of a call that runs once is in its table',
  (reason) => {
    expect(once).toContain(`\`${reason}\``);
  },
);
