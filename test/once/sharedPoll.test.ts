/** The poll that all requests share which wait for the same running call. */
import { memoryStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import type { CallState } from '../../src/once/attempt.js';
import { pollsOf, waitWhileRunning } from '../../src/once/sharedPoll.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  // Each test ends with no poll and no timer left behind.
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
  void waitWhileRunning({ store, key, until: performance.now() + waitMs, signal }).then(
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
    await pass(50);
    expect(ends).toEqual([RUNNING]);
    expect(readAt).toEqual([50]);
  });

  test('does not read if its signal is already aborted', async () => {
    const { store, readAt } = counting();
    const ends = wait(store, 4000, { signal: AbortSignal.abort() });
    await pass(0);
    expect(ends).toEqual([RUNNING]);
    expect(readAt).toEqual([]);
    expect(pollsOf(store).size).toBe(0);
  });

  test('leaves no listener on its signal', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const { store } = counting(async () => done);
    wait(store, 4000, { signal });
    await pass(50);
    expect(added.mock.calls.map(([type, listener]) => [type, listener])).toEqual(
      removed.mock.calls,
    );
    expect(added).toHaveBeenCalledOnce();
  });
});

describe('many requests that wait for one call', () => {
  test('share all reads', async () => {
    const { store, readAt } = counting();
    const all = Array.from({ length: 300 }, () => wait(store, 4000));
    expect(pollsOf(store).size).toBe(1);
    await pass(4000);
    expect(all.flat()).toEqual(all.map(() => RUNNING));
    expect(readAt).toHaveLength(8);
    expect(pollsOf(store).size).toBe(0);
  });

  test('share reads if they arrive one after the other', async () => {
    const { store, readAt } = counting();
    const all: unknown[][] = [];
    for (let arrival = 0; arrival < 300; arrival += 1) {
      all.push(wait(store, 4000));
      await pass(1);
    }
    await pass(4000);
    expect(all.flat()).toEqual(all.map(() => RUNNING));
    // Eight for the first request. The deadlines of the others lie within 300 ms.
    expect(readAt.length).toBeLessThanOrEqual(8 + 300 / 50 + 1);
    expect(pollsOf(store).size).toBe(0);
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
    expect(pollsOf(store).size).toBe(0);
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

  test('all receive an error of the store', async () => {
    const lost = new Error('connection lost');
    const { store, readAt } = counting(() => Promise.reject(lost));
    const all = [wait(store, 60_000), wait(store, 60_000)];
    await pass(50);
    expect(all).toEqual([[lost], [lost]]);
    expect(readAt).toHaveLength(1);
    expect(pollsOf(store).size).toBe(0);
  });

  test('all receive an error that the store throws', async () => {
    const { store } = counting(() => {
      throw new Error('not connected');
    });
    const all = [wait(store, 60_000), wait(store, 60_000)];
    await pass(50);
    expect(all).toEqual([[new Error('not connected')], [new Error('not connected')]]);
  });

  test('all fail if the store does not answer within five seconds', async () => {
    const { store, readAt } = counting(() => new Promise(() => undefined));
    const all = [wait(store, 60_000), wait(store, 100)];
    await pass(50);
    const late = wait(store, 60_000);
    await pass(4999);
    expect([...all, late]).toEqual([[], [], []]);
    await pass(1);
    const error = new Error('The store did not answer within 5000 ms.');
    expect([...all, late]).toEqual([[error], [error], [error]]);
    expect(readAt).toEqual([50]);
    expect(pollsOf(store).size).toBe(0);
  });
});

describe('a request that stops waiting', () => {
  test('does not end the poll of others if its signal is aborted', async () => {
    const { store, readAt } = counting();
    const controller = new AbortController();
    const cancelled = wait(store, 60_000, { signal: controller.signal });
    const other = wait(store, 1000);
    await pass(60);
    controller.abort();
    await pass(0);
    expect(cancelled).toEqual([RUNNING]);
    await pass(940);
    expect(other).toEqual([RUNNING]);
    expect(readAt).toEqual([50, 150, 350, 750, 1000]);
    expect(pollsOf(store).size).toBe(0);
  });

  test('does not end the poll of others at its deadline', async () => {
    let record = running;
    const { store, readAt } = counting(async () => record);
    const long = wait(store, 60_000);
    const short = wait(store, 100);
    await pass(100);
    expect([long, short]).toEqual([[], [RUNNING]]);
    record = done;
    await pass(200);
    expect(long).toEqual([DONE]);
    expect(readAt).toEqual([50, 100, 300]);
  });

  test('ends the poll if it is the last one', async () => {
    const { store, readAt } = counting();
    const controller = new AbortController();
    const both = [1, 2].map(() => wait(store, 60_000, { signal: controller.signal }));
    await pass(60);
    controller.abort();
    expect(pollsOf(store).size).toBe(0);
    await pass(60_000);
    expect(both).toEqual([[RUNNING], [RUNNING]]);
    expect(readAt).toEqual([50]);
  });

  test('does not end a newer poll when its own read settles', async () => {
    let reply = (_: string): void => undefined;
    const { store, readAt } = counting(() => new Promise((resolve) => (reply = resolve)));
    const controller = new AbortController();
    wait(store, 60_000, { signal: controller.signal });
    await pass(50);
    const replyToFirst = reply;
    controller.abort();
    const next = wait(store, 60_000);
    replyToFirst(done);
    await pass(0);
    expect(next).toEqual([]);
    expect(pollsOf(store).size).toBe(1);
    await pass(50);
    reply(done);
    await pass(0);
    expect(next).toEqual([DONE]);
    expect(readAt).toEqual([50, 100]);
    expect(pollsOf(store).size).toBe(0);
  });
});

test('calls with different keys, and stores, have polls of their own', async () => {
  const one = counting(async (key) => (key === 'a' ? done : running));
  const other = counting();
  const a = wait(one.store, 100, { key: 'a' });
  const b = wait(one.store, 100, { key: 'b' });
  const elsewhere = wait(other.store, 100, { key: 'a' });
  expect([...pollsOf(one.store).keys()]).toEqual(['a', 'b']);
  expect([...pollsOf(other.store).keys()]).toEqual(['a']);
  await pass(50);
  expect([a, b, elsewhere]).toEqual([[DONE], [], []]);
  expect([...pollsOf(one.store).keys()]).toEqual(['b']);
  await pass(50);
  expect([a, b, elsewhere]).toEqual([[DONE], [RUNNING], [RUNNING]]);
});
