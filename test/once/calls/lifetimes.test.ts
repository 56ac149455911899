/**
 * A record outlives every token that could name its call: a call lasts `maxFlowSeconds` at most,
 * however often its tokens are made anew, and setting a clock opens no gap.
 */
import { memoryOnceStore } from 'mcp-resolve/once';
import type { OnceLease } from 'mcp-resolve/once';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { expectFrozen, tokenOf } from '../../sealing/desk.js';
import { deferred } from '../../support/deferred.js';
import {
  answerOf,
  countOf,
  decline,
  heard,
  inProgress,
  ownSeal,
  payTool,
  roundsOf,
  yes,
} from './support.js';

const NOON = Date.UTC(2026, 6, 28, 12);
const PAID = { text: 'Paid 48 euros.' };

// The wall clock alone stands still; what waits goes on waiting.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
});

afterEach(() => {
  vi.useRealTimers();
});

const setClock = (seconds: number): void => void vi.setSystemTime(NOON + 1000 * seconds);

describe('maxFlowSeconds', () => {
  test('bounds a call whose tokens are made anew again and again', async () => {
    const { store, taken } = heard();
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
    // The last token is good for five minutes more; its call is not.
    setClock(1001);
    expectFrozen(await rounds({ token, answers: { approved: yes } }));
    expectFrozen(await rounds({ token, answers: { approved: decline } }));
    expectFrozen(await rounds({ token }));
    expect(rejected).toEqual(['expired', 'expired', 'expired']);
    expect(countOf(runs, 'body')).toBe(0);
    expect(taken.map(({ step }) => step)).toEqual(Array.from({ length: 5 }, () => 'read'));
  });

  test('lets a call be completed on its last second', async () => {
    const { tool } = payTool(memoryOnceStore());
    const seal = ownSeal({ ttlSeconds: 2000, maxFlowSeconds: 1000 });
    const rounds = roundsOf(tool, { seal });
    const token = tokenOf(await rounds());
    setClock(1000);
    expect(answerOf(await rounds({ token, answers: { approved: yes } }))).toEqual(PAID);
  });

  test('leaves no branch of a completed call that could be finished when its record is gone', async () => {
    const { store, taken } = heard();
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

    // While it can be named, it gives the result, and no new tokens.
    for (const seconds of [901, 1000]) {
      setClock(seconds);
      expect((await rounds({ token: other })).text).toBe(end.text);
      const again = await rounds({ token: other, answers: { approved: yes } });
      expect(again.text).toBe(end.text);
    }
    const finish = taken.find(({ step }) => step === 'finish')?.details;
    const goneAt = 900 + finish!.ttlMs / 1000;
    for (const seconds of [1001, 1100, goneAt, goneAt + 1]) {
      setClock(seconds);
      expectFrozen(await rounds({ token: other, answers: { approved: yes } }));
    }
    expect(goneAt).toBeGreaterThan(1000);
    expect(countOf(runs, 'body')).toBe(1);
  });
});

describe('a record lives', () => {
  test.each([
    ['an hour and two minutes by default', {}, 3_720_000],
    ['maxFlowSeconds and two minutes', { maxFlowSeconds: 100 }, 220_000],
    ['maxFlowSeconds and two minutes, also of a day', { maxFlowSeconds: 86_400 }, 86_520_000],
  ])('%s, from its claim and again from its end', async (_, settings, ttlMs) => {
    const { store, taken } = heard();
    const rounds = roundsOf(payTool(store).tool, { seal: ownSeal(settings) });
    for (const approved of [yes, decline]) {
      await rounds({ token: tokenOf(await rounds()), answers: { approved } });
    }
    const changes = taken.filter(({ step }) => step !== 'read');
    expect(changes.map(({ step }) => step)).toEqual(['claim', 'finish', 'claim', 'finish']);
    for (const { details } of changes) expect(details?.ttlMs).toBe(ttlMs);
    for (const { step, details } of changes) {
      if (step === 'claim') expect((details as OnceLease).leaseMs).toBe(30_000);
    }
  });
});

describe('setting the clock', () => {
  const DAY = 86_400;

  test.each([
    ['forward a little', 300],
    ['back a little', -50],
  ])('%s changes nothing', async (_, seconds) => {
    const { tool, runs } = payTool(memoryOnceStore());
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = await rounds(last);
    setClock(seconds);
    expect((await rounds(last)).text).toBe(first.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test.each([
    ['forward by a day', DAY],
    ['forward by ten years', 3650 * DAY],
    ['back by a day', -DAY],
    ['back by ten years', -3650 * DAY],
  ])(
    '%s refuses the token while it lasts, and loses nothing: the record is found again after it',
    async (_, seconds) => {
      const { tool, runs } = payTool(memoryOnceStore());
      const rounds = roundsOf(tool);
      const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
      const first = await rounds(last);
      setClock(seconds);
      expectFrozen(await rounds(last));
      setClock(1);
      expect((await rounds(last)).text).toBe(first.text);
      expect(countOf(runs, 'body')).toBe(1);
    },
  );

  test.each([
    ['forward', 500],
    ['back', -50],
  ])('%s while the body runs neither ends its claim nor loses its result', async (_, seconds) => {
    const started = deferred();
    const release = deferred();
    const { tool, runs } = payTool(memoryOnceStore(), async () => {
      started.resolve();
      await release.promise;
      return 'Paid 48 euros.';
    });
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = rounds(last);
    await started.promise;
    setClock(seconds);
    expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
    release.resolve();
    expect(answerOf(await first)).toEqual(PAID);
    expect(answerOf(await rounds(last))).toEqual(PAID);
    expect(countOf(runs, 'body')).toBe(1);
  });
});
