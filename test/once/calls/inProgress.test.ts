/**
 * While a body runs, its call is in progress for everybody else; when whoever ran it falls silent,
 * the outcome is unknown, and nobody runs it again.
 */
import { confirm, defineTool, resolver } from 'mcp-resolve';
import { memoryOnceStore } from 'mcp-resolve/once';
import type { OnceStore } from 'mcp-resolve/once';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { type Reply, tokenOf } from '../../sealing/desk.js';
import { deferred } from '../../support/deferred.js';
import { connectClient } from '../../support/plainClient.js';
import {
  answerOf,
  bank,
  type BankOptions,
  countOf,
  decline,
  heard,
  inProgress,
  outcomeUnknown,
  ownSeal,
  payTool,
  roundsAt,
  roundsOf,
  until,
  yes,
} from './support.js';
import { withLease } from './withLease.js';

afterEach(() => {
  vi.useRealTimers();
});

const PAID = { text: 'Paid 48 euros.' };

/** A call whose body runs until it is let go. */
async function runningCall(
  once: OnceStore | { store: OnceStore; waitMs: number },
  options?: BankOptions,
) {
  const started = deferred();
  const release = deferred();
  const { tool, runs } = payTool(once, async () => {
    started.resolve();
    await release.promise;
    return 'Paid 48 euros.';
  });
  const seal = ownSeal();
  const factory = bank([tool], { seal, ...options });
  const rounds = roundsAt(factory, 'pay');
  const token = tokenOf(await rounds());
  const last = { token, answers: { approved: yes } };
  const first = rounds(last);
  await started.promise;
  return { factory, rounds, token, last, runs, first, release: () => release.resolve() };
}

/** Sends a round until it is answered like this. */
async function becomes(send: () => Promise<Reply>, expected: object): Promise<void> {
  await vi.waitFor(async () => expect(answerOf(await send())).toEqual(expected), {
    timeout: 15_000,
    interval: 20,
  });
}

describe('while the body runs', () => {
  test('a second request is told that the call is in progress, whatever it brings', async () => {
    const reported: string[] = [];
    const { rounds, token, last, runs, first, release } = await runningCall(memoryOnceStore(), {
      onerror: ({ message }) => void reported.push(message),
    });
    const ran = runs.length;
    expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
    expect(answerOf(await rounds({ token }))).toEqual(inProgress('pay'));
    const no = await rounds({ token, answers: { approved: decline } });
    expect(answerOf(no)).toEqual(inProgress('pay'));
    expect(runs).toHaveLength(ran);

    release();
    const end = await first;
    expect(answerOf(end)).toEqual(PAID);
    expect((await rounds(last)).text).toBe(end.text);
    expect(reported).toEqual([]);
  });

  test('its error reads the same where unexpected errors are masked', async () => {
    const { rounds, last, first, release } = await runningCall(memoryOnceStore(), {
      errors: 'toolErrorsOnly',
    });
    const { result } = await rounds(last);
    expect(result).toMatchObject({
      content: [
        {
          type: 'text',
          text: 'Error executing tool pay: this call is in progress: nothing was started a second time. Send the same round again to get its result',
        },
      ],
      isError: true,
      _meta: { 'mcp-resolve/once': 'in_progress' },
    });
    release();
    await first;
  });

  test('other calls of the same tool go on', async () => {
    const started = deferred();
    const release = deferred();
    let payments = 0;
    const { tool } = payTool(memoryOnceStore(), async () => {
      payments += 1;
      if (payments === 1) {
        started.resolve();
        await release.promise;
      }
      return 'Paid 48 euros.';
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

describe('with waitMs', () => {
  const reads = ({ taken }: ReturnType<typeof heard>): number =>
    countOf(
      taken.map(({ step }) => step),
      'read',
    );

  test('a second request gets the result when it comes in time', async () => {
    const listened = heard();
    const { rounds, last, runs, first, release } = await runningCall({
      store: listened.store,
      waitMs: 15_000,
    });
    const before = reads(listened);
    const second = rounds(last);
    await until(() => reads(listened) > before + 2);
    release();
    const end = await first;
    expect(answerOf(end)).toEqual(PAID);
    expect((await second).text).toBe(end.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('a second request is told that the call is in progress when it takes longer', async () => {
    const listened = heard();
    const { rounds, last, first, release } = await runningCall({
      store: listened.store,
      waitMs: 120,
    });
    const before = reads(listened);
    expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
    expect(reads(listened)).toBeGreaterThan(before + 1);
    release();
    await first;
  });

  test('a second request stops waiting when the outcome has become unknown', async () => {
    const { rounds, last, first, release } = await runningCall({
      store: withLease(300),
      waitMs: 600_000,
    });
    expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
    release();
    await first;
  });

  test('a record that disappears while somebody waits for it leaves the outcome unknown', async () => {
    const memory = memoryOnceStore();
    let gone = false;
    const store = { ...memory, read: async (id: string) => (gone ? undefined : memory.read(id)) };
    const listened = heard(store);
    const { rounds, last, runs, first, release } = await runningCall({
      store: listened.store,
      waitMs: 600_000,
    });
    const before = reads(listened);
    const second = rounds(last);
    await until(() => reads(listened) > before);
    gone = true;
    expect(answerOf(await second)).toEqual(outcomeUnknown('pay'));
    expect(countOf(runs, 'body')).toBe(1);
    release();
    await first;
  });

  test('a client that goes away is not waited for any longer, and the body goes on', async () => {
    const listened = heard();
    const { factory, rounds, token, last, first, release } = await runningCall({
      store: listened.store,
      waitMs: 600_000,
    });
    const before = reads(listened);
    const chat = await connectClient('modern', factory, { elicit: [] });
    const user = new AbortController();
    const params = { name: 'pay', requestState: token, inputResponses: { approved: yes } };
    const second = chat.client.request({ method: 'tools/call', params }, { signal: user.signal });
    const ended = expect(second).rejects.toThrow();
    await until(() => reads(listened) > before + 1);
    user.abort();
    await ended;

    // The store is asked no more: two looks, some polls apart, see the same.
    let seen = -1;
    await vi.waitUntil(
      () => {
        const same = seen === reads(listened);
        seen = reads(listened);
        return same;
      },
      { interval: 300, timeout: 15_000 },
    );
    release();
    expect(answerOf(await first)).toEqual(PAID);
    expect(answerOf(await rounds(last))).toEqual(PAID);
  });
});

describe('when whoever runs the body falls silent', () => {
  test('the outcome is unknown, the call is never run again, and a late end still counts', async () => {
    const { rounds, token, last, runs, first, release } = await runningCall(withLease(1));
    await becomes(() => rounds(last), outcomeUnknown('pay'));
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

  test('a call that was claimed by a process which is gone is never run', async () => {
    const store = memoryOnceStore();
    const ids: string[] = [];
    const approved = resolver({}, (_, { callId }) => {
      ids.push(callId);
      return confirm('Pay?');
    });
    let bodies = 0;
    const tool = defineTool('pay', { resolve: { approved }, once: store }, () => `${++bodies}`);
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    await store.claim(ids[0]!, { owner: 'a process that is gone', leaseMs: 1, ttlMs: 60_000 });
    await becomes(() => rounds(last), outcomeUnknown('pay'));
    expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
    expect(bodies).toBe(0);
  });
});

describe('while the body runs, its claim is renewed', () => {
  test('every ten seconds, so that it holds for as long as the body takes', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const { store, taken } = heard();
    const { rounds, last, first, release } = await runningCall(store);
    for (let seconds = 10; seconds <= 7200; seconds += 10) {
      vi.advanceTimersByTime(10_000);
      if (seconds % 600 === 0) expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
    }
    const renewals = taken.filter(({ step }) => step === 'renew');
    expect(renewals).toHaveLength(720);
    const claim = taken.find(({ step }) => step === 'claim');
    for (const renewal of renewals) expect(renewal).toEqual({ ...claim, step: 'renew' });

    release();
    expect(answerOf(await first)).toEqual(PAID);
    const steps = taken.length;
    vi.advanceTimersByTime(60_000);
    expect(taken).toHaveLength(steps);
    expect(answerOf(await rounds(last))).toEqual(PAID);
  });
});
