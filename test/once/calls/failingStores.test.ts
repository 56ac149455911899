/**
 * Stores that fail. A failure before the body ends the call. After a failure behind the body, the
 * client still receives the result, and a repeated request reads that the outcome is unknown.
 */
import { memoryStore, StoreFullError } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { tokenOf } from '../../sealing/desk.js';
import {
  answerOf,
  askedCall,
  type BankOptions,
  countOf,
  decline,
  eventually,
  inProgress,
  outcomeUnknown,
  PAID,
  payTool,
  recordSteps,
  resultNotKept,
  roundsOf,
  runningCall,
  storeFull,
  storeUnavailable,
  until,
  withStep,
  yes,
} from './support.js';
import { type StepName, withLease } from './steps.js';

afterEach(() => {
  vi.useRealTimers();
});

const NO_ANSWER = 'The store did not answer within 5000 ms.';

/** The ways in which a step can fail, and the message that the server reports. */
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

/** Returns a store with one step that fails while `isDown()`. */
function failing(
  step: StepName,
  fail: () => Promise<never>,
  isDown: () => boolean,
  store: RecordStore = memoryStore(),
): RecordStore {
  return withStep(step, (take) => (isDown() ? fail() : take()), store);
}

/** Collects the errors that the server reports. */
function collectReported(): { reported: string[]; options: BankOptions } {
  const reported: string[] = [];
  return { reported, options: { onerror: ({ message }) => void reported.push(message) } };
}

/** Returns a store in which another owner takes over each record that is claimed. */
function takenOver(): RecordStore {
  const memory = memoryStore();
  return {
    ...memory,
    put: async (key, value, how) => {
      if (how.was !== undefined) return memory.put(key, value, how);
      const answer = await memory.put(key, value, how);
      const other = JSON.stringify({ ...(JSON.parse(value) as object), owner: 'another' });
      await memory.put(key, other, { ...how, was: value });
      return answer;
    },
  };
}

/** Advances the fake timers until a promise settles. */
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

describe('before the body runs', () => {
  test.each(BEFORE)(
    'a $step() that $how ends the call, which can be completed later',
    async (row) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      let down = true;
      const { tool, runs } = payTool(failing(row.step, row.fail, () => down));
      const { reported, options } = collectReported();
      const { rounds, last } = await askedCall(tool, options);
      const ran = runs.length;
      const reply = await whenTimePasses(rounds(last));
      expect(answerOf(reply)).toEqual(storeUnavailable('pay'));
      expect(reported).toEqual([row.message]);
      // No resolver runs, because the call may have run before.
      if (row.step === 'read') expect(runs).toHaveLength(ran);
      expect(countOf(runs, 'body')).toBe(0);

      down = false;
      expect(answerOf(await rounds(last))).toEqual(PAID);
      expect(answerOf(await rounds(last))).toEqual(PAID);
      expect(countOf(runs, 'body')).toBe(1);
    },
  );

  test.each(BEFORE)('a refusal can be repeated if $step() $how', async (row) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let down = true;
    const { tool } = payTool(failing(row.step, row.fail, () => down));
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: decline } };
    const reply = await whenTimePasses(rounds(last));
    expect(answerOf(reply)).toEqual(storeUnavailable('pay'));
    down = false;
    expect(answerOf(await rounds(last)).text).toContain('elicitation was decline');
  });

  test('the error of a store that is down says that an earlier request may have run', async () => {
    let down = false;
    const { tool, runs } = payTool(failing('read', FAILURES.rejects[0], () => down));
    const { rounds, last } = await askedCall(tool);
    const first = await rounds(last);
    down = true;
    const { text } = answerOf(await rounds(last));
    expect(text).toContain('An earlier request may have run it.');
    down = false;
    expect((await rounds(last)).text).toBe(first.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('the error of a failed claim() is the same if the model may read all errors', async () => {
    const { tool } = payTool(failing('claim', FAILURES.rejects[0], () => true));
    const { rounds, last } = await askedCall(tool, { errors: 'all' });
    expect(answerOf(await rounds(last))).toEqual(storeUnavailable('pay'));
  });

  test('the first round does not need the store', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('down'));
    const store = { get: fail, put: fail };
    const { tool } = payTool(store);
    const rounds = roundsOf(tool);
    expect(tokenOf(await rounds())).toEqual(expect.any(String));
  });

  test('a claim() whose reply is lost leaves the outcome unknown, and the body does not run', async () => {
    const lose = async (take: () => Promise<unknown>) => {
      await take();
      throw new Error('the answer was lost');
    };
    const store = withStep(
      'claim',
      lose,
      failing('release', FAILURES.rejects[0], () => true),
    );
    const { tool, runs } = payTool(withLease(300, store));
    const { rounds, last } = await askedCall(tool);
    expect(answerOf(await rounds(last))).toEqual(storeUnavailable('pay'));
    await eventually(() => rounds(last), outcomeUnknown('pay'));
    expect(countOf(runs, 'body')).toBe(0);
  });

  test.each([
    [
      'is lost',
      async (take: () => Promise<unknown>) => {
        await take();
        throw new Error('the answer was lost');
      },
    ],
    [
      'arrives before it is sent on',
      async (take: () => Promise<unknown>) => {
        setImmediate(() => void take());
        throw new Error('the answer was lost');
      },
    ],
  ])(
    'a claim() whose reply %s is released, and the call can be completed later',
    async (_, lose) => {
      let loses = true;
      const { store, newSteps } = recordSteps();
      const { tool, runs } = payTool(
        withStep('claim', (take) => (loses ? lose(take) : take()), store),
      );
      const { rounds, last } = await askedCall(tool);
      expect(answerOf(await rounds(last))).toEqual(storeUnavailable('pay'));
      loses = false;
      await eventually(() => rounds(last), PAID);
      expect(newSteps()).toContain('release');
      expect(countOf(runs, 'body')).toBe(1);
    },
  );

  test('a second claim() that arrives after its release has no effect either', async () => {
    const late: (() => Promise<unknown>)[] = [];
    const { store, taken } = recordSteps();
    const { tool, runs } = payTool(
      withStep(
        'claim',
        (take) => {
          if (late.push(take) > 2) return take();
          throw new Error('the answer was lost');
        },
        store,
      ),
    );
    const { rounds, last } = await askedCall(tool);
    for (const releases of [2, 4]) {
      expect(answerOf(await rounds(last))).toEqual(storeUnavailable('pay'));
      // Each release is first refused, because the claim is not there.
      await until(() => taken.filter(({ step }) => step === 'release').length === releases);
    }
    expect(await late[1]?.()).toBe(false);
    expect(answerOf(await rounds(last))).toEqual(PAID);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'OK'],
    ['a number', 1],
    ['an empty object', {}],
  ])('the body does not run if put() returns %s', async (_, answer) => {
    const { tool, runs } = payTool({ ...memoryStore(), put: async () => answer as never });
    const { reported, options } = collectReported();
    const { rounds, last } = await askedCall(tool, options);
    expect(answerOf(await rounds(last))).toEqual(storeUnavailable('pay'));
    expect(reported).toEqual(['`put` of the store must return true or false.']);
    expect(countOf(runs, 'body')).toBe(0);
  });

  test.each([
    ['null', null],
    ['an object', { state: 'free' }],
  ])('the body does not run if get() returns %s', async (_, answer) => {
    const { tool, runs } = payTool({ ...memoryStore(), get: async () => answer as never });
    const { reported, options } = collectReported();
    const { rounds, last } = await askedCall(tool, options);
    expect(answerOf(await rounds(last))).toEqual(storeUnavailable('pay'));
    expect(reported).toEqual(['`get` of the store must return a string or undefined.']);
    expect(countOf(runs, 'body')).toBe(0);
  });

  test.each([
    ['is not JSON', 'Paid'],
    ['is not an object', '[]'],
    ['has an unknown state', '{"state":"paid"}'],
    ['has no end of its lease', '{"state":"running"}'],
    ['has an end that is not one', '{"state":"done","end":{"text":"Paid"}}'],
  ])('the body does not run if the record %s', async (_, text) => {
    const { tool, runs } = payTool({ ...memoryStore(), get: async () => text });
    const { rounds, last } = await askedCall(tool);
    expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
    expect(countOf(runs, 'body')).toBe(0);
  });

  test('a waiting request ends if the store fails', async () => {
    const { store, taken } = recordSteps();
    let down = false;
    const once = {
      store: failing('read', FAILURES.rejects[0], () => down, store),
      waitMs: 600_000,
    };
    const { rounds, last, first, release } = await runningCall(once);
    const asked = taken.length;
    const second = rounds(last);
    await until(() => taken.length > asked);
    down = true;
    expect(answerOf(await second)).toMatchObject({ once: 'store_unavailable' });
    release();
    expect(answerOf(await first)).toEqual(PAID);
  });
});

test('a failed read is reported for each waiting request', async () => {
  const { store, taken } = recordSteps();
  let down = false;
  const once = { store: failing('read', FAILURES.rejects[0], () => down, store), waitMs: 600_000 };
  const { reported, options } = collectReported();
  const { rounds, last, first, release } = await runningCall(once, options);
  const asked = taken.length;
  const waiting = [rounds(last), rounds(last), rounds(last)];
  await until(() => taken.length >= asked + waiting.length);
  down = true;
  const ends = await Promise.all(waiting);
  expect(ends.map(answerOf)).toEqual(waiting.map(() => storeUnavailable('pay')));
  expect(reported).toEqual(waiting.map(() => 'connection lost'));
  release();
  expect(answerOf(await first)).toEqual(PAID);
});

describe('while the body runs', () => {
  test.each(Object.entries(FAILURES))(
    'a renew() that %s is reported, and the next one succeeds',
    async (_, [fail, message]) => {
      vi.useFakeTimers({
        toFake: [
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'performance',
          'Date',
        ],
      });
      let down = true;
      const { store, taken } = recordSteps();
      const { reported, options } = collectReported();
      const { rounds, last, first, release } = await runningCall(
        failing('renew', fail, () => down, store),
        options,
      );

      await vi.advanceTimersByTimeAsync(10_000);
      await vi.advanceTimersByTimeAsync(5000);
      expect(reported).toEqual([message]);
      down = false;
      await vi.advanceTimersByTimeAsync(5000);
      expect(taken.at(-1)?.step).toBe('renew');
      await vi.advanceTimersByTimeAsync(29_000);
      expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
      release();
      expect(answerOf(await first)).toEqual(PAID);
      expect(answerOf(await rounds(last))).toEqual(PAID);
    },
  );

  test('the outcome is unknown after 30 seconds without renew(), until the body ends', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] });
    const store = failing('renew', FAILURES.rejects[0], () => true);
    const { rounds, last, runs, first, release } = await runningCall(store);
    vi.advanceTimersByTime(29_000);
    expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
    vi.advanceTimersByTime(1000);
    expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
    release();
    expect(answerOf(await first)).toEqual(PAID);
    expect(answerOf(await rounds(last))).toEqual(PAID);
    expect(countOf(runs, 'body')).toBe(1);
  });
});

describe('after the body ran', () => {
  test.each(Object.entries(FAILURES))(
    'the client receives the result if finish() %s, and later requests an unknown outcome',
    async (_, [fail, message]) => {
      vi.useFakeTimers({
        toFake: [
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'performance',
          'Date',
        ],
      });
      const { tool, runs } = payTool(failing('finish', fail, () => true));
      const { reported, options } = collectReported();
      const { rounds, last } = await askedCall(tool, options);
      const first = await whenTimePasses(rounds(last));
      expect(answerOf(first)).toEqual(PAID);
      expect(reported).toEqual([message, message, message]);

      expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
      await vi.advanceTimersByTimeAsync(30_000);
      expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
      expect(countOf(runs, 'body')).toBe(1);
    },
  );

  test('a finish() that fails twice succeeds in the third attempt', async () => {
    let failures = 2;
    const store = failing('finish', FAILURES.rejects[0], () => failures-- > 0);
    const { tool, runs } = payTool(store);
    const { reported, options } = collectReported();
    const { rounds, last } = await askedCall(tool, options);
    const first = await rounds(last);
    expect(answerOf(first)).toEqual(PAID);
    expect(reported).toEqual(['connection lost', 'connection lost']);
    expect((await rounds(last)).text).toBe(first.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('a finish() whose reply is lost is repeated, and the result stays the same', async () => {
    let lost = false;
    const loseOnce = async (take: () => Promise<unknown>) => {
      const answer = await take();
      if (lost) return answer;
      lost = true;
      throw new Error('the answer was lost');
    };
    const { tool } = payTool(withStep('finish', loseOnce));
    const { reported, options } = collectReported();
    const { rounds, last } = await askedCall(tool, options);
    const first = await rounds(last);
    expect(reported).toEqual(['the answer was lost']);
    expect((await rounds(last)).text).toBe(first.text);
  });

  test('the client receives the result if another owner has the record, which is reported', async () => {
    const { tool } = payTool(takenOver());
    const { reported, options } = collectReported();
    const { rounds, last } = await askedCall(tool, options);
    expect(answerOf(await rounds(last))).toEqual(PAID);
    expect(reported).toEqual([
      'The end of a call was not recorded, because another owner holds its claim.',
    ]);
  });
});

describe('a full store', () => {
  test('refuses new calls and returns the results of known ones', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { tool, runs } = payTool(memoryStore({ maxEntries: 1 }));
    const { reported, options } = collectReported();
    const rounds = roundsOf(tool, options);
    const one = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const two = { token: tokenOf(await rounds()), answers: { approved: yes } };
    expect(answerOf(await rounds(one))).toEqual(PAID);
    expect(answerOf(await rounds(two))).toEqual(storeFull('pay'));
    expect(reported).toEqual([
      'The memory store is full, and no record has expired. Raise `maxEntries` (1) or `maxBytes` (67108864).',
    ]);
    expect(answerOf(await rounds(one))).toEqual(PAID);
    expect(countOf(runs, 'body')).toBe(1);

    // The first record expires.
    vi.advanceTimersByTime(4_200_000);
    expect(answerOf(await rounds(two))).toEqual(PAID);
    expect(countOf(runs, 'body')).toBe(2);
  });

  test('refuses to record a refusal', async () => {
    const { tool } = payTool(memoryStore({ maxEntries: 1 }));
    const rounds = roundsOf(tool);
    await rounds({ token: tokenOf(await rounds()), answers: { approved: yes } });
    const refusal = { token: tokenOf(await rounds()), answers: { approved: decline } };
    expect(answerOf(await rounds(refusal))).toEqual(storeFull('pay'));
  });

  test.each([
    ['of this package', new StoreFullError('no room')],
    [
      'of another copy of this package',
      Object.assign(new Error('no room'), { [Symbol.for('mcp-resolve.StoreFullError')]: true }),
    ],
  ])('is recognized by the error %s', async (_, error) => {
    const { tool, runs } = payTool(withStep('claim', () => Promise.reject(error)));
    const { rounds, last } = await askedCall(tool);
    expect(answerOf(await rounds(last))).toEqual(storeFull('pay'));
    expect(countOf(runs, 'body')).toBe(0);
  });
});

describe('a result that is too large to record', () => {
  test('because the store is full, is not kept', async () => {
    const text = 'x'.repeat(2000);
    const { tool, runs } = payTool(memoryStore({ maxBytes: 4000 }), () => text);
    const { reported, options } = collectReported();
    const { rounds, last } = await askedCall(tool, options);
    expect(answerOf(await rounds(last))).toEqual({ text });
    expect(answerOf(await rounds(last))).toEqual(resultNotKept('pay'));
    expect(countOf(runs, 'body')).toBe(1);
    expect(reported).toEqual([expect.stringContaining('The memory store is full')]);
  });

  test('reaches the first caller, and later ones read that the call has completed', async () => {
    const text = 'x'.repeat(2000);
    const once = { store: memoryStore(), maxResultBytes: 1000 };
    const { tool, runs } = payTool(once, () => text);
    const { reported, options } = collectReported();
    const { rounds, last } = await askedCall(tool, options);
    expect(answerOf(await rounds(last))).toEqual({ text });
    expect(answerOf(await rounds(last))).toEqual(resultNotKept('pay'));
    const refusal = { ...last, answers: { approved: decline } };
    expect(answerOf(await rounds(refusal))).toEqual(resultNotKept('pay'));
    expect(countOf(runs, 'body')).toBe(1);
    expect(reported).toEqual([]);
  });

  test('has more bytes in its recorded form than maxResultBytes', async () => {
    const text = 'é😀'.repeat(50);
    const { store, taken } = recordSteps();
    const measured = roundsOf(payTool(store, () => text).tool);
    await measured({ token: tokenOf(await measured()), answers: { approved: yes } });
    const end = JSON.stringify(taken.find(({ step }) => step === 'finish')?.record?.end);
    const bytes = Buffer.byteLength(end);
    expect(bytes).toBeGreaterThan(end.length);

    for (const [maxResultBytes, again] of [
      [bytes, { text }],
      [bytes - 1, resultNotKept('pay')],
    ] as const) {
      const { tool } = payTool({ store: memoryStore(), maxResultBytes }, () => text);
      const { rounds, last } = await askedCall(tool);
      expect(answerOf(await rounds(last))).toEqual({ text });
      expect(answerOf(await rounds(last))).toEqual(again);
    }
  });

  test('has more than 256 KiB by default', async () => {
    for (const [length, kept] of [
      [262_000, true],
      [262_144, false],
    ] as const) {
      const text = 'x'.repeat(length);
      const { tool } = payTool(memoryStore(), () => text);
      const { rounds, last } = await askedCall(tool);
      await rounds(last);
      expect(answerOf(await rounds(last))).toEqual(kept ? { text } : resultNotKept('pay'));
    }
  });
});
