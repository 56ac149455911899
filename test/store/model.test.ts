/**
 * The store in memory behaves like the model, whatever is written and however time passes. The same
 * test fails for every store with a planted fault.
 *
 * The seed is fixed and part of the title. `FC_SEED=1 FC_RUNS=10000 npx vitest run test/store` uses
 * another seed and more runs.
 */
import fc from 'fast-check';
import { memoryStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { FAULTS } from './faultyStores.js';
import { runOnModel, storeCommands } from './storeModel.js';

const SEED = Number(process.env.FC_SEED ?? 20_260_728);
const RUNS = Number(process.env.FC_RUNS ?? 1000);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const behavesLikeTheModel = (makeStore: () => RecordStore) =>
  fc.asyncProperty(storeCommands, (commands) =>
    runOnModel(commands, { store: makeStore(), wait: (ms) => vi.advanceTimersByTime(ms) }),
  );

test(`the store in memory behaves like the model (seed ${SEED}, ${RUNS} runs)`, async () => {
  await fc.assert(
    behavesLikeTheModel(() => memoryStore()),
    { seed: SEED, numRuns: RUNS },
  );
});

describe('the model finds a store that', () => {
  test.each(Object.entries(FAULTS))('%s', async (_, { fault }) => {
    const found = await fc.check(
      behavesLikeTheModel(() => fault(memoryStore())),
      { seed: SEED, numRuns: 1000 },
    );
    expect(found.failed).toBe(true);
    // The shrunk run has no command that the fault does not need.
    const [commands = []] = found.counterexample ?? [];
    expect([...commands].length).toBeLessThanOrEqual(4);
  });
});
