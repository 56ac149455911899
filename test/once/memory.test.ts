/** The store in memory: the contract, and what is its own: its limit, its clock, its options. */
import { memoryOnceStore, onceStoreContract, OnceStoreFullError } from 'mcp-resolve/once';
import type { OnceStore } from 'mcp-resolve/once';
import { afterEach, describe, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});

const lease = (owner: string, ttlMs = 60_000) => ({ owner, leaseMs: 30_000, ttlMs });

/** Claims calls named by numbers. */
async function claimMany(store: OnceStore, from: number, to: number): Promise<void> {
  for (let id = from; id < to; id += 1) {
    expect(await store.claim(`call ${id}`, lease('owner'))).toBeUndefined();
  }
}

describe.concurrent('the contract of a store, in memory', () => {
  for (const { name, run } of onceStoreContract(() => memoryOnceStore())) test(name, run);
});

describe('a full store', () => {
  test('refuses a new call, and changes nothing', async () => {
    const store = memoryOnceStore({ maxEntries: 3 });
    await claimMany(store, 0, 3);
    const refusal = await store.claim('one more', lease('owner')).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(OnceStoreFullError);
    expect(refusal).toMatchObject({
      name: 'OnceStoreFullError',
      message: 'the store of calls that run once is full: 3 calls are known and none has expired',
    });
    expect(await store.read('one more')).toBeUndefined();
    for (const id of [0, 1, 2])
      expect(await store.read(`call ${id}`)).toEqual({ state: 'running' });
  });

  test('lets the calls that it knows be claimed again, renewed and finished', async () => {
    const store = memoryOnceStore({ maxEntries: 1 });
    await claimMany(store, 0, 1);
    expect(await store.claim('call 0', lease('other'))).toEqual({ state: 'running' });
    expect(await store.renew('call 0', lease('owner'))).toBe(true);
    expect(await store.finish('call 0', { owner: 'owner', result: 'x', ttlMs: 60_000 })).toBe(true);
    expect(await store.read('call 0')).toEqual({ state: 'done', result: 'x' });
  });

  test('refuses the end of a call that it does not know', async () => {
    const store = memoryOnceStore({ maxEntries: 1 });
    await claimMany(store, 0, 1);
    const end = { owner: 'owner', result: 'x', ttlMs: 60_000 };
    await expect(store.finish('unknown', end)).rejects.toThrow(OnceStoreFullError);
  });

  test('has 10,000 calls by default', async () => {
    const store = memoryOnceStore();
    await claimMany(store, 0, 10_000);
    await expect(store.claim('one more', lease('owner'))).rejects.toThrow('10000 calls are known');
  });

  test('has room again when a record expires, wherever it stands among those that do not', async () => {
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

  test('goes on for ever with records that expire', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const store = memoryOnceStore({ maxEntries: 10 });
    for (let round = 0; round < 1000; round += 1) {
      await claimMany(store, 10 * round, 10 * round + 10);
      vi.advanceTimersByTime(60_000);
    }
  });
});

test('setting the clock of the machine changes nothing', async () => {
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

test('two stores know nothing of each other', async () => {
  const [one, other] = [memoryOnceStore(), memoryOnceStore()];
  await one.claim('call', lease('owner'));
  expect(await other.read('call')).toBeUndefined();
});

describe('the options', () => {
  test('say whether other processes matter', () => {
    expect(memoryOnceStore().onlyThisProcess).toBe(true);
    expect(memoryOnceStore({ singleProcess: false }).onlyThisProcess).toBe(true);
    expect(memoryOnceStore({ singleProcess: true }).onlyThisProcess).toBe(false);
  });

  test.each([
    [
      { maxEntry: 5 },
      "memoryOnceStore has no option 'maxEntry' (known: maxEntries, singleProcess)",
    ],
    [{ maxEntries: 0 }, "'maxEntries' is a whole number, at least 1"],
    [{ maxEntries: 1.5 }, "'maxEntries' is a whole number, at least 1"],
    [{ maxEntries: Infinity }, "'maxEntries' is a whole number, at least 1"],
    [{ maxEntries: '5' }, "'maxEntries' is a whole number, at least 1"],
    [{ singleProcess: 'yes' }, "'singleProcess' is true or false"],
    [null, 'the options of memoryOnceStore are an object'],
    [5, 'the options of memoryOnceStore are an object'],
  ])('are refused where they make no sense: %j', (options, sentence) => {
    expect(() => memoryOnceStore(options as object)).toThrow(new TypeError(sentence));
  });
});
