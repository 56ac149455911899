/**
 * The contract of stores finds faults: a store with one fault fails the check for it, with a
 * message that says what the store did.
 */
import { memoryStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import { storeContract } from 'mcp-resolve/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FAULTS } from './faultyStores.js';

/** More than the longest check takes. */
const LONG_MS = 10_000;

// The checks and the stores read the same clock, so that no check waits for seconds.
beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('the contract finds a store that', () => {
  test.each(Object.entries(FAULTS))('%s', async (_, { fault, check, sentence }) => {
    const found = storeContract(() => fault(memoryStore())).find(({ name }) => name === check);
    const failure = expect(found?.run()).rejects.toThrow(sentence);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    await failure;
  });
});

test('the contract fails a store that cuts long keys', async () => {
  const store = memoryStore();
  const cut = (key: string) => key.slice(0, 100);
  const cutting: RecordStore = {
    get: (key) => store.get(cut(key)),
    put: (key, value, how) => store.put(cut(key), value, how),
  };
  const check = storeContract(() => cutting).find(
    ({ name }) => name === 'similar keys are separate keys',
  );
  await expect(check?.run()).rejects.toThrow('expected true, got false');
});

test('the contract accepts a store without a fault', async () => {
  const checks = Promise.all(storeContract(() => memoryStore()).map(({ run }) => run()));
  await vi.advanceTimersByTimeAsync(LONG_MS);
  await checks;
});
