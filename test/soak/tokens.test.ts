/** A short run of `npm run soak -- tokens` with a fixed seed. */
import { expect, test } from 'vitest';

import { mutations } from '../../bench/soak/tokens/mutations.js';
import { soakTokens } from '../../bench/soak/tokens/soak.js';

test('the server refuses 5,000 changed states and random answers, and accepts genuine ones', async () => {
  const findings = await soakTokens({ attempts: 5000, seed: 20_260_728 });

  expect(findings.problems).toEqual([]);
  expect(findings.attempts).toBe(5000);
  expect(findings.controls).toBe(20);
  expect([...findings.kinds.keys()]).toEqual(expect.arrayContaining(Object.keys(mutations)));
  expect([...findings.doors.keys()].sort()).toEqual(['http', 'stdio']);
  expect([...findings.rejections.keys()].sort()).toEqual([
    'audience',
    'expired',
    'malformed',
    'minted in the future',
    'non-string requestState',
    'principal',
    'principal drift',
    'request binding',
    'seal',
    'unknown key',
  ]);
});
