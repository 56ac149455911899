/** The store in memory: the contract of stores, its limits and shares, its clock and its options. */
import fc from 'fast-check';
import { memoryStore, StoreFullError } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import { storeContract } from 'mcp-resolve/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});

const MINUTE = 60_000;

interface Write {
  readonly was?: string;
  readonly of?: string;
  readonly ttlMs?: number;
}

const put = (
  store: RecordStore,
  key: string,
  value = 'value',
  { was, ttlMs = MINUTE, of }: Write = {},
) => store.put(key, value, { was, ttlMs, ...(of !== undefined && { of }) });

/** Writes records of one user until the store refuses one, and returns their number. */
async function fill(store: RecordStore, of: string | undefined, limit = 20_000): Promise<number> {
  for (let written = 0; written < limit; written += 1) {
    try {
      expect(await put(store, `${of} ${written}`, 'v', of === undefined ? {} : { of })).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(StoreFullError);
      return written;
    }
  }
  return limit;
}

describe.concurrent('the store in memory follows the contract:', () => {
  for (const { name, run } of storeContract(() => memoryStore())) test(name, run);
});

describe('a full store', () => {
  test('refuses a new record, keeps its records and lets them change', async () => {
    const store = memoryStore({ maxEntries: 3, share: 1 });
    for (const key of ['a', 'b', 'c']) await put(store, key);
    const refusal = await put(store, 'd').catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StoreFullError);
    expect(refusal).toMatchObject({
      name: 'StoreFullError',
      message:
        'The memory store is full, and no record has expired. Raise `maxEntries` (3) or `maxBytes` (67108864).',
    });
    expect(await store.get('d')).toBeUndefined();
    expect(await put(store, 'a', 'next', { was: 'value' })).toBe(true);
    expect(await Promise.all(['a', 'b', 'c'].map((key) => store.get(key)))).toEqual([
      'next',
      'value',
      'value',
    ]);
  });

  test('refuses a record that grows beyond its bytes, and keeps the old value', async () => {
    const store = memoryStore({ maxBytes: 40, share: 1 });
    expect(await put(store, 'k', 'x'.repeat(19))).toBe(true);
    const was = 'x'.repeat(19);
    await expect(put(store, 'k', 'y'.repeat(20), { was })).rejects.toThrow(StoreFullError);
    expect(await store.get('k')).toBe(was);
    expect(await put(store, 'k', 'y'.repeat(18), { was })).toBe(true);
    expect(await put(store, 'l', '')).toBe(true);
    await expect(put(store, 'm', '')).rejects.toThrow(StoreFullError);
  });

  test('has room again when any of its records has expired', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const store = memoryStore({ maxEntries: 3, share: 1 });
    await put(store, 'long', 'v', { ttlMs: 2 * MINUTE });
    await put(store, 'short', 'v', { ttlMs: 1000 });
    await put(store, 'longer', 'v', { ttlMs: 3 * MINUTE });
    vi.advanceTimersByTime(999);
    await expect(put(store, 'new')).rejects.toThrow(StoreFullError);
    vi.advanceTimersByTime(1);
    expect(await put(store, 'new')).toBe(true);
    await expect(put(store, 'newer')).rejects.toThrow(StoreFullError);
    expect(await store.get('long')).toBe('v');
  });

  test('has room again and again as records expire', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const store = memoryStore({ maxEntries: 10, share: 1 });
    for (let round = 0; round < 1000; round += 1) {
      for (let key = 0; key < 10; key += 1) await put(store, `${round} ${key}`);
      vi.advanceTimersByTime(MINUTE);
    }
  });
});

describe('no user holds more than a share', () => {
  test('of the records: a quarter by default', async () => {
    const store = memoryStore();
    expect(await fill(store, 'eve')).toBe(2500);
    expect(await fill(store, 'bob')).toBe(2500);
    await expect(put(store, 'eve again', 'v', { of: 'eve' })).rejects.toThrow(
      new StoreFullError(
        'One user holds as much of the memory store as `share` (0.25) allows, and no record of this user has expired. Raise `share`, `maxEntries` (10000) or `maxBytes` (67108864).',
      ),
    );
    // What is there changes as before.
    expect(await put(store, 'eve 0', 'w', { was: 'v', of: 'eve' })).toBe(true);
  });

  test('of the bytes: a quarter by default', async () => {
    const store = memoryStore();
    const mebibyte = 'x'.repeat(512 * 1024 - 10);
    for (let key = 0; key < 16; key += 1) await put(store, `eve ${key}`, mebibyte, { of: 'eve' });
    await expect(put(store, 'one more', mebibyte, { of: 'eve' })).rejects.toThrow(StoreFullError);
    expect(await put(store, 'one more', mebibyte, { of: 'bob' })).toBe(true);
  });

  test('and all records without a user are of one', async () => {
    const store = memoryStore({ maxEntries: 8 });
    expect(await fill(store, undefined)).toBe(2);
    expect(await fill(store, 'bob')).toBe(2);
  });

  test('of a store that holds fewer records than users', async () => {
    const store = memoryStore({ maxEntries: 2 });
    expect(await fill(store, 'eve')).toBe(1);
    expect(await fill(store, 'bob')).toBe(1);
    expect(await fill(store, 'carol')).toBe(0);
  });

  test('unless the server has only one user', async () => {
    expect(await fill(memoryStore({ maxEntries: 8 }), '*')).toBe(8);
  });

  test('which is an option', async () => {
    expect(await fill(memoryStore({ maxEntries: 10, share: 0.5 }), 'eve')).toBe(5);
    expect(await fill(memoryStore({ maxEntries: 10, share: 1 }), 'eve')).toBe(10);
  });

  test('and expired records do not count', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const store = memoryStore({ maxEntries: 8 });
    await put(store, 'short', 'v', { of: 'eve', ttlMs: 1000 });
    await put(store, 'long', 'v', { of: 'eve' });
    await expect(put(store, 'new', 'v', { of: 'eve' })).rejects.toThrow(StoreFullError);
    vi.advanceTimersByTime(1000);
    expect(await put(store, 'new', 'v', { of: 'eve' })).toBe(true);
  });
});

/** The records that a store with these limits must have, by their sizes and users. */
class Room {
  readonly records = new Map<string, { of: string; size: number; until: number }>();

  /** Writes a record, or returns false if it exceeds a limit. */
  put(key: string, record: { of: string; size: number; until: number }, now: number): boolean {
    const others = [...this.records].filter(([known, { until }]) => known !== key && until > now);
    const all = [record, ...others.map(([, other]) => other)];
    const own = all.filter(({ of }) => of === record.of);
    const bytes = (held: typeof all) => held.reduce((sum, { size }) => sum + size, 0);
    if (all.length > 8 || bytes(all) > 400 || own.length > 2 || bytes(own) > 100) return false;
    this.records.set(key, record);
    return true;
  }
}

test('no order of writes by several users exceeds a limit or drops a record early', async () => {
  const write = fc.record({
    key: fc.nat(12).map(String),
    of: fc.constantFrom('eve', 'bob', 'carol', 'dan', 'erin'),
    length: fc.nat(30),
    ttlMs: fc.constantFrom(1, 1000, MINUTE),
    passes: fc.constantFrom(0, 0, 1, 999, MINUTE),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 80, size: 'max' }), async (writes) => {
      vi.useFakeTimers({ toFake: ['performance'] });
      const store = memoryStore({ maxEntries: 8, maxBytes: 400 });
      const room = new Room();
      for (const { key, of, length, ttlMs, passes } of writes) {
        const now = performance.now();
        const record = { of, size: 2 * (key.length + length), until: now + ttlMs };
        const was = await store.get(key);
        const done = await put(store, key, 'x'.repeat(length), {
          ttlMs,
          of,
          ...(was !== undefined && { was }),
        }).catch((error: unknown) => {
          expect(error).toBeInstanceOf(StoreFullError);
          return false;
        });
        expect(done).toBe(room.put(key, record, now));
        vi.advanceTimersByTime(passes);
        for (const [known, { until }] of room.records)
          expect((await store.get(known)) !== undefined).toBe(until > performance.now());
      }
    }),
    { seed: 20_261_119, numRuns: 500 },
  );
});

test('a change of the system clock does not affect lifetimes', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const store = memoryStore();
  await put(store, 'key');
  for (const year of [1970, 2999]) {
    vi.setSystemTime(new Date(`${year}-01-01T00:00:00Z`));
    expect(await store.get('key')).toBe('value');
  }
  vi.advanceTimersByTime(MINUTE - 1);
  expect(await store.get('key')).toBe('value');
  vi.advanceTimersByTime(1);
  expect(await store.get('key')).toBeUndefined();
});

test('two stores share neither records nor an id', async () => {
  const [one, other] = [memoryStore(), memoryStore()];
  await put(one, 'key');
  expect(await other.get('key')).toBeUndefined();
  expect(one.onlyIn).toMatch(/^[\w-]{22}$/);
  expect(other.onlyIn).not.toBe(one.onlyIn);
});

describe('memoryStore', () => {
  test('keeps its id with singleProcess, which only allows shared keys', () => {
    expect(memoryStore({ singleProcess: true }).onlyIn).toMatch(/^[\w-]{22}$/);
  });

  test.each([
    [
      { maxEntry: 5 },
      "memoryStore() has no option 'maxEntry'. Known options: maxEntries, maxBytes, share, singleProcess.",
    ],
    [{ maxEntries: 0 }, 'memoryStore(): `maxEntries` must be an integer of at least 1.'],
    [{ maxBytes: 0 }, 'memoryStore(): `maxBytes` must be an integer of at least 1.'],
    [{ maxBytes: '64 MB' }, 'memoryStore(): `maxBytes` must be an integer of at least 1.'],
    [{ maxEntries: Infinity }, 'memoryStore(): `maxEntries` must be an integer of at least 1.'],
    [{ share: 0 }, 'memoryStore(): `share` must be a number above 0 and at most 1.'],
    [{ share: 25 }, 'memoryStore(): `share` must be a number above 0 and at most 1.'],
    [{ share: Number.NaN }, 'memoryStore(): `share` must be a number above 0 and at most 1.'],
    [{ singleProcess: 'yes' }, 'memoryStore(): `singleProcess` must be true or false.'],
    [
      null,
      'memoryStore(): `options` must be an object. Known options: maxEntries, maxBytes, share, singleProcess.',
    ],
    [
      5,
      'memoryStore(): `options` must be an object. Known options: maxEntries, maxBytes, share, singleProcess.',
    ],
  ])('refuses the options %j', (options, sentence) => {
    expect(() => memoryStore(options as object)).toThrow(new TypeError(sentence));
  });
});
