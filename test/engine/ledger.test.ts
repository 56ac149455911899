/** The ledger on its own: which answers, failed attempts and pinned values still count. */
import { describe, expect, test } from 'vitest';

import { Ledger, NO_PROGRESS } from '../../src/engine/ledger.js';
import type { LedgerInput } from '../../src/engine/ledger.js';

const ledgerOf = (input: Partial<LedgerInput>): Ledger =>
  new Ledger({
    before: NO_PROGRESS,
    responses: {},
    keepsPins: true,
    onMovingQuestion: () => undefined,
    ...input,
  });

const attempts = { count: 1, complaint: 'too short' };
const before = {
  outcomes: new Map([['size', { action: 'accept' as const, data: 1, q: 'q1' }]]),
  asked: new Map([['city', 'q1']]),
  failed: new Map([['city', attempts]]),
  reworded: new Set<string>(),
  pins: new Map([['quote', { value: 7, on: 'q1' }]]),
};

test('a new call has no answers, no open questions and no pinned values', () => {
  expect(NO_PROGRESS).toEqual({
    outcomes: new Map(),
    asked: new Map(),
    failed: new Map(),
    reworded: new Set(),
    pins: new Map(),
  });
});

describe('failed attempts', () => {
  test('count for the rendering that the user saw, and for no other one', () => {
    const ledger = ledgerOf({ before });
    expect(ledger.failedAttempts('city', 'q1')).toEqual(attempts);
    expect(ledger.failedAttempts('city', 'q2')).toBeUndefined();
    expect(ledger.failedAttempts('street', 'q1')).toBeUndefined();
  });

  test('do not count if a pinned value that the question depends on has changed', () => {
    const ledger = ledgerOf({ before });
    ledger.forget('city');
    expect(ledger.failedAttempts('city', 'q1')).toBeUndefined();
  });
});

describe('a changed pinned value', () => {
  test('drops the answers and the pinned values that depend on it', () => {
    const ledger = ledgerOf({ before });
    expect(ledger.findRecorded('size', 'q1')).toEqual(before.outcomes.get('size'));
    expect(ledger.findPin('quote')).toEqual(before.pins.get('quote'));
    for (const key of ['size', 'quote']) ledger.forget(key);
    expect(ledger.findRecorded('size', 'q1')).toBeUndefined();
    expect(ledger.findPin('quote')).toBeUndefined();
  });

  test('drops nothing if pinned values are not kept between rounds', () => {
    const ledger = ledgerOf({ before, keepsPins: false });
    ledger.forget('size');
    expect(ledger.findRecorded('size', 'q1')).toEqual(before.outcomes.get('size'));
  });
});

test('a call can wait only if something decides on its approvals', () => {
  expect(ledgerOf({}).canWait).toBe(false);
  expect(ledgerOf({}).verdict('approved', 'q1')).toBeUndefined();
  expect(ledgerOf({ verdictOn: () => undefined }).canWait).toBe(true);
});
