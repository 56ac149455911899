/** Stores with one planted fault each, and the check of the contract that finds it. */
import type { PutOptions, RecordStore } from 'mcp-resolve/store';

/** A fault, and how the contract finds it. */
export interface Fault {
  readonly fault: (store: RecordStore) => RecordStore;
  /** The name of the check. */
  readonly check: string;
  /** A part of what the check says. */
  readonly sentence: string;
}

type Put = (key: string, value: string, how: PutOptions) => Promise<boolean>;

/** Replaces `put` and leaves `get` as it is. */
function withPut(make: (store: RecordStore) => Put): Fault['fault'] {
  return (store) => ({ ...store, put: make(store) });
}

/** Makes `put` run with changed options. */
function withOptions(change: (how: PutOptions, value: string) => PutOptions): Fault['fault'] {
  return withPut((store) => (key, value, how) => store.put(key, value, change(how, value)));
}

/** Writes whatever is there. */
async function overwrite(
  store: RecordStore,
  key: string,
  value: string,
  ttlMs: number,
): Promise<boolean> {
  for (;;) {
    const was = await store.get(key);
    if (await store.put(key, value, { was, ttlMs })) return true;
  }
}

export const FAULTS: Readonly<Record<string, Fault>> = {
  'compares and writes in two steps': {
    fault: withPut((store) => async (key, value, { was, ttlMs }) => {
      const known = await store.get(key);
      await Promise.resolve();
      if (known !== was && known !== value) return false;
      return overwrite(store, key, value, ttlMs);
    }),
    check: 'one of fifty concurrent puts succeeds',
    sentence: 'the number of concurrent puts that succeeded: expected 1, got 50',
  },
  'does not compare': {
    fault: withPut(
      (store) =>
        (key, value, { ttlMs }) =>
          overwrite(store, key, value, ttlMs),
    ),
    check: 'an unknown key has no value, and only a put without `was` writes one',
    sentence: 'put() of "new" with was "old" and ttlMs 60000: expected false, got true',
  },
  'compares without case': {
    fault: withPut((store) => async (key, value, how) => {
      const known = await store.get(key);
      const isSame = known?.toLowerCase() === how.was?.toLowerCase();
      return store.put(key, value, isSame ? { ...how, was: known } : how);
    }),
    check: 'a put replaces the value of `was`, and no other',
    sentence: 'put() of "third" with was "first" and ttlMs 60000: expected false, got true',
  },
  'says that a refused put was written': {
    fault: withPut((store) => async (key, value, how) => {
      await store.put(key, value, how);
      return true;
    }),
    check: 'one of fifty concurrent puts succeeds',
    sentence: 'the number of concurrent puts that succeeded: expected 1, got 50',
  },
  'says that a put was written, and loses it': {
    fault: withPut((store) => async (key, value, how) => {
      if (how.was === undefined) return store.put(key, value, how);
      return (await store.get(key)) === how.was;
    }),
    check: 'a put replaces the value of `was`, and no other',
    sentence: 'get(): expected "second", got "First"',
  },
  'says that a put was refused, and writes it': {
    fault: withPut((store) => async (key, value, how) => {
      await store.put(key, value, how);
      return false;
    }),
    check: 'a value is returned and compared unchanged',
    sentence: 'expected true, got false',
  },
  'refuses a repeated put': {
    fault: withPut((store) => async (key, value, how) => {
      const known = await store.get(key);
      return known === how.was ? store.put(key, value, how) : false;
    }),
    check: 'a repeated put answers true, until another value stands there',
    sentence: 'put() of "first" with was undefined and ttlMs 60000: expected true, got false',
  },
  'lets one key stand for similar ones': {
    fault: (store) => ({
      ...store,
      get: (key) => store.get(key.toLowerCase()),
      put: (key, value, how) => store.put(key.toLowerCase(), value, how),
    }),
    check: 'similar keys are separate keys',
    sentence: 'with was undefined and ttlMs 60000: expected true, got false',
  },
  'trims values': {
    fault: withPut(
      (store) => (key, value, how) =>
        store.put(key, value.trim(), { ...how, ...(how.was && { was: how.was.trim() }) }),
    ),
    check: 'a value is returned and compared unchanged',
    sentence: 'get(): expected " ", got ""',
  },
  'reads a copy that is one write behind': {
    fault: (store) => {
      const copies = new Map<string, string | undefined>();
      return {
        get: (key) => Promise.resolve(copies.get(key)),
        put: async (key, value, how) => {
          copies.set(key, await store.get(key));
          return store.put(key, value, how);
        },
      };
    },
    check: 'an unknown key has no value, and only a put without `was` writes one',
    sentence: 'get(): expected "new", got undefined',
  },
  'answers a put with the answer to the one before': {
    fault: (store) => {
      let before = true;
      return withPut(() => async (key, value, how) => {
        const answer = before;
        before = await store.put(key, value, how);
        return answer;
      })(store);
    },
    check: 'an unknown key has no value, and only a put without `was` writes one',
    sentence: 'put() of "new" with was "old" and ttlMs 60000: expected false, got true',
  },
  'drops its oldest record to make room for a third': {
    fault: (store) => {
      const keys = new Set<string>();
      return withPut(() => async (key, value, how) => {
        const [oldest = key] = keys.size < 2 ? [] : keys;
        keys.delete(oldest);
        const old = oldest === key ? undefined : await store.get(oldest);
        if (old !== undefined) await overwrite(store, oldest, old, 0);
        keys.add(key);
        return store.put(key, value, how);
      })(store);
    },
    check: 'similar keys are separate keys',
    sentence: 'get(): expected "of contract/',
  },
  'lets records expire early': {
    fault: withOptions((how) => ({ ...how, ttlMs: how.ttlMs / 100 })),
    check: 'a record lives for its ttlMs, which can be a month, and then expires',
    sentence: 'A record with ttlMs 600 expired after',
  },
  'never lets records expire': {
    fault: withOptions((how) => ({ ...how, ttlMs: Infinity })),
    check: 'a record lives for its ttlMs, which can be a month, and then expires',
    sentence: 'get(), polled for 4 seconds: expected undefined, got "value"',
  },
  'keeps lifetimes in 31 bits': {
    fault: withOptions((how) => ({ ...how, ttlMs: how.ttlMs > 2 ** 31 ? 1 : how.ttlMs })),
    check: 'a record lives for its ttlMs, which can be a month, and then expires',
    sentence: 'get(): expected "value", got undefined',
  },
  'keeps the first lifetime': {
    fault: (store) => {
      const ends = new Map<string, number>();
      return withPut(() => (key, value, how) => {
        const end = ends.get(key) ?? performance.now() + how.ttlMs;
        ends.set(key, end);
        return store.put(key, value, { ...how, ttlMs: end - performance.now() });
      })(store);
    },
    check: 'a put prolongs, a repeated one too',
    sentence: 'get(): expected "next", got undefined',
  },
  'does not prolong for a repeated put': {
    fault: withPut((store) => async (key, value, how) => {
      const known = await store.get(key);
      return known === value ? true : store.put(key, value, how);
    }),
    check: 'a put prolongs, a repeated one too',
    sentence: 'get(): expected "value", got undefined',
  },
  'never shortens a lifetime': {
    fault: withOptions((how) => ({ ...how, ttlMs: Math.max(how.ttlMs, 60_000) })),
    check: 'a put with a shorter ttlMs shortens',
    sentence: 'get(), polled for 4 seconds: expected undefined, got "next"',
  },
  'prolongs for a refused put': {
    fault: withPut((store) => async (key, value, how) => {
      const done = await store.put(key, value, how);
      const known = await store.get(key);
      if (!done && known !== undefined) await store.put(key, known, { ...how, was: known });
      return done;
    }),
    check: 'a refused put changes no lifetime',
    sentence: 'get(), polled for 4 seconds: expected undefined, got "value"',
  },
};
