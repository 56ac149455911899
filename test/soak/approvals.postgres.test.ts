/** A short run of `npm run soak -- approvals` on Postgres. */
import { expect, test } from 'vitest';

import { soakApprovals } from '../../bench/soak/approvals/soak.js';

test('every body has its own approvals, while processes and Postgres crash and clocks move', async () => {
  const findings = await soakApprovals({ store: 'postgres', seconds: 10, seed: 20_261_119 });

  expect(findings.violations).toEqual([]);
  expect(findings.executions).toBeGreaterThan(0);
  expect(findings.requests).toBeGreaterThanOrEqual(findings.executions);
  expect(findings.decisions).toBeGreaterThan(findings.executions);
  expect(findings.kills * findings.storeFaults * findings.jumps).toBeGreaterThan(0);
}, 300_000);
