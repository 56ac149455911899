/**
 * A store that fails ends the call before its body; one that fails afterwards cannot take the
 * answer away from whoever waits for it, and leaves an outcome that nobody knows.
 */
import { memoryOnceStore, OnceStoreFullError } from 'mcp-resolve/once';
import type { OnceStore } from 'mcp-resolve/once';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { tokenOf } from '../../sealing/desk.js';
import { deferred } from '../../support/deferred.js';
import {
  answerOf,
  type BankOptions,
  countOf,
  decline,
  heard,
  inProgress,
  outcomeUnknown,
  payTool,
  resultNotKept,
  roundsOf,
  type StepName,
  storeFull,
  storeUnavailable,
  until,
  yes,
} from './support.js';
import { withLease } from './withLease.js';

afterEach(() => {
  vi.useRealTimers();
});

const PAID = { text: 'Paid 48 euros.' };
const NO_ANSWER = 'no answer within 5000 ms';

/** The ways in which a step can fail, and what the operator is told. */
const FAILURES = {
  rejects: [() => Promise.reject(new Error('connection lost')), 'connection lost'],
  throws: [
    (): never => {
      throw new Error('not connected');
    },
    'not connected',
  ],
  'never answers': [() => new Promise<never>(() => undefined), NO_ANSWER],
} as const;

/** A store one of whose steps fails while `isDown()`. */
function failing(
  step: StepName,
  fail: () => Promise<never>,
  isDown: () => boolean,
  store: OnceStore = memoryOnceStore(),
): OnceStore {
  const working = store[step] as (...args: unknown[]) => Promise<unknown>;
  return { ...store, [step]: (...args: unknown[]) => (isDown() ? fail() : working(...args)) };
}

/** Notes what the operator is told. */
function listening(): { reported: string[]; options: BankOptions } {
  const reported: string[] = [];
  return { reported, options: { onerror: ({ message }) => void reported.push(message) } };
}

/** Lets the time run that a store has, until this settles. */
async function whenTimePasses<T>(pending: Promise<T>): Promise<T> {
  const waiting = Symbol('waiting');
  for (;;) {
    const soon = new Promise<typeof waiting>((resolve) => setImmediate(resolve, waiting));
    const settled = await Promise.race([pending, soon]);
    if (settled !== waiting) return settled;
    await vi.advanceTimersByTimeAsync(500);
  }
}

const BEFORE = (['read', 'claim'] as const).flatMap((step) =>
  Object.entries(FAILURES).map(([how, [fail, message]]) => ({ step, how, fail, message })),
);

describe('before the body', () => {
  test.each(BEFORE)(
    'a $step that $how ends the call, which can be made good later',
    async (row) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      let down = true;
      const { tool, runs } = payTool(failing(row.step, row.fail, () => down));
      const { reported, options } = listening();
      const rounds = roundsOf(tool, options);
      const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
      const ran = runs.length;
      const reply = await whenTimePasses(rounds(last));
      expect(answerOf(reply)).toEqual(storeUnavailable('pay'));
      expect(reported).toEqual([row.message]);
      // Nothing is looked up for a call that may have run already.
      if (row.step === 'read') expect(runs).toHaveLength(ran);
      expect(countOf(runs, 'body')).toBe(0);

      down = false;
      expect(answerOf(await rounds(last))).toEqual(PAID);
      expect(answerOf(await rounds(last))).toEqual(PAID);
      expect(countOf(runs, 'body')).toBe(1);
    },
  );

  test.each(BEFORE)(
    'a no is not recorded where a $step $how, and can be given again',
    async (row) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      let down = true;
      const { tool } = payTool(failing(row.step, row.fail, () => down));
      const rounds = roundsOf(tool);
      const last = { token: tokenOf(await rounds()), answers: { approved: decline } };
      const reply = await whenTimePasses(rounds(last));
      expect(answerOf(reply)).toEqual(storeUnavailable('pay'));
      down = false;
      expect(answerOf(await rounds(last)).text).toContain('elicitation was decline');
    },
  );

  test('a store that is down says nothing of whether the call has run, and its result is found later', async () => {
    let down = false;
    const { tool, runs } = payTool(failing('read', FAILURES.rejects[0], () => down));
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = await rounds(last);
    down = true;
    const { text } = answerOf(await rounds(last));
    expect(text).toContain('it may have run before');
    down = false;
    expect((await rounds(last)).text).toBe(first.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('its error reads the same where unexpected errors are masked', async () => {
    const { tool } = payTool(failing('claim', FAILURES.rejects[0], () => true));
    const rounds = roundsOf(tool, { errors: 'toolErrorsOnly' });
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(last))).toEqual(storeUnavailable('pay'));
  });

  test('a call that never asks does not need the store', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('down'));
    const store = { read: fail, claim: fail, renew: fail, finish: fail };
    const { tool } = payTool(store);
    const rounds = roundsOf(tool);
    expect(tokenOf(await rounds())).toEqual(expect.any(String));
  });

  test('a claim that was made but not answered holds: nobody runs the call, and it ends unknown', async () => {
    const memory = withLease(300);
    const { tool, runs } = payTool({
      ...memory,
      claim: async (id, lease) => {
        await memory.claim(id, lease);
        throw new Error('the answer was lost');
      },
    });
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(last))).toEqual(storeUnavailable('pay'));
    await vi.waitFor(
      async () => expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay')),
      15_000,
    );
    expect(countOf(runs, 'body')).toBe(0);
  });

  test.each([
    ['null', null],
    ['a word', 'claimed'],
    ['an object', {}],
    ['a state that does not exist', { state: 'free' }],
    ['a result that is not JSON', { state: 'done', result: 'Paid' }],
  ])('a store that answers a claim with %s does not let the body run', async (_, answer) => {
    const { tool, runs } = payTool({ ...memoryOnceStore(), claim: async () => answer as never });
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(last))).toMatchObject({ isError: true });
    expect(countOf(runs, 'body')).toBe(0);
  });

  test('a store that fails while somebody waits says so', async () => {
    const started = deferred();
    const release = deferred();
    const { store, taken } = heard();
    let down = false;
    const once = {
      store: failing('read', FAILURES.rejects[0], () => down, store),
      waitMs: 600_000,
    };
    const { tool } = payTool(once, async () => {
      started.resolve();
      await release.promise;
      return 'Paid 48 euros.';
    });
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = rounds(last);
    await started.promise;
    const asked = taken.length;
    const second = rounds(last);
    await until(() => taken.length > asked);
    down = true;
    expect(answerOf(await second)).toMatchObject({ once: 'store_unavailable' });
    release.resolve();
    expect(answerOf(await first)).toEqual(PAID);
  });
});

describe('while the body runs', () => {
  test.each(Object.entries(FAILURES))(
    'a renewal that %s is reported, and the next one is made',
    async (_, [fail, message]) => {
      vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
      });
      const started = deferred();
      const release = deferred();
      let down = true;
      const { store, taken } = heard();
      const { tool } = payTool(
        failing('renew', fail, () => down, store),
        async () => {
          started.resolve();
          await release.promise;
          return 'Paid 48 euros.';
        },
      );
      const { reported, options } = listening();
      const rounds = roundsOf(tool, options);
      const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
      const first = rounds(last);
      await started.promise;

      await vi.advanceTimersByTimeAsync(10_000);
      await vi.advanceTimersByTimeAsync(5000);
      expect(reported).toEqual([message]);
      down = false;
      await vi.advanceTimersByTimeAsync(5000);
      expect(taken.at(-1)?.step).toBe('renew');
      await vi.advanceTimersByTimeAsync(29_000);
      expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
      release.resolve();
      expect(answerOf(await first)).toEqual(PAID);
      expect(answerOf(await rounds(last))).toEqual(PAID);
    },
  );

  test('without renewals the outcome is unknown after half a minute, and a late end still counts', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const started = deferred();
    const release = deferred();
    const store = failing('renew', FAILURES.rejects[0], () => true);
    const { tool, runs } = payTool(store, async () => {
      started.resolve();
      await release.promise;
      return 'Paid 48 euros.';
    });
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = rounds(last);
    await started.promise;
    vi.advanceTimersByTime(29_000);
    expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
    vi.advanceTimersByTime(1000);
    expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
    release.resolve();
    expect(answerOf(await first)).toEqual(PAID);
    expect(answerOf(await rounds(last))).toEqual(PAID);
    expect(countOf(runs, 'body')).toBe(1);
  });
});

describe('after the body', () => {
  test.each(Object.entries(FAILURES))(
    'a recording that %s does not take the answer away; later ones read unknown',
    async (_, [fail, message]) => {
      vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
      });
      const { tool, runs } = payTool(failing('finish', fail, () => true));
      const { reported, options } = listening();
      const rounds = roundsOf(tool, options);
      const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
      const first = await whenTimePasses(rounds(last));
      expect(answerOf(first)).toEqual(PAID);
      expect(reported).toEqual([message, message, message]);

      expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
      await vi.advanceTimersByTimeAsync(30_000);
      expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
      expect(countOf(runs, 'body')).toBe(1);
    },
  );

  test('a recording that fails twice is made the third time', async () => {
    let failures = 2;
    const store = failing('finish', FAILURES.rejects[0], () => failures-- > 0);
    const { tool, runs } = payTool(store);
    const { reported, options } = listening();
    const rounds = roundsOf(tool, options);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = await rounds(last);
    expect(answerOf(first)).toEqual(PAID);
    expect(reported).toEqual(['connection lost', 'connection lost']);
    expect((await rounds(last)).text).toBe(first.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('a recording that was made but not answered is made again, and counts once', async () => {
    const memory = memoryOnceStore();
    let lost = false;
    const { tool } = payTool({
      ...memory,
      finish: async (id, end) => {
        const counts = await memory.finish(id, end);
        if (lost) return counts;
        lost = true;
        throw new Error('the answer was lost');
      },
    });
    const { reported, options } = listening();
    const rounds = roundsOf(tool, options);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = await rounds(last);
    expect(reported).toEqual(['the answer was lost']);
    expect((await rounds(last)).text).toBe(first.text);
  });

  test('a recording that does not count is reported, and the answer given', async () => {
    const { tool } = payTool({ ...memoryOnceStore(), finish: async () => false });
    const { reported, options } = listening();
    const rounds = roundsOf(tool, options);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(last))).toEqual(PAID);
    expect(reported).toEqual([
      'The end of a call was not recorded: its claim belongs to somebody else.',
    ]);
  });
});

describe('a full store', () => {
  test('lets no new call run, and answers for those it knows', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { tool, runs } = payTool(memoryOnceStore({ maxEntries: 1 }));
    const { reported, options } = listening();
    const rounds = roundsOf(tool, options);
    const one = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const two = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(one))).toEqual(PAID);
    expect(answerOf(await rounds(two))).toEqual(storeFull('pay'));
    expect(reported).toEqual([
      'the store of calls that run once is full: 1 calls are known and none has expired',
    ]);
    expect(answerOf(await rounds(one))).toEqual(PAID);
    expect(countOf(runs, 'body')).toBe(1);

    // The first record expires.
    vi.advanceTimersByTime(3_720_000);
    expect(answerOf(await rounds(two))).toEqual(PAID);
    expect(countOf(runs, 'body')).toBe(2);
  });

  test('cannot record a no either', async () => {
    const { tool } = payTool(memoryOnceStore({ maxEntries: 1 }));
    const rounds = roundsOf(tool);
    await rounds({ token: tokenOf(await rounds()), answers: { approved: yes } });
    const no = await rounds({ token: tokenOf(await rounds()), answers: { approved: decline } });
    expect(answerOf(no)).toEqual(storeFull('pay'));
  });

  test.each([
    ['of this package', new OnceStoreFullError('no room')],
    ['of another copy of it', Object.assign(new Error('no room'), { name: 'OnceStoreFullError' })],
  ])('is known by the error %s', async (_, error) => {
    const { tool, runs } = payTool({ ...memoryOnceStore(), claim: () => Promise.reject(error) });
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(last))).toEqual(storeFull('pay'));
    expect(countOf(runs, 'body')).toBe(0);
  });
});

describe('a result that is too large to keep', () => {
  test('goes to its first caller; who comes later is told that the call is completed', async () => {
    const text = 'x'.repeat(2000);
    const once = { store: memoryOnceStore(), maxResultBytes: 1000 };
    const { tool, runs } = payTool(once, () => text);
    const { reported, options } = listening();
    const rounds = roundsOf(tool, options);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(last))).toEqual({ text });
    expect(answerOf(await rounds(last))).toEqual(resultNotKept('pay'));
    const no = await rounds({ ...last, answers: { approved: decline } });
    expect(answerOf(no)).toEqual(resultNotKept('pay'));
    expect(countOf(runs, 'body')).toBe(1);
    expect(reported).toEqual([]);
  });

  test('is measured in bytes, as it is recorded: the limit itself is kept', async () => {
    const text = 'é😀'.repeat(50);
    const { store, taken } = heard();
    const measured = roundsOf(payTool(store, () => text).tool);
    await measured({ token: tokenOf(await measured()), answers: { approved: yes } });
    const end = taken.find(({ step }) => step === 'finish')?.details as { result: string };
    const bytes = Buffer.byteLength(end.result);
    expect(bytes).toBeGreaterThan(end.result.length);

    for (const [maxResultBytes, again] of [
      [bytes, { text }],
      [bytes - 1, resultNotKept('pay')],
    ] as const) {
      const { tool } = payTool({ store: memoryOnceStore(), maxResultBytes }, () => text);
      const rounds = roundsOf(tool);
      const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
      expect(answerOf(await rounds(last))).toEqual({ text });
      expect(answerOf(await rounds(last))).toEqual(again);
    }
  });

  test('is larger than 256 kibibytes by default', async () => {
    for (const [length, kept] of [
      [262_000, true],
      [262_144, false],
    ] as const) {
      const text = 'x'.repeat(length);
      const { tool } = payTool(memoryOnceStore(), () => text);
      const rounds = roundsOf(tool);
      const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
      await rounds(last);
      expect(answerOf(await rounds(last))).toEqual(kept ? { text } : resultNotKept('pay'));
    }
  });
});
