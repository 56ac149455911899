/** Q16: the functions that a call over HTTP enters, as `test/counts` counts them. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { Figure, Goal, Limits } from '../goal.js';

const PROGRAM = fileURLToPath(new URL('../../test/counts/countCalls.ts', import.meta.url));
// The program counts functions of the sources, so it must not load the build.
const SOURCES = fileURLToPath(new URL('../../tsconfig.json', import.meta.url));

interface Counted {
  readonly counts: Readonly<Record<string, { readonly functions: number }>>;
}

export const countsGoals: readonly Goal[] = [
  {
    id: 'Q16',
    title: 'functions that a call over HTTP enters',
    measure: async ({ progress }) => {
      progress('counted in a process of its own');
      const env = { ...process.env, TSX_TSCONFIG_PATH: SOURCES };
      const args = ['--import', 'tsx', PROGRAM];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env });
      const { counts } = JSON.parse(stdout) as Counted;
      const figure = (kind: string, limits: Limits): Figure => ({
        name: `functions entered by a call over HTTP, ${kind}`,
        value: counts[kind]?.functions ?? Number.NaN,
        unit: '',
        better: 'lower',
        ...limits,
      });
      return [
        figure('synchronous', { bar: 300, goal: 240 }),
        figure('asking', { bar: 390, goal: 310 }),
      ];
    },
  },
];
