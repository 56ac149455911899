/** The record of a call between two rounds: written, read back, and everything that is no record. */
import { describe, expect, test } from 'vitest';

import { decodeRecord, encodeRecord, largestContributor } from '../../src/state/record.js';
import type { CallRecord } from '../../src/state/record.js';

const record: CallRecord = {
  id: 'AAECAwQFBgcICQoLDA0ODw',
  start: 1_767_225_600.5,
  progress: {
    outcomes: new Map([
      ['scope', { action: 'accept', data: { full: true }, q: 'ZwOh_PfKr7zdSaL7OqH5Iw' }],
      ['restock', { action: 'decline', q: 'dCNOmK_nSY-12vHzasLXig' }],
    ]),
    asked: new Map([['approve', 'RBNvo1WzZ4oRRq0W9-hkng']]),
    reworded: new Set(),
    pins: new Map(),
  },
};

const TEXT =
  '{"v":4,"id":"AAECAwQFBgcICQoLDA0ODw","start":1767225600.5,' +
  '"outcomes":{"scope":{"action":"accept","data":{"full":true},"q":"ZwOh_PfKr7zdSaL7OqH5Iw"},' +
  '"restock":{"action":"decline","q":"dCNOmK_nSY-12vHzasLXig"}},' +
  '"asked":{"approve":"RBNvo1WzZ4oRRq0W9-hkng"}}';

const changed = (changes: Record<string, unknown>): string =>
  JSON.stringify({ ...(JSON.parse(TEXT) as object), ...changes });

test('G27: a record is written in the documented shape and reads back the same', () => {
  expect(encodeRecord(record)).toBe(TEXT);
  expect(decodeRecord(TEXT)).toEqual(record);
});

test('G27: questions that had changed are written only where there are some', () => {
  const moving = { ...record, progress: { ...record.progress, reworded: new Set(['approve']) } };
  const text = encodeRecord(moving);
  expect(text).toBe(`${TEXT.slice(0, -1)},"reworded":["approve"]}`);
  expect(decodeRecord(text)).toEqual(moving);
});

test('G20: an entry without a digest is well-formed', () => {
  const text = changed({ outcomes: { scope: { action: 'accept', data: 1 } } });
  expect(decodeRecord(text)?.progress.outcomes.get('scope')).toEqual({ action: 'accept', data: 1 });
});

test('G30: lone surrogates survive', () => {
  const outcomes = new Map([['name', { action: 'accept' as const, data: 'oc\ud800t', q: 'q' }]]);
  const text = encodeRecord({ ...record, progress: { ...record.progress, outcomes } });
  expect(decodeRecord(text)?.progress.outcomes.get('name')?.data).toBe('oc\ud800t');
});

test('a key named __proto__ is an entry like any other', () => {
  const outcomes = new Map([['__proto__', { action: 'cancel' as const, q: 'q' }]]);
  const text = encodeRecord({ ...record, progress: { ...record.progress, outcomes } });
  expect([...(decodeRecord(text)?.progress.outcomes ?? [])]).toEqual([...outcomes]);
});

describe('G26: what is no record reads as no progress', () => {
  test.each<[string, string | undefined]>([
    ['absent', undefined],
    ['empty', ''],
    ['no JSON', 'awaiting-confirm'],
    ['null', 'null'],
    ['a number', '4'],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['an older version', changed({ v: 3 })],
    ['a newer version', changed({ v: 5 })],
    ['a version in text', changed({ v: '4' })],
    ['without id', changed({ id: undefined })],
    ['an id that is no text', changed({ id: 7 })],
    ['without start', changed({ start: undefined })],
    ['a start in text', changed({ start: '1767225600' })],
    ['without outcomes', changed({ outcomes: undefined })],
    ['outcomes in a list', changed({ outcomes: [] })],
    ['outcomes of null', changed({ outcomes: null })],
    ['an entry of another action', changed({ outcomes: { scope: { action: 'banana', q: 'q' } } })],
    ['an entry that is no object', changed({ outcomes: { scope: 'accept' } })],
    ['a digest that is no text', changed({ outcomes: { scope: { action: 'accept', q: 7 } } })],
    ['without asked', changed({ asked: undefined })],
    ['asked that maps to numbers', changed({ asked: { scope: 7 } })],
    ['reworded that is no list', changed({ reworded: { a: 1 } })],
    ['reworded with a number', changed({ reworded: [7] })],
  ])('G26: %s', (_, text) => {
    expect(decodeRecord(text)).toBeUndefined();
  });
});

test('the largest answer is named with its size', () => {
  expect(largestContributor(record.progress)).toEqual({
    what: 'answer',
    key: 'scope',
    bytes: '{"action":"accept","data":{"full":true},"q":"ZwOh_PfKr7zdSaL7OqH5Iw"}'.length,
  });
  expect(largestContributor({ ...record.progress, outcomes: new Map() })).toBeUndefined();
});
