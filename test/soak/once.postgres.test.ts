/** A short run of `npm run soak -- once` with a fixed seed, short leases, and clocks that differ. */
import { expect, test } from 'vitest';

import { soakOnce } from '../../bench/soak/once/soak.js';

test('no call runs twice or is lost while processes and Postgres crash and clients repeat requests', async () => {
  const findings = await soakOnce({
    store: 'postgres',
    seconds: 10,
    seed: 20_260_728,
    customers: 8,
    leaseMs: 3000,
    clockSeconds: 300,
  });

  expect(findings).toMatchObject({
    duplicates: [],
    lost: [],
    differed: [],
    mismatches: [],
    unexplained: [],
    ended: [],
  });
  expect(findings.kills).toBeGreaterThanOrEqual(4);
  expect(findings.unknown).toBeGreaterThan(0);
  expect(findings.storeKills + findings.storeFreezes).toBeGreaterThan(0);
  expect(findings.explained).toBeGreaterThan(0);
  expect(findings.executions).toBeGreaterThan(0);
  expect(findings.replays).toBeGreaterThan(findings.flows);
}, 300_000);
