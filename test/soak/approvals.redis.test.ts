/** A short run of `npm run soak -- approvals` on Redis. */
import { expect, test } from 'vitest';

import { soakApprovals } from '../../bench/soak/approvals/soak.js';

test('every body has its own approvals, while processes and Redis crash and clocks move', async () => {
  const findings = await soakApprovals({ store: 'redis', seconds: 10, seed: 20_261_119 });

  expect(findings.violations).toEqual([]);
  expect(findings.executions).toBeGreaterThan(0);
  expect(findings.requests).toBeGreaterThanOrEqual(findings.executions);
  expect(findings.decisions).toBeGreaterThan(findings.executions);
  expect(findings.kills * findings.storeFaults * findings.jumps).toBeGreaterThan(0);
}, 300_000);

test('a desk that lets strangers decide is found', async () => {
  const options = { store: 'redis', seconds: 5, seed: 2, plant: 'forger' } as const;
  const { violations } = await soakApprovals(options);

  expect(violations).toContainEqual(expect.stringContaining('without the approval of mallory'));
}, 300_000);
