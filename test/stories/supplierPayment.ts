/** The facts of the supplier payment on a store that processes share. */
import { describe, it } from 'vitest';

import { runProgram } from './program.js';

const SHARED = [
  'ok  after a restart, the call finds its request and the first approval',
  'ok  the second person lets it run',
  '17 facts hold',
];

const matrix = ['', '--http'].flatMap((transport) =>
  ['', '--legacy'].map((era) => ({ flags: [transport, era].filter((flag) => flag !== '') })),
);

/** Tests the story with the store that the environment names. */
export function describeStoryOn(store: string): void {
  const title = `the facts of the supplier payment hold with ${store}`;
  describe.concurrent(title, { timeout: 240_000 }, () => {
    it.for(matrix)('$flags', async ({ flags }, { expect }) => {
      const program = 'examples/supplier-payment/client.ts';
      const { code, stdout, stderr } = await runProgram(program, ...flags);
      expect(code, stderr).toBe(0);
      expect(stdout.trimEnd().split('\n')).toEqual(expect.arrayContaining(SHARED));
    });
  });
}
