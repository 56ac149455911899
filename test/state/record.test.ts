/** The record of a call between two rounds: how it is written, read and refused. */
import { describe, expect, test } from 'vitest';

import { decodeRecord, encodeRecord, largestContributor } from '../../src/state/record.js';
import type { CallRecord } from '../../src/state/record.js';

const record: CallRecord = {
  id: 'AAECAwQFBgcICQoLDA0ODw',
  definition: 'tools/call refund',
  args: 'RBNvo1WzZ4oRRq0W9-hkng',
  start: 1_767_225_600.5,
  deadline: 1_767_229_200.5,
  progress: {
    outcomes: new Map([
      ['scope', { action: 'accept', data: { full: true }, q: 'ZwOh_PfKr7zdSaL7OqH5Iw' }],
      ['restock', { action: 'decline', q: 'dCNOmK_nSY-12vHzasLXig' }],
    ]),
    asked: new Map([['approve', 'RBNvo1WzZ4oRRq0W9-hkng']]),
    failed: new Map(),
    reworded: new Set(),
    pins: new Map(),
  },
};

const TEXT =
  '{"v":8,"id":"AAECAwQFBgcICQoLDA0ODw","definition":"tools/call refund",' +
  '"args":"RBNvo1WzZ4oRRq0W9-hkng","start":1767225600.5,"deadline":1767229200.5,' +
  '"outcomes":{"scope":{"action":"accept","data":{"full":true},"q":"ZwOh_PfKr7zdSaL7OqH5Iw"},' +
  '"restock":{"action":"decline","q":"dCNOmK_nSY-12vHzasLXig"}},' +
  '"asked":{"approve":"RBNvo1WzZ4oRRq0W9-hkng"}}';

const changed = (changes: Record<string, unknown>): string =>
  JSON.stringify({ ...(JSON.parse(TEXT) as object), ...changes });

test('G27: writes a record in the documented shape and reads it back', () => {
  expect(encodeRecord(record)).toBe(TEXT);
  expect(decodeRecord(TEXT)).toEqual(record);
});

test('G27: writes the reworded questions only if there are any', () => {
  const reworded = { ...record, progress: { ...record.progress, reworded: new Set(['approve']) } };
  const text = encodeRecord(reworded);
  expect(text).toBe(`${TEXT.slice(0, -1)},"reworded":["approve"]}`);
  expect(decodeRecord(text)).toEqual(reworded);
});

test('G27: writes the unusable answers only if there are any', () => {
  const failed = new Map([['approve', { count: 1, complaint: 'city: too short' }]]);
  const text = encodeRecord({ ...record, progress: { ...record.progress, failed } });
  expect(text).toBe(
    `${TEXT.slice(0, -1)},"failed":{"approve":{"count":1,"complaint":"city: too short"}}}`,
  );
  expect(decodeRecord(text)?.progress.failed).toEqual(failed);
});

test('G27: writes the pinned values only if there are any', () => {
  const pins = new Map([['quote', { value: { price: 7 }, on: 'RBNvo1WzZ4oRRq0W9-hkng' }]]);
  const text = encodeRecord({ ...record, progress: { ...record.progress, pins } });
  expect(text).toBe(
    `${TEXT.slice(0, -1)},"pins":{"quote":{"value":{"price":7},"on":"RBNvo1WzZ4oRRq0W9-hkng"}}}`,
  );
  expect(decodeRecord(text)?.progress.pins).toEqual(pins);
});

test('G27: writes what the user typed beside the complaint about it', () => {
  const failed = new Map([['approve', { count: 2, complaint: 'too short', typed: { city: 'x' } }]]);
  const text = encodeRecord({ ...record, progress: { ...record.progress, failed } });
  expect(decodeRecord(text)?.progress.failed).toEqual(failed);
});

test('G27: writes each of the three actions', () => {
  for (const action of ['accept', 'decline', 'cancel'] as const) {
    const outcomes = new Map([['scope', { action, q: 'q' }]]);
    const text = encodeRecord({ ...record, progress: { ...record.progress, outcomes } });
    expect(decodeRecord(text)?.progress.outcomes).toEqual(outcomes);
  }
});

test('G20: reads an entry without a digest', () => {
  const text = changed({ outcomes: { scope: { action: 'accept', data: 1 } } });
  expect(decodeRecord(text)?.progress.outcomes.get('scope')).toEqual({ action: 'accept', data: 1 });
});

test('G30: keeps lone surrogates', () => {
  const outcomes = new Map([['name', { action: 'accept' as const, data: 'oc\ud800t', q: 'q' }]]);
  const text = encodeRecord({ ...record, progress: { ...record.progress, outcomes } });
  expect(decodeRecord(text)?.progress.outcomes.get('name')?.data).toBe('oc\ud800t');
});

test('treats __proto__ like any other key', () => {
  const outcomes = new Map([['__proto__', { action: 'cancel' as const, q: 'q' }]]);
  const text = encodeRecord({ ...record, progress: { ...record.progress, outcomes } });
  expect([...(decodeRecord(text)?.progress.outcomes ?? [])]).toEqual([...outcomes]);
});

describe('G26: the reader finds no progress in', () => {
  test.each<[string, string | undefined]>([
    ['a missing record', undefined],
    ['an empty string', ''],
    ['text that is not JSON', 'awaiting-confirm'],
    ['null', 'null'],
    ['a number', '4'],
    ['an array', '[]'],
    ['an empty object', '{}'],
    ['an older version', changed({ v: 7 })],
    ['a newer version', changed({ v: 9 })],
    ['a version as a string', changed({ v: '5' })],
    ['a record without id', changed({ id: undefined })],
    ['an id that is not a string', changed({ id: 7 })],
    ['a store that is not a string', changed({ store: 7 })],
    ['a record without start', changed({ start: undefined })],
    ['a start as a string', changed({ start: '1767225600' })],
    ['a record without deadline', changed({ deadline: undefined })],
    ['a deadline of null', changed({ deadline: null })],
    ['a record without outcomes', changed({ outcomes: undefined })],
    ['outcomes in an array', changed({ outcomes: [] })],
    ['outcomes of null', changed({ outcomes: null })],
    [
      'an entry with an unknown action',
      changed({ outcomes: { scope: { action: 'banana', q: 'q' } } }),
    ],
    ['an entry that is not an object', changed({ outcomes: { scope: 'accept' } })],
    ['a digest that is not a string', changed({ outcomes: { scope: { action: 'accept', q: 7 } } })],
    ['a record without asked', changed({ asked: undefined })],
    ['asked that maps to numbers', changed({ asked: { scope: 7 } })],
    ['reworded that is not an array', changed({ reworded: { a: 1 } })],
    ['failed that is an array', changed({ failed: [] })],
    ['failed without a count', changed({ failed: { a: { complaint: '' } } })],
    ['failed without a complaint', changed({ failed: { a: { count: 1 } } })],
    [
      'typed text that is not an object',
      changed({ failed: { a: { count: 1, complaint: '', typed: 'x' } } }),
    ],
    ['pins in an array', changed({ pins: [] })],
    ['a pin that is not an object', changed({ pins: { quote: 7 } })],
    ['a pin without a value', changed({ pins: { quote: { on: 'q' } } })],
    ['a pin without the digest of its answers', changed({ pins: { quote: { value: 7 } } })],
    ['reworded with a number', changed({ reworded: [7] })],
  ])('G26: %s', (_, text) => {
    expect(decodeRecord(text)).toBeUndefined();
  });
});

describe('the largest part of a record', () => {
  const answer = record.progress.outcomes.get('scope')!;

  test('is the largest answer, wherever it is', () => {
    const bytes = JSON.stringify(answer).length;
    const largest = { what: 'answer', key: 'scope', bytes };
    expect(largestContributor(record.progress)).toEqual(largest);
    const outcomes = new Map([...record.progress.outcomes].reverse());
    expect(largestContributor({ ...record.progress, outcomes })).toEqual(largest);
  });

  test('is a pinned value if that is larger than every answer', () => {
    const pin = { value: 'é'.repeat(100), on: 'q' };
    const pins = new Map([['quote', pin]]);
    expect(largestContributor({ ...record.progress, pins })).toEqual({
      what: 'pinned value',
      key: 'quote',
      bytes: JSON.stringify(pin).length + 100,
    });
  });

  test('does not exist without answers and pinned values', () => {
    expect(largestContributor({ ...record.progress, outcomes: new Map() })).toBeUndefined();
  });
});
