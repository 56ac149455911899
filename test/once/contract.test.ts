/**
 * The contract is worth something: a store with one fault fails the check that is about it, with a
 * sentence that says what the store did.
 */
import { memoryOnceStore, onceStoreContract } from 'mcp-resolve/once';
import type { OnceEntry, OnceStore } from 'mcp-resolve/once';
import { describe, expect, test } from 'vitest';

type Fault = (store: OnceStore) => Partial<OnceStore>;

/** Takes everybody for the same owner. */
function ownerless(store: OnceStore): OnceStore {
  return {
    ...store,
    claim: (id, lease) => store.claim(id, { ...lease, owner: 'anybody' }),
    renew: (id, lease) => store.renew(id, { ...lease, owner: 'anybody' }),
    finish: (id, end) => store.finish(id, { ...end, owner: 'anybody' }),
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
  'looks before it claims, and not at the same time': [
    'of fifty claims at the same time one holds',
    'the number of claims that hold: expected 1, got 50',
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
  'lets anybody be the owner': [
    'a claim is not for others to end',
    'finish() by another: expected false, got true',
    (store) => ownerless(store),
  ],
  'lets anybody renew': [
    'a lease is not for others to renew',
    'renew() by another than the owner: expected false, got true',
    (store) => ownerless(store),
  ],
  'gives a lapsed call to the next': [
    'a lease that is not renewed lapses, and the call is never claimed again',
    "claim() of a lapsed call: expected 'lapsed', got undefined",
    (store) => ({
      claim: async (id, lease) => {
        const known = await store.claim(id, lease);
        return known?.state === 'lapsed' ? undefined : known;
      },
    }),
  ],
  'never lets a lease lapse': [
    'a renewed lease ends when it says',
    "read(), again and again for 4 seconds: expected 'lapsed', got 'running'",
    (store) => ({ renew: (id, lease) => store.renew(id, { ...lease, leaseMs: 60_000 }) }),
  ],
  'refuses a claim whose answer was lost': [
    'a claim that its owner sends again holds',
    "claim() sent again: expected undefined, got 'running'",
    (store) => ({ claim: async (id, lease) => (await store.read(id)) ?? store.claim(id, lease) }),
  ],
  'trims results': [
    'a result comes back exactly',
    'read() of characters of all lengths',
    (store) => ({
      read: async (id) => withResult(await store.read(id), (result) => result?.trim()),
    }),
  ],
  'cuts results off': [
    'a result comes back exactly',
    "(120000 characters), got 'done' with \"é😀xé😀x",
    (store) => ({
      finish: (id, end) => store.finish(id, { ...end, result: end.result?.slice(0, 65_535) }),
    }),
  ],
  'keeps an empty result as none': [
    'no result is not an empty one',
    "read() of a call with an empty result: expected 'done' with \"\", got 'done'",
    (store) => ({
      read: async (id) =>
        withResult(await store.read(id), (result) => (result === '' ? undefined : result)),
    }),
  ],
  'says null where it should say undefined': [
    'nothing is known of a call that nobody claimed',
    'read() of a call that nobody claimed: expected undefined, got null',
    (store) => ({ read: async (id) => (await store.read(id)) ?? (null as never) }),
  ],
  'takes letters of both cases for the same': [
    'calls whose ids look alike are calls of their own',
    "got 'running'",
    (store) => ({ claim: (id, lease) => store.claim(id.toLowerCase(), lease) }),
  ],
  'forgets too early': [
    'a claim is known for its time, and then forgotten',
    'a record with ttlMs 600 was gone after',
    (store) => ({ claim: (id, lease) => store.claim(id, { ...lease, ttlMs: lease.ttlMs / 6 }) }),
  ],
  'never forgets': [
    'an end is known for its time, and then forgotten',
    'read(), again and again for 4 seconds: expected undefined, got \'done\' with "kept"',
    (store) => ({ finish: (id, end) => store.finish(id, { ...end, ttlMs: 60_000 }) }),
  ],
  'drops a lapsed call': [
    'a lapsed claim is known for its time, and then forgotten',
    'a record with ttlMs 600 was gone after',
    (store) => ({
      read: async (id) => {
        const known = await store.read(id);
        return known?.state === 'lapsed' ? undefined : known;
      },
    }),
  ],
  'does not prolong what it renews': [
    'renewing a call prolongs its time',
    "read() after the first time of a renewed call: expected 'running', got undefined",
    (store) => ({ renew: (id, lease) => store.renew(id, { ...lease, ttlMs: 300 }) }),
  ],
  'takes the last result': [
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
  'refuses an end where nothing is known': [
    'an end counts where nothing is known',
    'finish() without a claim: expected true, got false',
    (store) => ({
      finish: async (id, end) => (await store.read(id)) !== undefined && store.finish(id, end),
    }),
  ],
  'refuses a late end': [
    'a late end still counts, if it is that of the owner',
    'finish() by its owner, late: expected true, got false',
    (store) => ({
      finish: async (id, end) =>
        (await store.read(id))?.state !== 'lapsed' && store.finish(id, end),
    }),
  ],
  'says that an end counts which does not': [
    'a claim and an end at the same time do not both count',
    'claim() where finish() gave true: expected \'done\' with "over", got undefined',
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

test('the names of the checks are all different', () => {
  const names = onceStoreContract(() => memoryOnceStore()).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(20);
});

test('the contract takes a store that has to be waited for', async () => {
  const [first] = onceStoreContract(() => Promise.resolve(memoryOnceStore()));
  await expect(first!.run()).resolves.toBeUndefined();
});
