/**
 * The contract of stores finds faults: a store with one fault fails the check for it, with a
 * message that says what the store did.
 */
import { memoryOnceStore, onceStoreContract } from 'mcp-resolve/once';
import type { OnceEntry, OnceStore } from 'mcp-resolve/once';
import { describe, expect, test } from 'vitest';

type Fault = (store: OnceStore) => Partial<OnceStore>;

/** Returns a store that treats all owners as one. */
function ownerless(store: OnceStore): OnceStore {
  return {
    ...store,
    claim: (id, lease) => store.claim(id, { ...lease, owner: 'any' }),
    renew: (id, lease) => store.renew(id, { ...lease, owner: 'any' }),
    finish: (id, end) => store.finish(id, { ...end, owner: 'any' }),
  };
}

const withResult = (
  entry: OnceEntry | undefined,
  change: (result: string | undefined) => string | undefined,
): OnceEntry | undefined => {
  if (entry?.state !== 'done') return entry;
  const result = change(entry.result);
  return { state: 'done', ...(result !== undefined && { result }) };
};

const FAULTS: Readonly<Record<string, readonly [check: string, sentence: string, fault: Fault]>> = {
  'reads and claims in two steps': [
    'exactly one of fifty concurrent claims succeeds',
    'the number of successful claims: expected 1, got 50',
    (store) => {
      const claimed = new Map<string, OnceEntry>();
      return {
        claim: async (id) => {
          const known = claimed.get(id);
          await Promise.resolve();
          claimed.set(id, { state: 'running' });
          return known;
        },
        renew: store.renew,
      };
    },
  ],
  'lets another owner end a call': [
    'only the owner of a claim can end the call',
    'finish() by another owner: expected false, got true',
    (store) => ownerless(store),
  ],
  'lets another owner renew a lease': [
    'only the owner can renew a lease',
    'renew() by another owner: expected false, got true',
    (store) => ownerless(store),
  ],
  'lets a lapsed call be claimed again': [
    'a lease that is not renewed lapses, and the call cannot be claimed again',
    "claim() of a lapsed call: expected 'lapsed', got undefined",
    (store) => ({
      claim: async (id, lease) => {
        const known = await store.claim(id, lease);
        return known?.state === 'lapsed' ? undefined : known;
      },
    }),
  ],
  'never lets a lease lapse': [
    'a renewed lease lapses after its new duration',
    "read(), polled for 4 seconds: expected 'lapsed', got 'running'",
    (store) => ({ renew: (id, lease) => store.renew(id, { ...lease, leaseMs: 60_000 }) }),
  ],
  'refuses a repeated claim by the owner': [
    'a repeated claim by its owner succeeds',
    "a repeated claim() by the owner: expected undefined, got 'running'",
    (store) => ({ claim: async (id, lease) => (await store.read(id)) ?? store.claim(id, lease) }),
  ],
  'trims results': [
    'a result is returned unchanged',
    'read() of characters of one to four bytes',
    (store) => ({
      read: async (id) => withResult(await store.read(id), (result) => result?.trim()),
    }),
  ],
  'truncates results': [
    'a result is returned unchanged',
    "(120000 characters), got 'done' with \"é😀xé😀x",
    (store) => ({
      finish: (id, end) => store.finish(id, { ...end, result: end.result?.slice(0, 65_535) }),
    }),
  ],
  'reads an empty result as a missing one': [
    'a missing result differs from an empty one',
    "read() of a call with an empty result: expected 'done' with \"\", got 'done'",
    (store) => ({
      read: async (id) =>
        withResult(await store.read(id), (result) => (result === '' ? undefined : result)),
    }),
  ],
  'returns null instead of undefined': [
    'a call without a claim is unknown',
    'read() of an unknown call: expected undefined, got null',
    (store) => ({ read: async (id) => (await store.read(id)) ?? (null as never) }),
  ],
  'ignores the case of ids': [
    'calls with similar ids are separate calls',
    "got 'running'",
    (store) => ({ claim: (id, lease) => store.claim(id.toLowerCase(), lease) }),
  ],
  'drops a record too early': [
    'a claim is known for its ttlMs and then expires',
    'A record with ttlMs 600 expired after',
    (store) => ({ claim: (id, lease) => store.claim(id, { ...lease, ttlMs: lease.ttlMs / 6 }) }),
  ],
  'never drops a record': [
    'an end is known for its ttlMs and then expires',
    'read(), polled for 4 seconds: expected undefined, got \'done\' with "kept"',
    (store) => ({ finish: (id, end) => store.finish(id, { ...end, ttlMs: 60_000 }) }),
  ],
  'drops a lapsed call': [
    'a lapsed claim is known for its ttlMs and then expires',
    'A record with ttlMs 600 expired after',
    (store) => ({
      read: async (id) => {
        const known = await store.read(id);
        return known?.state === 'lapsed' ? undefined : known;
      },
    }),
  ],
  'does not extend the lifetime of a renewed call': [
    'renew() extends the lifetime of a call',
    "read() of a renewed call after its first ttlMs: expected 'running', got undefined",
    (store) => ({ renew: (id, lease) => store.renew(id, { ...lease, ttlMs: 300 }) }),
  ],
  'replaces the first result by a later one': [
    'a call that is done keeps its first result',
    'read() after a second finish(): expected \'done\' with "first", got \'done\' with "second"',
    () => {
      const ends = new Map<string, string | undefined>();
      return {
        finish: async (id, { result }) => ends.set(id, result).has(id),
        read: async (id) => withResult({ state: 'done' }, () => ends.get(id)),
      };
    },
  ],
  'refuses to end an unknown call': [
    'an unknown call can be ended',
    'finish() without a claim: expected true, got false',
    (store) => ({
      finish: async (id, end) => (await store.read(id)) !== undefined && store.finish(id, end),
    }),
  ],
  'refuses to end a lapsed call': [
    'the owner can end a lapsed call',
    'finish() of a lapsed call by its owner: expected true, got false',
    (store) => ({
      finish: async (id, end) =>
        (await store.read(id))?.state !== 'lapsed' && store.finish(id, end),
    }),
  ],
  'returns true from a finish() without effect': [
    'a concurrent claim and end do not both succeed',
    'claim() while finish() returned true: expected \'done\' with "over", got undefined',
    (store) => ({ finish: async (id, end) => (await store.finish(id, end)) || true }),
  ],
};

describe.concurrent('the contract finds a store that', () => {
  for (const [fault, [check, sentence, faulty]] of Object.entries(FAULTS)) {
    test(fault, async () => {
      const store = memoryOnceStore();
      const checks = onceStoreContract(() => ({ ...store, ...faulty(store) }));
      const { run } = checks.find(({ name }) => name === check)!;
      await expect(run()).rejects.toThrow(sentence);
    });
  }
});

test('the checks of the contract have different names', () => {
  const names = onceStoreContract(() => memoryOnceStore()).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(20);
});

test('the contract accepts a promise of a store', async () => {
  const [first] = onceStoreContract(() => Promise.resolve(memoryOnceStore()));
  await expect(first!.run()).resolves.toBeUndefined();
});
