/**
 * Tests rolling deployments: the rounds of one call go to servers that share their keys and differ
 * in what they pin. A server that cannot use a pinned value computes it again, and repeats the
 * questions that depend on it.
 */
import { confirm, defineTool, outcome, resolver } from 'mcp-resolve';
import type { Schema } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { textOf } from '../support/results.js';
import { answering, roundsOf, messagesOf, summaryOf, writeState } from '../support/rounds.js';
import { pinnedIn, recordOf, rewriteState, yes } from './rounds.js';

/** The source of all quotes. Every computation raises the price. */
interface Market {
  price: number;
}

/** The quote of a deployment: its schema, if it is pinned, and its shape. */
interface Version {
  readonly pin?: Schema;
  readonly quote: (price: number) => unknown;
  readonly name?: string;
}

/**
 * Creates a deployment with a quote, an approval that depends on it, and an unrelated note. The
 * wording of both questions never changes.
 */
function deploy(market: Market, { pin, quote: shape, name = 'quote' }: Version) {
  const options = { name, ...(pin !== undefined && { pin }) };
  const quote = resolver({}, () => shape((market.price += 1)), options);
  const approve = resolver({ quote }, () => confirm('Go ahead?'), {
    asks: 'form',
    name: 'approve',
  });
  const note = resolver({}, () => confirm('Send a note?'), { asks: 'form', name: 'note' });
  const tool = defineTool('buy', { resolve: { quote, approve, note: outcome(note) } }, (values) =>
    JSON.stringify(values.quote),
  );
  return roundsOf(tool);
}

const Cents = z.object({ cents: z.number() });
const Money = z.object({ amount: z.number(), currency: z.string() });
const inCents = (price: number) => ({ cents: price });
const inMoney = (price: number) => ({ amount: price, currency: 'EUR' });
const before = { pin: Cents, quote: inCents };
const after = { pin: Money, quote: inMoney };

describe.each([
  ['a newer', before, after, '{"amount":2,"currency":"EUR"}'],
  ['an older', after, before, '{"cents":2}'],
] as const)('%s deployment whose schema rejects the pinned value', (_, one, other, text) => {
  test('computes it again and repeats the question that depends on it', async () => {
    const market = { price: 0 };
    const [first, second] = [deploy(market, one), deploy(market, other)];
    const asked = await first();
    const again = await second(answering(asked, { approve: yes, note: yes }));

    expect(messagesOf(again)).toEqual({ approve: 'Go ahead?' });
    expect(pinnedIn(again)).toEqual({ quote: JSON.parse(text) as unknown });
    // The unrelated note keeps its answer.
    expect(recordOf(again).outcomes).toMatchObject({ note: { action: 'accept' } });
    expect(textOf(await second(answering(again, { approve: yes })))).toBe(text);
    expect(market.price).toBe(2);
  });

  test('does not affect a call that stays on the first deployment', async () => {
    const market = { price: 0 };
    deploy(market, other);
    const sendRound = deploy(market, one);

    await expect(
      sendRound(answering(await sendRound(), { approve: yes, note: yes })).then(textOf),
    ).resolves.toBe(JSON.stringify(one.quote(1)));
  });
});

test('a recorded answer is dropped when the value that it depends on is computed again', async () => {
  const deployed = (pin: z.ZodType<number>) => {
    const quote = resolver({}, () => 2, { pin, name: 'quote' });
    const approve = resolver({ quote }, () => confirm('Go ahead?'), {
      asks: 'form',
      name: 'approve',
    });
    const note = resolver({}, () => confirm('Send a note?'), { asks: 'form', name: 'note' });
    const sign = resolver({ approve, note }, () => confirm('Sign?'), {
      asks: 'form',
      name: 'sign',
    });
    return roundsOf(defineTool('buy', { resolve: { quote, sign } }, () => 'bought'));
  };
  const [old, young] = [deployed(z.number()), deployed(z.literal(2))];
  const first = await old();
  const second = await old(answering(first, { approve: yes, note: yes }));
  expect(messagesOf(second)).toEqual({ sign: 'Sign?' });

  // The new schema rejects 1, so the value is computed again.
  const requestState = rewriteState(second, ({ pins = {}, ...record }) => ({
    ...record,
    pins: { quote: { ...pins.quote, value: 1 } },
  }));
  const third = await young({ inputResponses: { sign: yes }, requestState });
  expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
  expect(Object.keys(recordOf(third).outcomes)).toEqual(['note']);
  const fourth = await young(answering(third, { approve: yes, sign: yes }));
  expect(messagesOf(fourth)).toEqual({ sign: 'Sign?' });
});

test('a call that alternates between deployments asks until two rounds in a row agree', async () => {
  const market = { price: 0 };
  const [old, young] = [deploy(market, before), deploy(market, after)];
  let result = await old();
  const seen: unknown[] = [pinnedIn(result).quote];
  for (const sendRound of [young, old, young, old]) {
    result = await sendRound(answering(result, { approve: yes, note: yes }));
    expect(messagesOf(result)).toEqual({ approve: 'Go ahead?' });
    seen.push(pinnedIn(result).quote);
  }

  expect(seen).toEqual([inCents(1), inMoney(2), inCents(3), inMoney(4), inCents(5)]);
  expect(textOf(await old(answering(result, { approve: yes })))).toBe('{"cents":5}');
});

test('pinned values that depend on a recomputed value are computed again, too', async () => {
  const market = { price: 0 };
  const deployed = (pin: z.ZodType<number>) => {
    const quote = resolver({}, () => (market.price += 1), { pin, name: 'quote' });
    const tax = resolver({ quote }, (values) => values.quote * 10, {
      pin: z.number(),
      name: 'tax',
    });
    const step = resolver({ tax }, (values) => values.tax);
    const total = resolver({ step: outcome(step) }, ({ step: { action } }) => action.length, {
      pin: z.number(),
      name: 'total',
    });
    const approve = resolver({ total }, () => confirm('Go ahead?'), {
      asks: 'form',
      name: 'approve',
    });
    const tool = defineTool('buy', { resolve: { quote, tax, approve } }, (values) =>
      JSON.stringify([values.quote, values.tax]),
    );
    return roundsOf(tool);
  };
  const [old, young] = [deployed(z.number()), deployed(z.number().min(2))];
  const first = await old();
  expect(pinnedIn(first)).toEqual({ quote: 1, tax: 10, total: 6 });
  const second = await young(answering(first, { approve: yes }));

  expect(messagesOf(second)).toEqual({ approve: 'Go ahead?' });
  expect(pinnedIn(second)).toEqual({ quote: 2, tax: 20, total: 6 });
  expect(textOf(await young(answering(second, { approve: yes })))).toBe('[2,20]');
});

test('a schema with a new default restores the old value and repeats no question', async () => {
  const market = { price: 0 };
  const old = deploy(market, before);
  const young = deploy(market, {
    pin: Cents.extend({ currency: z.string().default('EUR') }),
    quote: (price) => ({ cents: price, currency: 'EUR' }),
  });
  const first = await old();

  expect(textOf(await young(answering(first, { approve: yes, note: yes })))).toBe(
    '{"cents":1,"currency":"EUR"}',
  );
  expect(market.price).toBe(1);
});

test('a schema with fewer properties hides the others, and the state keeps them', async () => {
  const market = { price: 0 };
  const old = deploy(market, after);
  const young = deploy(market, {
    pin: z.object({ amount: z.number() }),
    quote: (price) => ({ amount: price }),
  });
  const first = await old();
  const second = await young(answering(first, {}));

  expect(pinnedIn(second)).toEqual({ quote: inMoney(1) });
  expect(textOf(await young(answering(second, { approve: yes, note: yes })))).toBe('{"amount":1}');
  expect(textOf(await old(answering(second, { approve: yes, note: yes })))).toBe(
    '{"amount":1,"currency":"EUR"}',
  );
});

describe('a deployment without pin', () => {
  const without = { quote: inCents };

  test('pins nothing, so the next one computes the value and repeats the question', async () => {
    const market = { price: 0 };
    const [old, young] = [deploy(market, without), deploy(market, before)];
    const first = await old();
    expect(recordOf(first)).not.toHaveProperty('pins');
    const second = await young(answering(first, { approve: yes, note: yes }));

    expect(messagesOf(second)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await young(answering(second, { approve: yes })))).toBe('{"cents":2}');
  });

  test('ignores a pinned value and accepts the answer', async () => {
    const market = { price: 0 };
    const [old, young] = [deploy(market, without), deploy(market, before)];
    const first = await young();

    expect(textOf(await old(answering(first, { approve: yes, note: yes })))).toBe('{"cents":2}');
  });

  test('drops pinned values from the state', async () => {
    const market = { price: 0 };
    const [old, young] = [deploy(market, without), deploy(market, before)];
    const second = await old(answering(await young(), { note: yes }));
    expect(messagesOf(second)).toEqual({ approve: 'Go ahead?' });
    expect(recordOf(second)).not.toHaveProperty('pins');
    const third = await young(answering(second, { approve: yes }));

    expect(messagesOf(third)).toEqual({ approve: 'Go ahead?' });
    expect(textOf(await young(answering(third, { approve: yes })))).toBe('{"cents":3}');
  });
});

test('a renamed resolver computes its value again', async () => {
  const market = { price: 0 };
  const old = deploy(market, before);
  const young = deploy(market, { ...before, name: 'offer' });
  const second = await young(answering(await old(), { approve: yes, note: yes }));

  expect(messagesOf(second)).toEqual({ approve: 'Go ahead?' });
  expect(pinnedIn(second)).toEqual({ offer: { cents: 2 } });
});

describe('a state record', () => {
  const cases: [string, unknown][] = [
    ['an array', []],
    ['a string', 'quote'],
    ['null', null],
    ['values without digests', { quote: { value: { cents: 1 } } }],
    ['digests without values', { quote: { on: 'AAAAAAAAAAAAAAAAAAAAAA' } }],
    ['values with invalid digests', { quote: { value: { cents: 1 }, on: 7 } }],
    ['bare values', { quote: 1 }],
  ];

  test.each(cases)('whose pins are %s is ignored, so the call starts over', async (_, pins) => {
    const market = { price: 0 };
    const sendRound = deploy(market, before);
    const first = await sendRound();
    const requestState = rewriteState(first, (record) => ({ ...record, pins }));
    const second = await sendRound({ inputResponses: { approve: yes, note: yes }, requestState });

    expect(messagesOf(second)).toEqual({ approve: 'Go ahead?', note: 'Send a note?' });
    expect(pinnedIn(second)).toEqual({ quote: { cents: 2 } });
  });

  test('without pins is read as one of a call that pinned nothing', async () => {
    const market = { price: 0 };
    const sendRound = deploy(market, before);
    const first = await sendRound();
    const { pins: _, ...record } = recordOf(first);
    const requestState = writeState(first, record);
    const second = await sendRound({ inputResponses: { approve: yes, note: yes }, requestState });

    expect(messagesOf(second)).toEqual({ approve: 'Go ahead?' });
    expect(pinnedIn(second)).toEqual({ quote: { cents: 2 } });
  });

  test('is read without the pins of unknown resolvers and of questions', async () => {
    const market = { price: 0 };
    const sendRound = deploy(market, before);
    const first = await sendRound();
    const requestState = rewriteState(first, ({ pins = {}, ...record }) => ({
      ...record,
      pins: { ...pins, ghost: { ...pins.quote }, approve: { ...pins.quote, value: true } },
    }));
    const second = await sendRound({ inputResponses: { note: yes }, requestState });

    // A pin cannot replace the answer to a question.
    expect(messagesOf(second)).toEqual({ approve: 'Go ahead?' });
    expect(pinnedIn(second)).toEqual({ quote: { cents: 1 } });
  });
});

test('a forged pin does not replace the value of a resolver without pin', async () => {
  const user = resolver({}, () => 'alice', { name: 'user' });
  const quote = resolver({}, () => 1, { pin: z.number(), name: 'quote' });
  const approve = resolver({ user, quote }, () => confirm('Go ahead?'), {
    asks: 'form',
    name: 'approve',
  });
  const tool = defineTool('buy', { resolve: { user, quote, approve } }, (values) => values.user);
  const sendRound = roundsOf(tool);
  const first = await sendRound();
  const requestState = rewriteState(first, ({ pins = {}, ...record }) => ({
    ...record,
    pins: { ...pins, user: { ...pins.quote, value: 'root' } },
  }));

  expect(summaryOf(await sendRound({ inputResponses: { approve: yes }, requestState }))).toBe(
    'alice',
  );
});
