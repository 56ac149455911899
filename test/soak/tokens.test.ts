/** A short run of `npm run soak:tokens`, always with the same chance. */
import { expect, test } from 'vitest';

import { mutations } from '../../soak/tokens/mutations.js';
import { soakTokens } from '../../soak/tokens/soak.js';

test('of five thousand spoilt states and random answers none is accepted, and true ones still are', async () => {
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
