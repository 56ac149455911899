/**
 * The lifetime of a record. It exceeds the lifetime of every token of its call, also if the system
 * clock changes, because a call lasts at most `maxFlowSeconds`.
 */
import { memoryStore } from 'mcp-resolve/store';
import { describe, expect, test, vi } from 'vitest';

import { expectFrozen, tokenOf, useFixedDate } from '../../sealing/desk.js';
import {
  answerOf,
  askedCall,
  countOf,
  decline,
  inProgress,
  outcomeUnknown,
  ownSeal,
  PAID,
  payTool,
  recordSteps,
  roundsOf,
  runningCall,
  sharedSeal,
  withStep,
  yes,
} from './support.js';

const NOON = Date.UTC(2026, 6, 28, 12);

useFixedDate(NOON);

const setClock = (seconds: number): void => void vi.setSystemTime(NOON + 1000 * seconds);

describe('maxFlowSeconds', () => {
  test('limits a call whose token is renewed in every round', async () => {
    const { store, taken } = recordSteps();
    const { tool, runs } = payTool(store);
    const rejected: string[] = [];
    const seal = ownSeal({
      ttlSeconds: 300,
      maxFlowSeconds: 1000,
      onReject: ({ reason }) => void rejected.push(reason),
    });
    const rounds = roundsOf(tool, { seal });
    let token = tokenOf(await rounds());
    for (let seconds = 200; seconds <= 1000; seconds += 200) {
      setClock(seconds);
      token = tokenOf(await rounds({ token }));
    }
    // The last token expires five minutes later than its call.
    setClock(1001);
    expectFrozen(await rounds({ token, answers: { approved: yes } }));
    expectFrozen(await rounds({ token, answers: { approved: decline } }));
    expectFrozen(await rounds({ token }));
    expect(rejected).toEqual(['expired', 'expired', 'expired']);
    expect(countOf(runs, 'body')).toBe(0);
    expect(taken.map(({ step }) => step)).toEqual(Array.from({ length: 5 }, () => 'read'));
  });

  test('lets a call complete in its last second', async () => {
    const { tool } = payTool(memoryStore());
    const seal = ownSeal({ ttlSeconds: 2000, maxFlowSeconds: 1000 });
    const { rounds, token } = await askedCall(tool, { seal });
    setClock(1000);
    expect(answerOf(await rounds({ token, answers: { approved: yes } }))).toEqual(PAID);
  });

  test('expires every token of a completed call before its record expires', async () => {
    const { store, taken } = recordSteps();
    const { tool, runs } = payTool(store);
    const seal = ownSeal({ ttlSeconds: 600, maxFlowSeconds: 1000 });
    const rounds = roundsOf(tool, { seal });
    const first = tokenOf(await rounds());
    setClock(500);
    const branch = tokenOf(await rounds({ token: first }));
    setClock(900);
    const other = tokenOf(await rounds({ token: branch }));
    const end = await rounds({ token: branch, answers: { approved: yes } });
    expect(answerOf(end)).toEqual(PAID);

    // Until then the other token returns the result, and no new token.
    for (const seconds of [901, 1000]) {
      setClock(seconds);
      expect((await rounds({ token: other })).text).toBe(end.text);
      const again = await rounds({ token: other, answers: { approved: yes } });
      expect(again.text).toBe(end.text);
    }
    const finish = taken.find(({ step }) => step === 'finish')?.how;
    const goneAt = 900 + finish!.ttlMs / 1000;
    for (const seconds of [1001, 1100, goneAt, goneAt + 1]) {
      setClock(seconds);
      expectFrozen(await rounds({ token: other, answers: { approved: yes } }));
    }
    expect(goneAt).toBeGreaterThan(1000);
    expect(countOf(runs, 'body')).toBe(1);
  });
});

describe('a record', () => {
  test.each([
    ['an hour and ten minutes by default', {}, 4_200_000],
    ['ten minutes longer than a maxFlowSeconds of 100', { maxFlowSeconds: 100 }, 700_000],
    ['ten minutes longer than a maxFlowSeconds of a day', { maxFlowSeconds: 86_400 }, 87_000_000],
  ])('lasts %s, from its claim and again from its end', async (_, settings, ttlMs) => {
    const { store, taken } = recordSteps();
    const rounds = roundsOf(payTool(store).tool, { seal: ownSeal(settings) });
    for (const approved of [yes, decline]) {
      await rounds({ token: tokenOf(await rounds()), answers: { approved } });
    }
    const changes = taken.filter(({ step }) => step !== 'read');
    expect(changes.map(({ step }) => step)).toEqual(['claim', 'finish', 'claim', 'finish']);
    for (const { how } of changes) expect(how?.ttlMs).toBe(ttlMs);
    for (const { step, record } of changes) {
      if (step === 'claim') expect(record?.until).toBe(NOON + 30_000);
    }
  });

  test.each([
    ['a shorter', 300, 3600],
    ['a longer', 3600, 300],
  ])(
    'Z9: lasts as its token says if the process that claims has %s policy',
    async (_, claimer, sealer) => {
      const { store, taken } = recordSteps(memoryStore({ singleProcess: true }));
      const { tool, runs } = payTool(store);
      const at = (maxFlowSeconds: number) =>
        roundsOf(tool, { seal: sharedSeal({ ttlSeconds: 7200, maxFlowSeconds }) });
      const last = { token: tokenOf(await at(sealer)()), answers: { approved: yes } };
      expect(answerOf(await at(claimer)(last))).toEqual(PAID);
      expect(taken.find(({ step }) => step === 'claim')?.how?.ttlMs).toBe((sealer + 600) * 1000);

      for (const seconds of [sealer - 1, sealer + 1]) {
        setClock(seconds);
        for (const rounds of [at(sealer), at(claimer)]) {
          const again = await rounds(last);
          if (seconds < sealer) expect(answerOf(again)).toEqual(PAID);
          else expectFrozen(again);
        }
      }
      expect(countOf(runs, 'body')).toBe(1);
    },
  );
});

test('a process that is suspended before it reads the store does not run a call that is over', async () => {
  let sleeps = false;
  const store = withStep('read', async (take) => {
    const known = await take();
    if (sleeps) setClock(3601);
    return known;
  });
  const { tool, runs } = payTool(store);
  const { rounds, last } = await askedCall(tool);
  sleeps = true;
  expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
  expect(countOf(runs, 'body')).toBe(0);
});

test('a machine that is suspended before the claim, with its monotonic clock, does not run the call again', async () => {
  // The machine wakes up after another one has run the call, and its record has expired.
  const store = withStep('claim', (take) => {
    setClock(4201);
    return take();
  });
  const { tool, runs } = payTool(store);
  const { rounds, last } = await askedCall(tool);
  expect(answerOf(await rounds(last))).toEqual(outcomeUnknown('pay'));
  expect(countOf(runs, 'body')).toBe(0);
});

describe('a change of the system clock', () => {
  const DAY = 86_400;

  test.each([
    ['five minutes forward', 300],
    ['50 seconds back', -50],
  ])('by %s has no effect', async (_, seconds) => {
    const { tool, runs } = payTool(memoryStore());
    const { rounds, last } = await askedCall(tool);
    const first = await rounds(last);
    setClock(seconds);
    expect((await rounds(last)).text).toBe(first.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test.each([
    ['a day forward', DAY],
    ['ten years forward', 3650 * DAY],
    ['a day back', -DAY],
    ['ten years back', -3650 * DAY],
  ])('by %s invalidates the token until it is undone, and keeps the record', async (_, seconds) => {
    const { tool, runs } = payTool(memoryStore());
    const { rounds, last } = await askedCall(tool);
    const first = await rounds(last);
    setClock(seconds);
    expectFrozen(await rounds(last));
    setClock(1);
    expect((await rounds(last)).text).toBe(first.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test.each([
    ['500 seconds forward', 500, outcomeUnknown],
    ['50 seconds back', -50, inProgress],
  ])('by %s while the body runs keeps its claim and its result', async (_, seconds, meanwhile) => {
    const { rounds, last, runs, first, release } = await runningCall(memoryStore());
    setClock(seconds);
    expect(answerOf(await rounds(last))).toEqual(meanwhile('pay'));
    release();
    expect(answerOf(await first)).toEqual(PAID);
    expect(answerOf(await rounds(last))).toEqual(PAID);
    expect(countOf(runs, 'body')).toBe(1);
  });
});
