/** Tests pinned values: each is computed once per call, and every round uses the same value. */
import {
  argsOf,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  outcome,
  resolver,
  ToolError,
} from 'mcp-resolve';
import { accept, decline, run } from 'mcp-resolve/testing';
import type { Run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, textOf } from '../support/results.js';
import { serving } from '../support/servers.js';
import { answering, callOnLegacy, roundsOf, messagesOf, summaryOf } from '../support/rounds.js';
import { pinnedIn, recordOf, yes } from './rounds.js';

const Quote = z.object({ cents: z.number() });
const Word = z.object({ word: z.string() });

/** A row with more properties than its type says, as rows often have. */
const row: { until: Date } = Object.assign({ until: new Date(0) }, { secret: 'margin' });

const messagesIn = ({ questions }: Pick<Run, 'questions'>): string[] =>
  questions.map(({ message }) => message);

describe.each(eras)('a pinned value on the %s era', (era) => {
  test('is computed once, however many questions follow', async () => {
    const quote = resolver({}, () => ({ cents: 4800 }), { pin: Quote });
    const plain = resolver({}, () => 1);
    const one = resolver({ quote }, ({ quote: { cents } }) => confirm(`1: ${cents}?`), {
      asks: 'form',
    });
    const two = resolver({ one, quote }, ({ quote: { cents } }) => confirm(`2: ${cents}?`), {
      asks: 'form',
    });
    const three = resolver({ two, quote }, ({ quote: { cents } }) => confirm(`3: ${cents}?`), {
      asks: 'form',
    });
    const tool = defineTool(
      'pay',
      { resolve: { quote, plain, three } },
      ({ quote: { cents } }) => `paid ${cents}`,
    );
    const paid = await run(tool, {}, { era, answers: { one: yes, two: yes, three: yes } });

    expect(paid).toMatchObject({ isError: false, text: 'paid 4800' });
    expect(messagesIn(paid)).toEqual(['1: 4800?', '2: 4800?', '3: 4800?']);
    // On the modern era a resolver without `pin` runs in each of the four rounds.
    expect(paid.ran).toMatchObject({ quote: 1, plain: era === 'modern' ? 4 : 1 });
  });

  test('is the same in the question and in the body, and computed again for the next call', async () => {
    const charged: number[] = [];
    let market = 4700;
    const quote = resolver({}, () => ({ cents: (market += 100) }), { pin: Quote });
    const approved = resolver({ quote }, ({ quote: { cents } }) => confirm(`Buy for ${cents}?`), {
      asks: 'form',
    });
    const tool = defineTool('buy', { resolve: { quote, approved } }, ({ quote: { cents } }) => {
      charged.push(cents);
      return `bought for ${cents}`;
    });
    const { text, asked } = await connectClient(era, serving([tool]), { elicit: [yes, yes] });

    expect(await text('buy')).toBe('bought for 4800');
    expect(await text('buy')).toBe('bought for 4900');
    expect(asked).toEqual(['Buy for 4800?', 'Buy for 4900?']);
    expect(charged).toEqual([4800, 4900]);
  });

  test('stays the same even if the question does not show it', async () => {
    let market = 4700;
    const quote = resolver({}, () => ({ cents: (market += 100) }), { pin: Quote });
    const approved = resolver({ quote }, () => confirm('Buy at the current price?'), {
      asks: 'form',
    });
    const tool = defineTool(
      'buy',
      { resolve: { approved, quote } },
      ({ quote: { cents } }) => `bought for ${cents}`,
    );

    expect(await run(tool, {}, { era, answers: { approved: yes } })).toMatchObject({
      isError: false,
      text: 'bought for 4800',
    });
    expect(market).toBe(4800);
  });

  test('is the output of its schema in every round, including the first', async () => {
    const seen: unknown[] = [];
    const Offer = z.object({
      until: z.coerce.date(),
      sku: z.string().trim(),
      note: z.string().default('none'),
    });
    const computed = {
      ...{ until: new Date('2026-07-28T00:00:00Z'), sku: ' A1 ', secret: 'margin' },
      note: undefined as never,
    };
    const offer = resolver({}, (): z.output<typeof Offer> => computed, { pin: Offer });
    const look = resolver({ offer }, (values) => {
      seen.push(values.offer);
    });
    const one = resolver({ look, offer }, (values) => confirm(`1: ${values.offer.sku}?`), {
      asks: 'form',
    });
    const two = resolver({ one, offer }, (values) => confirm(`2: ${values.offer.sku}?`), {
      asks: 'form',
    });
    const tool = defineTool('buy', { resolve: { offer, two } }, (values) => {
      seen.push(values.offer);
      return 'bought';
    });
    const bought = await run(tool, {}, { era, answers: { one: yes, two: yes } });

    expect(bought).toMatchObject({ isError: false, text: 'bought' });
    const restored = { until: new Date('2026-07-28T00:00:00Z'), sku: 'A1', note: 'none' };
    expect(seen).toEqual(Array.from({ length: era === 'modern' ? 4 : 2 }, () => restored));
    expect(messagesIn(bought)).toEqual(['1: A1?', '2: A1?']);
  });

  test('is the output of its schema even if the call asks nothing', async () => {
    const Offer = z.object({ until: z.coerce.date() });
    const offer = resolver({}, () => row, { pin: Offer });
    const tool = defineTool('look', { resolve: { offer } }, (values) => {
      const { until, ...rest } = values.offer;
      return `${until.toISOString()} ${JSON.stringify(rest)}`;
    });

    expect(await run(tool, {}, { era })).toMatchObject({
      isError: false,
      text: '1970-01-01T00:00:00.000Z {}',
    });
    expect(textOf(await tool.call(undefined))).toBe('1970-01-01T00:00:00.000Z {}');
  });

  test('has a computed outcome in every round', async () => {
    const seen: unknown[] = [];
    const quote = resolver({}, () => ({ cents: 4800 }), { pin: Quote });
    const one = resolver(
      { quote: outcome(quote) },
      (values) => {
        seen.push(values.quote);
        return confirm('Buy?');
      },
      { asks: 'form' },
    );
    const tool = defineTool('buy', { resolve: { one, quote: outcome(quote) } }, (values) => {
      seen.push(values.quote);
      return 'bought';
    });

    await run(tool, {}, { era, answers: { one: yes } });
    const computed = { action: 'accept', data: { cents: 4800 }, asked: false };
    expect(seen).toEqual(Array.from({ length: era === 'modern' ? 3 : 2 }, () => computed));
  });

  test('is computed once if it depends on other pinned values that take time', async () => {
    const later = <T>(value: T): Promise<T> =>
      new Promise((resolve) => {
        setImmediate(() => {
          resolve(value);
        });
      });
    const base = resolver({}, () => later(10), { pin: z.number() });
    const tax = resolver({ base }, (values) => later(values.base / 10), { pin: z.number() });
    const rate = resolver({}, () => later(2), { pin: z.number() });
    const total = resolver(
      { base, tax, rate },
      (values) => later((values.base + values.tax) * values.rate),
      { pin: z.number() },
    );
    const one = resolver({ total }, (values) => confirm(`1: ${values.total}?`), { asks: 'form' });
    const two = resolver({ total, one }, (values) => confirm(`2: ${values.total}?`), {
      asks: 'form',
    });
    const tool = defineTool('buy', { resolve: { two, total } }, (values) => `${values.total}`);
    const bought = await run(tool, {}, { era, answers: { one: yes, two: yes } });

    expect(bought).toMatchObject({ isError: false, text: '22' });
    expect(messagesIn(bought)).toEqual(['1: 22?', '2: 22?']);
    expect(bought.ran).toMatchObject({ base: 1, rate: 1, tax: 1, total: 1 });
  });

  test('is computed once if a guard needs it, while the guard runs in every round', async () => {
    const ran: string[] = [];
    const limit = resolver(
      {},
      () => {
        ran.push('limit');
        return 5000;
      },
      { pin: z.number() },
    );
    const guard = resolver({ limit }, (values) => {
      ran.push('guard');
      return values.limit === 5000;
    });
    const ask = resolver({}, () => confirm('Buy?'), { asks: 'form' });
    const tool = defineTool('buy', { guards: [guard], resolve: { ask } }, () => 'bought');

    expect(await run(tool, {}, { era, answers: { ask: yes } })).toMatchObject({
      isError: false,
      text: 'bought',
    });
    expect(ran).toEqual(era === 'modern' ? ['limit', 'guard', 'guard'] : ['limit', 'guard']);
  });

  test('is kept for a prompt and a resource as for a tool', async () => {
    let market = 4700;
    const quote = resolver({}, () => (market += 100), { pin: z.number() });
    const approved = resolver({ quote }, (values) => confirm(`Show ${values.quote}?`), {
      asks: 'form',
    });
    const config = { resolve: { quote, approved } };
    const body = (values: { quote: number }): string => `${values.quote}`;
    const prompt = definePrompt('offer', config, body);
    const resource = defineResource('offer', 'shop://offer', config, body);

    for (const [definition, price] of [
      [prompt, '4800'],
      [resource, '4900'],
    ] as const) {
      const shown = await run(definition, undefined, { era, answers: { approved: yes } });
      expect(shown).toMatchObject({ isError: false, text: price });
      expect(messagesIn(shown)).toEqual([`Show ${price}?`]);
    }
  });
});

describe('the needs of a pinned resolver', () => {
  test('run and ask in every round', async () => {
    const ran: string[] = [];
    const stock = resolver({}, () => {
      ran.push('stock');
      return 7;
    });
    const where = resolver(
      {},
      () => {
        ran.push('where');
        return elicit('Where to?', Word);
      },
      { asks: 'form' },
    );
    const quote = resolver(
      { stock, where },
      (values) => {
        ran.push('quote');
        return { cents: values.stock * 100 + values.where.word.length };
      },
      { pin: Quote },
    );
    const one = resolver({ quote }, ({ quote: { cents } }) => confirm(`1: ${cents}?`), {
      asks: 'form',
    });
    const two = resolver({ quote, one }, ({ quote: { cents } }) => confirm(`2: ${cents}?`), {
      asks: 'form',
    });
    const tool = defineTool(
      'buy',
      { resolve: { quote, two } },
      (values) => `${values.quote.cents}`,
    );
    const sendRound = roundsOf(tool);
    const rounds: string[][] = [];
    const note = (): void => {
      rounds.push(ran.splice(0));
    };

    const first = await sendRound();
    note();
    const second = await sendRound(answering(first, { where: accept({ word: 'Ulm' }) }));
    note();
    const third = await sendRound(answering(second, { one: yes }));
    note();
    expect(textOf(await sendRound(answering(third, { two: yes })))).toBe('703');
    note();

    expect(messagesOf(second)).toEqual({ one: '1: 703?' });
    expect(messagesOf(third)).toEqual({ two: '2: 703?' });
    expect(rounds).toEqual([
      ['stock', 'where'],
      ['stock', 'where', 'quote'],
      ['stock', 'where'],
      ['stock', 'where'],
    ]);
  });

  test('can fail the call even after the value is pinned', async () => {
    let allowed = true;
    const permission = resolver({}, () => {
      if (!allowed) throw new ToolError('no longer yours');
      return true;
    });
    const quote = resolver({ permission }, () => 4800, { pin: z.number() });
    const approved = resolver({ quote }, (values) => confirm(`Buy for ${values.quote}?`), {
      asks: 'form',
    });
    const sendRound = roundsOf(defineTool('buy', { resolve: { quote, approved } }, () => 'bought'));
    const first = await sendRound();

    allowed = false;
    expect(errorTextOf(await sendRound(answering(first, { approved: yes })))).toBe(
      'Error executing tool buy: no longer yours',
    );
  });

  test('do not change the pinned value when they change', async () => {
    let market = 4700;
    const live = resolver({}, () => (market += 100));
    const quote = resolver({ live }, (values) => values.live, { pin: z.number() });
    const approved = resolver({ quote }, (values) => confirm(`Buy for ${values.quote}?`), {
      asks: 'form',
    });
    const tool = defineTool(
      'buy',
      { resolve: { live, quote, approved } },
      (values) => `${values.quote} of ${values.live}`,
    );
    const sendRound = roundsOf(tool);
    const first = await sendRound();

    expect(textOf(await sendRound(answering(first, { approved: yes })))).toBe('4800 of 4900');
  });
});

test('the state holds a pinned value as JSON, and only while questions are open', async () => {
  const offer = resolver({}, () => row, {
    pin: z.object({ until: z.coerce.date() }),
    name: 'offer',
  });
  const approved = resolver({ offer }, () => confirm('Buy?'), { asks: 'form' });
  const sendRound = roundsOf(defineTool('buy', { resolve: { offer, approved } }, () => 'bought'));
  const first = await sendRound();

  expect(pinnedIn(first)).toEqual({
    offer: { until: '1970-01-01T00:00:00.000Z', secret: 'margin' },
  });
  expect(await sendRound(answering(first, { approved: yes }))).not.toHaveProperty('requestState');
});

test('the state holds the same pinned value in every round', async () => {
  const offer = resolver({}, () => ({ until: new Date(0) }), {
    pin: z.object({ until: z.coerce.date() }),
    name: 'offer',
  });
  const one = resolver({ offer }, () => confirm('1?'), { asks: 'form' });
  const two = resolver({ one }, () => confirm('2?'), { asks: 'form' });
  const three = resolver({ two }, () => confirm('3?'), { asks: 'form' });
  const sendRound = roundsOf(defineTool('buy', { resolve: { three } }, () => 'bought'));
  const first = await sendRound();
  const second = await sendRound(answering(first, { one: yes }));
  const third = await sendRound(answering(second, { two: yes }));

  expect(recordOf(first).pins).toEqual({
    offer: { value: { until: '1970-01-01T00:00:00.000Z' }, on: expect.any(String) as string },
  });
  expect(recordOf(second).pins).toEqual(recordOf(first).pins);
  expect(recordOf(third).pins).toEqual(recordOf(first).pins);
});

test('a round without answers does not compute the value again', async () => {
  let runs = 0;
  const quote = resolver({}, () => (runs += 1), { pin: z.number() });
  const approved = resolver({ quote }, (values) => confirm(`Buy for ${values.quote}?`), {
    asks: 'form',
  });
  const tool = defineTool('buy', { resolve: { quote, approved } }, (values) => `${values.quote}`);
  const sendRound = roundsOf(tool);
  let result = await sendRound();
  for (let round = 0; round < 3; round += 1) {
    result = await sendRound(answering(result, {}));
    expect(messagesOf(result)).toEqual({ approved: 'Buy for 1?' });
  }

  expect(textOf(await sendRound(answering(result, { approved: yes })))).toBe('1');
  expect(runs).toBe(1);
});

test('a token that is sent twice restores the same value both times', async () => {
  let market = 4700;
  const quote = resolver({}, () => (market += 100), { pin: z.number() });
  const approved = resolver({ quote }, (values) => confirm(`Buy for ${values.quote}?`), {
    asks: 'form',
  });
  const tool = defineTool('buy', { resolve: { quote, approved } }, (values) => `${values.quote}`);
  const sendRound = roundsOf(tool);
  const retry = answering(await sendRound(), { approved: yes });

  expect([textOf(await sendRound(retry)), textOf(await sendRound(retry))]).toEqual([
    '4800',
    '4800',
  ]);
});

test('a resolver that throws pins nothing, and the client can retry with its token', async () => {
  let down = true;
  const where = resolver({}, () => elicit('Where to?', Word), { asks: 'form' });
  const quote = resolver(
    { where },
    () => {
      if (down) throw new ToolError('the market is closed');
      return 4800;
    },
    { pin: z.number() },
  );
  const approved = resolver({ quote }, (values) => confirm(`Buy for ${values.quote}?`), {
    asks: 'form',
  });
  const sendRound = roundsOf(defineTool('buy', { resolve: { approved } }, () => 'bought'));
  const retry = answering(await sendRound(), { where: accept({ word: 'Ulm' }) });

  expect(errorTextOf(await sendRound(retry))).toBe(
    'Error executing tool buy: the market is closed',
  );
  down = false;
  expect(messagesOf(await sendRound(retry))).toEqual({ approved: 'Buy for 4800?' });
});

describe('a pinned resolver that asks', () => {
  const Cents = z.object({ cents: z.number() });
  /** Creates a tool that asks after a pinned resolver, and records the outcomes of that resolver. */
  const askAfter = (fn: () => ReturnType<typeof elicit<typeof Cents>> | { cents: number }) => {
    const seen: unknown[] = [];
    const price = resolver({}, fn, { asks: 'form', pin: Cents.strict(), name: 'price' });
    const look = resolver({ price: outcome(price) }, (values) => {
      seen.push(values.price);
      return values.price;
    });
    const sure = resolver({ look }, () => confirm('Sure?'), { asks: 'form' });
    const tool = defineTool('buy', { resolve: { sure, look } }, (values) =>
      JSON.stringify(values.look),
    );
    return { sendRound: roundsOf(tool), tool, seen };
  };

  test('stores its answer and pins nothing, so its function runs in every round', async () => {
    let runs = 0;
    const { sendRound, seen } = askAfter(() => {
      runs += 1;
      return elicit('How much?', Cents);
    });
    const first = await sendRound();
    const second = await sendRound(answering(first, { price: accept({ cents: 5, tip: 1 }) }));
    const third = await sendRound(answering(second, { sure: yes }));

    expect(recordOf(second)).toMatchObject({ outcomes: { price: { data: { cents: 5, tip: 1 } } } });
    expect(recordOf(second)).not.toHaveProperty('pins');
    const asked = { action: 'accept', data: { cents: 5 }, asked: true };
    expect(summaryOf(third)).toBe(JSON.stringify(asked));
    expect(seen).toEqual([asked, asked]);
    expect(runs).toBe(3);
  });

  test('stores a refusal and pins nothing', async () => {
    const { sendRound } = askAfter(() => elicit('How much?', Cents));
    const first = await sendRound();
    const second = await sendRound(answering(first, { price: decline() }));

    expect(recordOf(second)).toMatchObject({ outcomes: { price: { action: 'decline' } } });
    expect(recordOf(second)).not.toHaveProperty('pins');
    expect(summaryOf(await sendRound(answering(second, { sure: yes })))).toBe(
      '{"action":"decline"}',
    );
  });

  test('pins the value that it computes', async () => {
    let runs = 0;
    const { sendRound } = askAfter(() => ({ cents: (runs += 1) }));
    const first = await sendRound();

    expect(pinnedIn(first)).toEqual({ price: { cents: 1 } });
    expect(summaryOf(await sendRound(answering(first, { sure: yes })))).toBe(
      '{"action":"accept","data":{"cents":1},"asked":false}',
    );
  });

  test('pins the value that it computes in a later round', async () => {
    let known: number | undefined;
    let runs = 0;
    const { sendRound } = askAfter(() => {
      runs += 1;
      return known === undefined ? elicit('How much?', Cents) : { cents: (known += 1) };
    });
    const first = await sendRound();
    known = 6;
    const second = await sendRound(answering(first, { price: accept({ cents: 5 }) }));

    expect(messagesOf(second)).toEqual({ sure: 'Sure?' });
    expect(pinnedIn(second)).toEqual({ price: { cents: 7 } });
    expect(recordOf(second).outcomes).toEqual({});
    expect(summaryOf(await sendRound(answering(second, { sure: yes })))).toBe(
      '{"action":"accept","data":{"cents":7},"asked":false}',
    );
    expect(runs).toBe(2);
  });

  test('asks once on the legacy era', async () => {
    let runs = 0;
    const { tool } = askAfter(() => {
      runs += 1;
      return elicit('How much?', Cents);
    });
    const { result, pushed } = await callOnLegacy(tool, [accept({ cents: 5 }), yes]);

    expect(summaryOf(result)).toBe('{"action":"accept","data":{"cents":5},"asked":true}');
    expect(pushed).toHaveLength(2);
    expect(runs).toBe(1);
  });
});

test('a token is refused for other arguments, so its pinned value cannot be used with them', async () => {
  const Input = z.object({ sku: z.string() });
  const args = argsOf(Input);
  const quote = resolver({ sku: args.sku }, ({ sku }) => `price of ${sku}`, { pin: z.string() });
  const approved = resolver({ quote }, (values) => confirm(`${values.quote}?`), { asks: 'form' });
  const tool = defineTool(
    'buy',
    { inputSchema: Input, resolve: { quote, approved } },
    ({ sku, quote: text }) => `${sku}: ${text}`,
  );
  const sendRound = roundsOf(tool);
  const first = await sendRound({ args: { sku: 'A' } });

  await expect(
    sendRound({ args: { sku: 'B' }, ...answering(first, { approved: yes }) }),
  ).rejects.toThrow('Invalid or expired requestState');
  expect(
    textOf(await sendRound({ args: { sku: 'A' }, ...answering(first, { approved: yes }) })),
  ).toBe('A: price of A');
});
