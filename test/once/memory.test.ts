/** The store in memory: the contract of stores, its limit, its clock and its options. */
import { memoryOnceStore, onceStoreContract, OnceStoreFullError } from 'mcp-resolve/once';
import type { OnceStore } from 'mcp-resolve/once';
import { afterEach, describe, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});

const lease = (owner: string, ttlMs = 60_000) => ({ owner, leaseMs: 30_000, ttlMs });

/** Claims the calls with these numbers. */
async function claimMany(store: OnceStore, from: number, to: number): Promise<void> {
  for (let id = from; id < to; id += 1) {
    expect(await store.claim(`call ${id}`, lease('owner'))).toBeUndefined();
  }
}

describe.concurrent('the store in memory follows the contract:', () => {
  for (const { name, run } of onceStoreContract(() => memoryOnceStore())) test(name, run);
});

describe('a store whose results take all its bytes', () => {
  const end = (result: string, ttlMs = 60_000) => ({ owner: 'owner', result, ttlMs });

  test('records further calls without their results', async () => {
    const store = memoryOnceStore({ maxBytes: 10 });
    await claimMany(store, 0, 3);
    expect(await store.finish('call 0', end('123456'))).toBe(true);
    expect(await store.finish('call 1', end('12345'))).toBe(true);
    expect(await store.finish('call 2', end('1234'))).toBe(true);
    expect(await store.read('call 0')).toEqual({ state: 'done', result: '123456' });
    expect(await store.read('call 1')).toEqual({ state: 'done' });
    expect(await store.read('call 2')).toEqual({ state: 'done', result: '1234' });
    expect(await store.claim('call 1', lease('other'))).toEqual({ state: 'done' });
  });

  test('counts bytes, not characters', async () => {
    const store = memoryOnceStore({ maxBytes: 10 });
    await store.finish('call 0', end('ééééé'));
    await store.finish('call 1', end('x'));
    expect(await store.read('call 0')).toEqual({ state: 'done', result: 'ééééé' });
    expect(await store.read('call 1')).toEqual({ state: 'done' });
  });

  test('has room again when a result has expired', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const store = memoryOnceStore({ maxBytes: 10 });
    await store.finish('long', end('12345', 60_000));
    await store.finish('short', end('12345', 1000));
    await store.finish('too early', end('1', 60_000));
    vi.advanceTimersByTime(1000);
    await store.finish('in time', end('12345', 60_000));
    expect(await store.read('too early')).toEqual({ state: 'done' });
    expect(await store.read('in time')).toEqual({ state: 'done', result: '12345' });
  });

  test('keeps 64 MiB by default', async () => {
    const store = memoryOnceStore();
    const mebibyte = 'x'.repeat(1024 * 1024);
    for (let id = 0; id < 64; id += 1) await store.finish(`call ${id}`, end(mebibyte));
    await store.finish('one more', end('x'));
    expect(await store.read('call 63')).toHaveProperty('result');
    expect(await store.read('one more')).toEqual({ state: 'done' });
  });
});

describe('a full store', () => {
  test('refuses a new call and keeps its records', async () => {
    const store = memoryOnceStore({ maxEntries: 3 });
    await claimMany(store, 0, 3);
    const refusal = await store.claim('one more', lease('owner')).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(OnceStoreFullError);
    expect(refusal).toMatchObject({
      name: 'OnceStoreFullError',
      message:
        'The memory store for `once` is full. No record has expired, and `maxEntries` is 3. Raise `maxEntries` to keep more records.',
    });
    expect(await store.read('one more')).toBeUndefined();
    for (const id of [0, 1, 2])
      expect(await store.read(`call ${id}`)).toEqual({ state: 'running' });
  });

  test('claims, renews and finishes known calls', async () => {
    const store = memoryOnceStore({ maxEntries: 1 });
    await claimMany(store, 0, 1);
    expect(await store.claim('call 0', lease('other'))).toEqual({ state: 'running' });
    expect(await store.renew('call 0', lease('owner'))).toBe(true);
    expect(await store.finish('call 0', { owner: 'owner', result: 'x', ttlMs: 60_000 })).toBe(true);
    expect(await store.read('call 0')).toEqual({ state: 'done', result: 'x' });
  });

  test('refuses to finish an unknown call', async () => {
    const store = memoryOnceStore({ maxEntries: 1 });
    await claimMany(store, 0, 1);
    const end = { owner: 'owner', result: 'x', ttlMs: 60_000 };
    await expect(store.finish('unknown', end)).rejects.toThrow(OnceStoreFullError);
  });

  test('has 10,000 records by default', async () => {
    const store = memoryOnceStore();
    await claimMany(store, 0, 10_000);
    await expect(store.claim('one more', lease('owner'))).rejects.toThrow('`maxEntries` is 10000.');
  });

  test('accepts a new call when any of its records has expired', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const store = memoryOnceStore({ maxEntries: 3 });
    await store.claim('long', lease('owner', 60_000));
    await store.claim('short', lease('owner', 1000));
    await store.claim('longer', lease('owner', 90_000));
    await expect(store.claim('new', lease('owner'))).rejects.toThrow(OnceStoreFullError);
    vi.advanceTimersByTime(999);
    await expect(store.claim('new', lease('owner'))).rejects.toThrow(OnceStoreFullError);
    vi.advanceTimersByTime(1);
    expect(await store.claim('new', lease('owner'))).toBeUndefined();
    await expect(store.claim('newer', lease('owner'))).rejects.toThrow(OnceStoreFullError);
    expect(await store.read('long')).toEqual({ state: 'running' });
  });

  test('accepts new calls again and again as records expire', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const store = memoryOnceStore({ maxEntries: 10 });
    for (let round = 0; round < 1000; round += 1) {
      await claimMany(store, 10 * round, 10 * round + 10);
      vi.advanceTimersByTime(60_000);
    }
  });
});

test('a change of the system clock affects neither leases nor lifetimes', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const store = memoryOnceStore();
  await store.claim('call', lease('owner'));
  for (const year of [1970, 2999]) {
    vi.setSystemTime(new Date(`${year}-01-01T00:00:00Z`));
    expect(await store.read('call')).toEqual({ state: 'running' });
  }
  vi.advanceTimersByTime(29_999);
  expect(await store.read('call')).toEqual({ state: 'running' });
  vi.advanceTimersByTime(1);
  expect(await store.read('call')).toEqual({ state: 'lapsed' });
  vi.advanceTimersByTime(29_999);
  expect(await store.read('call')).toEqual({ state: 'lapsed' });
  vi.advanceTimersByTime(1);
  expect(await store.read('call')).toBeUndefined();
});

test('two stores share no records', async () => {
  const [one, other] = [memoryOnceStore(), memoryOnceStore()];
  await one.claim('call', lease('owner'));
  expect(await other.read('call')).toBeUndefined();
});

describe('memoryOnceStore', () => {
  test('is for this process only, unless singleProcess is set', () => {
    expect(memoryOnceStore().onlyThisProcess).toBe(true);
    expect(memoryOnceStore({ singleProcess: false }).onlyThisProcess).toBe(true);
    expect(memoryOnceStore({ singleProcess: true }).onlyThisProcess).toBe(false);
  });

  test.each([
    [
      { maxEntry: 5 },
      "memoryOnceStore() has no option 'maxEntry'. Known options: maxEntries, maxBytes, singleProcess.",
    ],
    [{ maxEntries: 0 }, 'memoryOnceStore(): `maxEntries` must be an integer of at least 1.'],
    [{ maxBytes: 0 }, 'memoryOnceStore(): `maxBytes` must be an integer of at least 1.'],
    [{ maxBytes: '64 MB' }, 'memoryOnceStore(): `maxBytes` must be an integer of at least 1.'],
    [{ maxEntries: 1.5 }, 'memoryOnceStore(): `maxEntries` must be an integer of at least 1.'],
    [{ maxEntries: Infinity }, 'memoryOnceStore(): `maxEntries` must be an integer of at least 1.'],
    [{ maxEntries: '5' }, 'memoryOnceStore(): `maxEntries` must be an integer of at least 1.'],
    [{ singleProcess: 'yes' }, 'memoryOnceStore(): `singleProcess` must be true or false.'],
    [null, 'memoryOnceStore(): `options` must be an object.'],
    [5, 'memoryOnceStore(): `options` must be an object.'],
  ])('refuses the options %j', (options, sentence) => {
    expect(() => memoryOnceStore(options as object)).toThrow(new TypeError(sentence));
  });
});
