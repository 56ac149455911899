/** Requests that wait for the same running call, and the reads that they share. */
import { memoryStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { Attempt } from '../../src/once/attempt.js';
import type { CallState } from '../../src/once/attempt.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  // Each test ends with no timer left behind.
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const RUNNING: CallState = { state: 'running' };
const DONE: CallState = { state: 'done', end: {} };

const running = JSON.stringify({ state: 'running', until: 1e15 });
const done = JSON.stringify({ state: 'done', end: {} });

/** A store whose reads are counted. By default every call is running. */
function counting(read: (key: string) => Promise<string | undefined> = async () => running) {
  const began = performance.now();
  const readAt: number[] = [];
  const store: RecordStore = {
    ...memoryStore(),
    get: (key) => {
      readAt.push(performance.now() - began);
      return read(key);
    },
  };
  return { store, readAt };
}

/** Waits for a call, and collects how the wait ended. */
function wait(
  store: RecordStore,
  waitMs: number,
  { key = 'call', signal = new AbortController().signal } = {},
): unknown[] {
  const ends: unknown[] = [];
  const attempt = new Attempt({ store, key, ttlMs: 1, user: Promise.resolve(undefined) });
  void attempt.wait(performance.now() + waitMs, signal).then(
    (state) => ends.push(state),
    (error: unknown) => ends.push(error),
  );
  return ends;
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

describe('one request that waits', () => {
  test('reads after 50 ms, then after twice as long up to a second, and at its deadline', async () => {
    const { store, readAt } = counting();
    const ends = wait(store, 4000);
    await pass(3999);
    expect(ends).toEqual([]);
    await pass(1);
    expect(ends).toEqual([RUNNING]);
    expect(readAt).toEqual([50, 150, 350, 750, 1550, 2550, 3550, 4000]);
  });

  test('reads once if its deadline comes before the first read', async () => {
    const { store, readAt } = counting();
    const ends = wait(store, 20);
    await pass(20);
    expect(ends).toEqual([RUNNING]);
    expect(readAt).toEqual([20]);
  });

  test('does not read if its signal is already aborted', async () => {
    const { store, readAt } = counting();
    const ends = wait(store, 4000, { signal: AbortSignal.abort() });
    await pass(0);
    expect(ends).toEqual([RUNNING]);
    expect(readAt).toEqual([]);
  });

  test('ends without another read when its signal is aborted', async () => {
    const { store, readAt } = counting();
    const controller = new AbortController();
    const ends = wait(store, 60_000, { signal: controller.signal });
    await pass(60);
    controller.abort();
    await pass(0);
    expect(ends).toEqual([RUNNING]);
    expect(readAt).toEqual([50]);
  });

  test('leaves no listener on its signal', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const { store } = counting(async () => done);
    wait(store, 4000, { signal });
    await pass(50);
    expect(added.mock.calls).toEqual(removed.mock.calls);
    expect(added).toHaveBeenCalledOnce();
  });
});

describe('many requests that wait for one call', () => {
  test('share all reads if they arrive together', async () => {
    const { store, readAt } = counting();
    const all = Array.from({ length: 300 }, () => wait(store, 4000));
    await pass(4000);
    expect(all.flat()).toEqual(all.map(() => RUNNING));
    expect(readAt).toEqual([50, 150, 350, 750, 1550, 2550, 3550, 4000]);
  });

  test('read at most every 50 ms if they arrive one after the other', async () => {
    const { store, readAt } = counting();
    const all: unknown[][] = [];
    for (let arrival = 0; arrival < 300; arrival += 1) {
      all.push(wait(store, 4000));
      await pass(1);
    }
    await pass(4000);
    expect(all.flat()).toEqual(all.map(() => RUNNING));
    for (const [index, at] of readAt.slice(1).entries())
      expect(at - readAt[index]!).toBeGreaterThanOrEqual(50);
  });

  test('all see that the call has ended', async () => {
    let record = running;
    const { store, readAt } = counting(async () => record);
    const all = [wait(store, 60_000), wait(store, 90_000)];
    await pass(100);
    all.push(wait(store, 60_000));
    record = done;
    await pass(50);
    expect(all).toEqual([[DONE], [DONE], [DONE]]);
    expect(readAt).toEqual([50, 150]);
  });

  test.each([
    ['lapses', JSON.stringify({ state: 'running', until: 1 }), { state: 'lapsed' }],
    ['disappears', undefined, { state: 'lapsed' }],
    ['is released', JSON.stringify({ state: 'free' }), { state: 'free' }],
  ])('all see that the record %s', async (_, record, state) => {
    const { store } = counting(async () => record);
    const all = [wait(store, 60_000), wait(store, 60_000)];
    await pass(50);
    expect(all).toEqual([[state], [state]]);
  });

  test.each([
    ['returns', () => Promise.reject(new Error('not connected'))],
    [
      'throws',
      () => {
        throw new Error('not connected');
      },
    ],
  ])('all receive an error that the store %s', async (_, read) => {
    const { store, readAt } = counting(read);
    const all = [wait(store, 60_000), wait(store, 60_000)];
    await pass(50);
    expect(all).toEqual([[new Error('not connected')], [new Error('not connected')]]);
    expect(readAt).toHaveLength(1);
  });

  test('all fail if the store does not answer within five seconds', async () => {
    const { store, readAt } = counting(() => new Promise(() => undefined));
    const all = [wait(store, 60_000), wait(store, 100)];
    await pass(5049);
    expect(all).toEqual([[], []]);
    await pass(1);
    const error = new Error('The store did not answer within 5000 ms.');
    expect(all).toEqual([[error], [error]]);
    expect(readAt).toEqual([50]);
  });

  test('go on if one of them is aborted during a shared read', async () => {
    const replies: ((text: string) => void)[] = [];
    const { store } = counting(() => new Promise((resolve) => void replies.push(resolve)));
    const controller = new AbortController();
    const cancelled = wait(store, 60_000, { signal: controller.signal });
    const other = wait(store, 60_000);
    await pass(50);
    controller.abort();
    replies[0]!(running);
    await pass(0);
    expect([cancelled, other]).toEqual([[RUNNING], []]);
    await pass(100);
    replies[1]!(done);
    await pass(0);
    expect(other).toEqual([DONE]);
  });
});

test('calls with different keys, and stores, have reads of their own', async () => {
  const one = counting(async (key) => (key === 'a' ? done : running));
  const other = counting();
  const a = wait(one.store, 100, { key: 'a' });
  const b = wait(one.store, 100, { key: 'b' });
  const elsewhere = wait(other.store, 100, { key: 'a' });
  await pass(50);
  expect([a, b, elsewhere]).toEqual([[DONE], [], []]);
  await pass(50);
  expect([a, b, elsewhere]).toEqual([[DONE], [RUNNING], [RUNNING]]);
  expect([one.readAt, other.readAt]).toEqual([
    [50, 50, 100],
    [50, 100],
  ]);
});
