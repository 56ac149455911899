/** L. Determinism and idempotency: the behaviour behind the rules for authors. */
import { argsOf, defineTool, elicit, outcome, resolver, sample, ToolError } from 'mcp-resolve';
import { accept, decline, run, says } from 'mcp-resolve/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { questionsOf, textOf } from '../support/results.js';
import { serving } from '../support/rounds.js';

const Ok = z.object({ ok: z.boolean() });
const Sku = z.object({ sku: z.string() });
const Order = z.object({ order_id: z.string() });

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(eras)('on the %s era', (era) => {
  test('L1: asks a question once if it quotes only arguments and earlier answers', async () => {
    const sku = resolver(
      { id: argsOf(Order).order_id },
      ({ id }) => elicit(`Item of ${id}?`, Sku),
      { asks: 'form' },
    );
    const sure = resolver(
      { id: argsOf(Order).order_id, sku },
      ({ id, sku }) => elicit(`Refund ${sku.sku} of ${id}?`, Ok),
      { asks: 'form' },
    );
    const tool = defineTool(
      'refund',
      { inputSchema: Order, resolve: { sku, sure } },
      ({ order_id, sku }) => `refunded ${sku.sku} of ${order_id}`,
    );
    const answers = { sku: accept({ sku: 'mug' }), sure: accept({ ok: true }) };
    const { text, questions } = await run(tool, { order_id: 'ORD-1' }, { era, answers });

    expect(text).toBe('refunded mug of ORD-1');
    expect(questions.map(({ message }) => message)).toEqual([
      'Item of ORD-1?',
      'Refund mug of ORD-1?',
    ]);
  });

  test('L4: does not run a later resolver if a refusal ends the call before it', async () => {
    const effects: string[] = [];
    const scope = resolver({}, () => elicit('All of it?', Ok), { asks: 'form' });
    const cents = resolver({ scope }, () => 1);
    const restock = resolver({ scope }, () => {
      effects.push('restocked');
      return true;
    });
    const tool = defineTool(
      'refund',
      { resolve: { cents, restock: outcome(restock) } },
      () => 'ran',
    );
    const { isError, text, ran } = await run(tool, {}, { era, answers: { scope: decline() } });

    expect(isError).toBe(true);
    expect(text).toContain("parameter 'scope'");
    expect(ran.restock).toBe(0);
    expect(effects).toEqual([]);
  });

  test('L6: can check an answer against the records before the body runs', async () => {
    const lines = resolver({}, () => ['canvas-tote']);
    const sku = resolver({}, () => elicit('Which item?', Sku), { asks: 'form' });
    const item = resolver({ lines, sku }, ({ lines, sku }) => {
      if (!lines.includes(sku.sku)) throw new ToolError(`order has no item '${sku.sku}'`);
      return sku.sku;
    });
    const tool = defineTool('refund', { resolve: { item } }, ({ item }) => `refunded ${item}`);
    const refund = (wanted: string) =>
      run(tool, {}, { era, answers: { sku: accept({ sku: wanted }) } });

    expect(await refund('mystery-hat')).toMatchObject({
      isError: true,
      text: "Error executing tool refund: order has no item 'mystery-hat'",
    });
    expect((await refund('canvas-tote')).text).toBe('refunded canvas-tote');
  });

  test('L8: resolves a value in each call, and shares a value that the body closes over', async () => {
    let opened = 0;
    const open = () => ({ id: ++opened });
    const pool = open();
    const perCall = resolver({}, () => open());
    const tool = defineTool('pools', { resolve: { perCall } }, (v) => `${pool.id} ${v.perCall.id}`);
    const { text } = await connectClient(era, serving(tool));

    expect(await text('pools')).toBe('1 2');
    expect(await text('pools')).toBe('1 3');
  });
});

test.each([
  ['a counter', () => (n: number) => `Round ${n}?`],
  ['a generated id', () => () => `Transaction ${crypto.randomUUID()}?`],
])(
  'L2: accepts no answer to a question that contains %s, and logs one warning',
  async (content, make) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const wording = make();
    let asked = 0;
    const volatile = resolver({}, () => elicit(wording(++asked), Ok), {
      asks: 'form',
      name: `volatile ${content}`,
    });
    const tool = defineTool('drift', { resolve: { volatile } }, () => 'ran');
    const client = await connectClient('modern', serving(tool), {
      elicit: () => accept({ ok: true }),
      maxRounds: 4,
    });

    await expect(client.call('drift')).rejects.toMatchObject({
      code: 'INPUT_REQUIRED_ROUNDS_EXCEEDED',
    });
    expect(client.asked).toHaveLength(4);
    expect(new Set(client.asked).size).toBe(4);
    expect(warn.mock.calls).toEqual([
      [
        `mcp-resolve: 'drift': the question 'volatile ${content}' changed after every answer. Pin the value that it shows.`,
      ],
    ]);
  },
);

test('L2: asks each question once if a generated default is not part of it', async () => {
  const Input = z.object({ request_id: z.string().default(() => crypto.randomUUID()) });
  const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
  const then = resolver({ ask }, () => elicit('Really?', Ok), { asks: 'form' });
  const tool = defineTool('go', { inputSchema: Input, resolve: { then } }, () => 'went');
  const { text, questions } = await run(tool, {}, { answers: () => accept({ ok: true }) });

  expect(text).toBe('went');
  expect(questions.map(({ message }) => message)).toEqual(['Go?', 'Really?']);
});

test('L3: runs the code before a question in every round, and the body once', async () => {
  const effects = { before: 0, body: 0 };
  const ask = resolver(
    {},
    () => {
      effects.before += 1;
      return elicit('Go?', Ok);
    },
    { asks: 'form' },
  );
  const then = resolver({ ask }, () => elicit('Really?', Ok), { asks: 'form' });
  const tool = defineTool('go', { resolve: { then } }, () => `${++effects.body}`);
  const { text, requests } = await connectClient('modern', serving(tool), {
    elicit: () => accept({ ok: true }),
  });

  expect(await text('go')).toBe('1');
  expect(effects).toEqual({ before: requests(), body: 1 });
  expect(requests()).toBe(3);
});

test('L5: asks the model again if its question changes between rounds', async () => {
  const chainOf = (name: string, wording: () => string) => {
    const completion = resolver(
      {},
      () =>
        sample({
          messages: [{ role: 'user', content: { type: 'text', text: wording() } }],
          maxTokens: 5,
        }),
      { asks: 'sample' },
    );
    const ask = resolver({ completion }, () => elicit('Go?', Ok), { asks: 'form' });
    return defineTool(name, { resolve: { ask } }, () => 'ran');
  };
  let tick = 0;
  const answers = { completion: says('x'), ask: accept({ ok: true }) };
  const stable = await run(
    chainOf('stable', () => 'Hi'),
    {},
    { answers },
  );
  const unstable = await run(
    chainOf('unstable', () => `Hi at ${Math.floor(++tick / 3)}`),
    {},
    { answers },
  );

  expect(stable.text).toBe('ran');
  expect(stable.questions.map(({ message }) => message)).toEqual(['Hi', 'Go?']);
  expect(unstable.text).toBe('ran');
  expect(unstable.questions.map(({ message }) => message)).toEqual([
    'Hi at 0',
    'Go?',
    'Hi at 1',
    'Go?',
  ]);
});

test('L7: takes the identity from the authorization layer, not from a header', async () => {
  const user = resolver({}, (_, ctx) => ctx.http?.authInfo?.clientId ?? 'anonymous');
  const tool = defineTool('whoami', { resolve: { user } }, ({ user }) => user);
  const headers = { authorization: 'Bearer forged', 'x-user': 'admin' };

  expect((await run(tool, {}, { headers })).text).toBe('anonymous');
  expect((await run(tool, {}, { headers, authInfo: { clientId: 'ann' } })).text).toBe('ann');
});

test('L9: accepts an answer that the client invents, because it looks like any other', async () => {
  const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
  const tool = defineTool('go', { resolve: { ask } }, ({ ask }) => `went ${ask.ok}`);
  const client = await connectClient('modern', serving(tool), { elicit: [] });
  const { requestState } = questionsOf(await client.sendRound('go'));
  const inputResponses = { ask: accept({ ok: true }) };

  expect(textOf(await client.sendRound('go', {}, { requestState, inputResponses }))).toBe(
    'went true',
  );
  expect(client.asked).toEqual([]);
});

test('L10: ignores the answer if the resolver can compute the value by then', async () => {
  let copies = 0;
  const backorder = resolver({}, () => (copies > 0 ? { ok: false } : elicit('Back-order?', Ok)), {
    asks: 'form',
  });
  const tool = defineTool('order_book', { resolve: { backorder } }, ({ backorder }) =>
    backorder.ok ? 'back-ordered' : 'ordered',
  );
  const backorderAfterDelivery = () => {
    copies = 3;
    return accept({ ok: true });
  };
  const answers = { backorder: backorderAfterDelivery };
  const { text, questions } = await run(tool, {}, { answers });

  expect(text).toBe('ordered');
  expect(questions.map(({ message }) => message)).toEqual(['Back-order?']);
});
