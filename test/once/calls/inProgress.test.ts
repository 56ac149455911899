/**
 * Repeated requests while the body runs. They read that the call is in progress, or that its
 * outcome is unknown if the process that runs it no longer renews its claim. The body never runs
 * again.
 */
import { confirm, defineTool, memoryStore, resolver } from 'mcp-resolve';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { tokenOf } from '../../sealing/desk.js';
import { deferred } from '../../support/deferred.js';
import {
  answerOf,
  askedCall,
  countOf,
  decline,
  eventually,
  inProgress,
  outcomeUnknown,
  ownSeal,
  PAID,
  payTool,
  recordSteps,
  roundsOf,
  runningCall,
  sendAbortable,
  until,
  withStep,
  yes,
} from './support.js';
import { withLease } from './steps.js';

afterEach(() => {
  vi.useRealTimers();
});

describe('while the body runs', () => {
  test('a second request reads that the call is in progress, whatever its answers are', async () => {
    const reported: string[] = [];
    const { rounds, token, last, runs, first, release } = await runningCall(memoryStore(), {
      onerror: ({ message }) => void reported.push(message),
    });
    const ran = runs.length;
    expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
    expect(answerOf(await rounds({ token }))).toEqual(inProgress('pay'));
    const refusal = await rounds({ token, answers: { approved: decline } });
    expect(answerOf(refusal)).toEqual(inProgress('pay'));
    expect(runs).toHaveLength(ran);

    release();
    const end = await first;
    expect(answerOf(end)).toEqual(PAID);
    expect((await rounds(last)).text).toBe(end.text);
    expect(reported).toEqual([]);
  });

  test('the error of a second request has a sentence for the model and a reason for programs', async () => {
    const { rounds, last, first, release } = await runningCall(memoryStore());
    const { result } = await rounds(last);
    expect(result).toMatchObject({
      content: [
        {
          type: 'text',
          text: 'Error executing tool pay: this call is already in progress, so it was not started again. Send the same request again to get its result.',
        },
      ],
      isError: true,
      _meta: { 'mcp-resolve/once': 'in_progress' },
    });
    release();
    await first;
  });

  test('other calls of the same tool run', async () => {
    const started = deferred();
    const release = deferred();
    let payments = 0;
    const { tool } = payTool(memoryStore(), async () => {
      payments += 1;
      if (payments === 1) {
        started.resolve();
        await release.promise;
      }
      return PAID.text;
    });
    const rounds = roundsOf(tool);
    const stuck = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = rounds(stuck);
    await started.promise;
    const other = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(other))).toEqual(PAID);
    expect(answerOf(await rounds(stuck))).toEqual(inProgress('pay'));
    release.resolve();
    expect(answerOf(await first)).toEqual(PAID);
  });
});

describe('a second request with waitMs', () => {
  const reads = ({ taken }: ReturnType<typeof recordSteps>): number =>
    countOf(
      taken.map(({ step }) => step),
      'read',
    );

  test('receives the result if it arrives in time', async () => {
    const recorded = recordSteps();
    const { rounds, last, runs, first, release } = await runningCall({
      store: recorded.store,
      waitMs: 15_000,
    });
    const before = reads(recorded);
    const second = rounds(last);
    await until(() => reads(recorded) > before + 2);
    release();
    const end = await first;
    expect(answerOf(end)).toEqual(PAID);
    expect((await second).text).toBe(end.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('reads that the call is in progress if it takes longer', async () => {
    const recorded = recordSteps();
    const { rounds, last, first, release } = await runningCall({
      store: recorded.store,
      waitMs: 120,
    });
    const before = reads(recorded);
    expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
    expect(reads(recorded)).toBeGreaterThan(before + 1);
    release();
    await first;
  });

  test('stops waiting if the lease lapses, and reads an unknown outcome', async () => {
    const { rounds, last, first, release } = await runningCall({
      store: withLease(300),
      waitMs: 600_000,
    });
    expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
    release();
    await first;
  });

  test('reads an unknown outcome if the record disappears', async () => {
    let gone = false;
    const store = withStep('read', (take) => (gone ? undefined : take()));
    const recorded = recordSteps(store);
    const { rounds, last, runs, first, release } = await runningCall({
      store: recorded.store,
      waitMs: 600_000,
    });
    const before = reads(recorded);
    const second = rounds(last);
    await until(() => reads(recorded) > before);
    gone = true;
    expect(answerOf(await second)).toEqual(outcomeUnknown('pay'));
    expect(countOf(runs, 'body')).toBe(1);
    release();
    await first;
  });

  test('stops waiting if its client disconnects, and the body continues', async () => {
    const recorded = recordSteps();
    const { factory, rounds, token, last, first, release } = await runningCall({
      store: recorded.store,
      waitMs: 600_000,
    });
    const before = reads(recorded);
    const { abort, ended } = await sendAbortable(factory, token);
    await until(() => reads(recorded) > before + 1);
    abort();
    await ended;

    // The number of reads stays the same over several poll intervals.
    let seen = -1;
    await vi.waitUntil(
      () => {
        const same = seen === reads(recorded);
        seen = reads(recorded);
        return same;
      },
      { interval: 300, timeout: 15_000 },
    );
    release();
    expect(answerOf(await first)).toEqual(PAID);
    expect(answerOf(await rounds(last))).toEqual(PAID);
  });
});

describe('300 requests with waitMs', () => {
  /** Starts a call, and repeats its last round 300 times until each repetition has read once. */
  async function replay300() {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    });
    const { store, newSteps } = recordSteps();
    const { rounds, last, runs, first, release } = await runningCall({ store, waitMs: 10_000 });
    newSteps();
    const replays = Array.from({ length: 300 }, () => rounds(last));
    let reads = 0;
    while (reads < 300) {
      await new Promise((resolve) => setImmediate(resolve));
      reads += countOf(newSteps(), 'read');
    }
    return { newSteps, runs, first, release, replays, reads };
  }

  test('read the store 14 times together in ten seconds, besides one read each', async () => {
    const { newSteps, runs, first, release, replays, reads } = await replay300();
    expect(reads).toBe(300);
    await vi.advanceTimersByTimeAsync(10_000);
    const ends = await Promise.all(replays);
    expect(ends.map(answerOf)).toEqual(ends.map(() => inProgress('pay')));
    expect(countOf(newSteps(), 'read')).toBe(14);
    release();
    await first;
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('all receive the result when the call ends', async () => {
    const { newSteps, runs, first, release, replays } = await replay300();
    await vi.advanceTimersByTimeAsync(3000);
    release();
    const end = await first;
    newSteps();
    await vi.advanceTimersByTimeAsync(1000);
    expect(new Set((await Promise.all(replays)).map(({ text }) => text))).toEqual(
      new Set([end.text]),
    );
    expect(newSteps()).toEqual(['read']);
    expect(countOf(runs, 'body')).toBe(1);
  });
});

describe('if a claim is not renewed', () => {
  test('the outcome is unknown, the body does not run again, and a late result counts', async () => {
    const { rounds, token, last, runs, first, release } = await runningCall(withLease(1));
    await eventually(() => rounds(last), outcomeUnknown('pay'));
    for (const approved of [yes, decline, yes]) {
      const again = await rounds({ token, answers: { approved } });
      expect(answerOf(again)).toEqual(outcomeUnknown('pay'));
    }
    expect(answerOf(await rounds({ token }))).toEqual(outcomeUnknown('pay'));
    expect(countOf(runs, 'body')).toBe(1);

    release();
    const late = await first;
    expect(answerOf(late)).toEqual(PAID);
    expect((await rounds(last)).text).toBe(late.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('a call that a crashed process claimed never runs', async () => {
    const store = memoryStore();
    const ids: string[] = [];
    const approved = resolver(
      {},
      (_, { callId }) => {
        ids.push(callId);
        return confirm('Pay?');
      },
      { asks: 'form' },
    );
    let bodies = 0;
    const tool = defineTool('pay', { resolve: { approved }, once: store }, () => `${++bodies}`);
    const { rounds, last } = await askedCall(tool);
    const claim = { owner: 'a process that is gone', state: 'running', until: Date.now() };
    const how = { was: undefined, ttlMs: 60_000 };
    await store.put(`once:${ids[0]!}`, JSON.stringify(claim), how);
    expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
    expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
    expect(bodies).toBe(0);
  });
});

test('a request whose resolvers outlive the record of the call does not run the body again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const started = deferred();
  const release = deferred();
  let holds = true;
  const approved = resolver({}, () => confirm('Pay?'), { asks: 'form' });
  const account = resolver({ approved }, async () => {
    if (!holds) return 7;
    holds = false;
    started.resolve();
    await release.promise;
    return 7;
  });
  let bodies = 0;
  const resolve = { account };
  const tool = defineTool('pay', { resolve, once: memoryStore() }, () => `${++bodies}`);
  const { rounds, last } = await askedCall(tool);
  const slow = rounds(last);
  await started.promise;
  expect(answerOf(await rounds(last))).toEqual({ text: '1' });

  // The record of that run expires.
  vi.advanceTimersByTime(4_200_000);
  release.resolve();
  expect(answerOf(await slow)).toEqual(outcomeUnknown('pay'));
  expect(bodies).toBe(1);
});

describe('while the body runs, the server renews its claim', () => {
  test('every ten seconds until the body ends', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] });
    const { store, taken } = recordSteps();
    const seal = ownSeal({ ttlSeconds: 8000, maxFlowSeconds: 8000 });
    const { rounds, last, first, release } = await runningCall(store, { seal });
    for (let seconds = 10; seconds <= 7200; seconds += 10) {
      await vi.advanceTimersByTimeAsync(10_000);
      if (seconds % 600 === 0) expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
    }
    const renewals = taken.filter(({ step }) => step === 'renew');
    expect(renewals).toHaveLength(720);
    const claim = taken.find(({ step }) => step === 'claim');
    const owner = claim?.record?.owner;
    for (const { record, how } of renewals) {
      expect(record).toMatchObject({ state: 'running', owner });
      expect(how?.ttlMs).toBe(claim?.how?.ttlMs);
    }

    release();
    expect(answerOf(await first)).toEqual(PAID);
    const steps = taken.length;
    vi.advanceTimersByTime(60_000);
    expect(taken).toHaveLength(steps);
    expect(answerOf(await rounds(last))).toEqual(PAID);
  });
});
