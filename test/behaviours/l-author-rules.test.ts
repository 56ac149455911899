/** L. Determinism and idempotency: what the rules for authors come from. */
import { argsOf, defineTool, elicit, outcome, resolver, sample, ToolError } from 'mcp-resolve';
import { accept, decline } from 'mcp-resolve/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { questionsOf, textOf } from '../support/results.js';
import { httpHandler, serving } from '../support/servers.js';
import { post } from '../support/wire.js';

const Ok = z.object({ ok: z.boolean() });
const Sku = z.object({ sku: z.string() });
const Order = z.object({ order_id: z.string() });

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(eras)('%s', (era) => {
  test('L1: a question made of arguments and earlier answers is asked once', async () => {
    const sku = resolver({ id: argsOf(Order).order_id }, ({ id }) => elicit(`Item of ${id}?`, Sku));
    const sure = resolver({ id: argsOf(Order).order_id, sku }, ({ id, sku }) =>
      elicit(`Refund ${sku.sku} of ${id}?`, Ok),
    );
    const tool = defineTool(
      'refund',
      { inputSchema: Order, resolve: { sku, sure } },
      ({ order_id, sku }) => `refunded ${sku.sku} of ${order_id}`,
    );
    const chat = await connectClient(era, serving([tool]), {
      elicit: ({ message }) => accept(message.startsWith('Item') ? { sku: 'mug' } : { ok: true }),
    });

    expect(await chat.text('refund', { order_id: 'ORD-1' })).toBe('refunded mug of ORD-1');
    expect(chat.asked).toEqual(['Item of ORD-1?', 'Refund mug of ORD-1?']);
  });

  test('L4: a later resolver does not run when an earlier consumer ends the call', async () => {
    const effects: string[] = [];
    const scope = resolver({}, () => elicit('All of it?', Ok));
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
    const chat = await connectClient(era, serving([tool]), { elicit: [decline()] });

    expect(await chat.errorText('refund')).toContain("parameter 'scope'");
    expect(effects).toEqual([]);
  });

  test('L6: what a person typed is checked against the records before anything happens', async () => {
    const lines = resolver({}, () => ['canvas-tote']);
    const sku = resolver({}, () => elicit('Which item?', Sku));
    const item = resolver({ lines, sku }, ({ lines, sku }) => {
      if (!lines.includes(sku.sku)) throw new ToolError(`order has no item '${sku.sku}'`);
      return sku.sku;
    });
    const tool = defineTool('refund', { resolve: { item } }, ({ item }) => `refunded ${item}`);
    const chat = await connectClient(era, serving([tool]), {
      elicit: [accept({ sku: 'mystery-hat' }), accept({ sku: 'canvas-tote' })],
    });

    expect(await chat.errorText('refund')).toBe(
      "Error executing tool refund: order has no item 'mystery-hat'",
    );
    expect(await chat.text('refund')).toBe('refunded canvas-tote');
  });

  test('L8: what lives longer than a call is closed over, not resolved', async () => {
    let opened = 0;
    const open = () => ({ id: ++opened });
    const pool = open();
    const perCall = resolver({}, () => open());
    const tool = defineTool('pools', { resolve: { perCall } }, (v) => `${pool.id} ${v.perCall.id}`);
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('pools')).toBe('1 2');
    expect(await chat.text('pools')).toBe('1 3');
  });
});

test.each([
  ['a counter', () => (n: number) => `Round ${n}?`],
  ['a generated id', () => () => `Transaction ${crypto.randomUUID()}?`],
])(
  'L2: a question that contains %s is never answered, and the server says so once',
  async (_, make) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const wording = make();
    let asked = 0;
    const volatile = resolver({}, () => elicit(wording(++asked), Ok), { name: `volatile ${_}` });
    const tool = defineTool('drift', { resolve: { volatile } }, () => 'ran');
    const chat = await connectClient('modern', serving([tool]), {
      elicit: () => accept({ ok: true }),
      maxRounds: 4,
    });

    await expect(chat.call('drift')).rejects.toMatchObject({
      code: 'INPUT_REQUIRED_ROUNDS_EXCEEDED',
    });
    expect(chat.asked).toHaveLength(4);
    expect(new Set(chat.asked).size).toBe(4);
    expect(warn.mock.calls).toEqual([
      [
        `mcp-resolve: drift: the question 'volatile ${_}' changed after every answer; pin the value it shows`,
      ],
    ]);
  },
);

test('L2: a generated default that is kept out of questions does no harm', async () => {
  const Input = z.object({ request_id: z.string().default(() => crypto.randomUUID()) });
  const ask = resolver({}, () => elicit('Go?', Ok));
  const then = resolver({ ask }, () => elicit('Really?', Ok));
  const tool = defineTool('go', { inputSchema: Input, resolve: { then } }, () => 'went');
  const chat = await connectClient('modern', serving([tool]), {
    elicit: () => accept({ ok: true }),
  });

  expect(await chat.text('go')).toBe('went');
  expect(chat.asked).toEqual(['Go?', 'Really?']);
});

test('L3: code before an ask runs in every round, the body once', async () => {
  const effects = { before: 0, body: 0 };
  const ask = resolver({}, () => {
    effects.before += 1;
    return elicit('Go?', Ok);
  });
  const then = resolver({ ask }, () => elicit('Really?', Ok));
  const tool = defineTool('go', { resolve: { then } }, () => `${++effects.body}`);
  const chat = await connectClient('modern', serving([tool]), {
    elicit: () => accept({ ok: true }),
  });

  expect(await chat.text('go')).toBe('1');
  expect(effects).toEqual({ before: chat.requests(), body: 1 });
  expect(chat.requests()).toBe(3);
});

test('L5: a sample that renders differently in each round is paid for again', async () => {
  const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } } as const;
  const chainOf = (name: string, wording: () => string) => {
    const completion = resolver({}, () =>
      sample({
        messages: [{ role: 'user', content: { type: 'text', text: wording() } }],
        maxTokens: 5,
      }),
    );
    const ask = resolver({ completion }, () => elicit('Go?', Ok));
    return defineTool(name, { resolve: { ask } }, () => 'ran');
  };
  let tick = 0;
  const factory = serving([
    chainOf('stable', () => 'Hi'),
    chainOf('unstable', () => `Hi at ${Math.floor(++tick / 3)}`),
  ]);
  const person = { elicit: () => accept({ ok: true }), sample: () => sampled };

  const stable = await connectClient('modern', factory, person);
  expect(await stable.text('stable')).toBe('ran');
  expect(stable.asked).toEqual(['Hi', 'Go?']);
  const unstable = await connectClient('modern', factory, person);
  expect(await unstable.text('unstable')).toBe('ran');
  expect(unstable.asked).toEqual(['Hi at 0', 'Go?', 'Hi at 1', 'Go?']);
});

test('L7: a header is what the client says, identity is what the authorization layer says', async () => {
  const user = resolver({}, (_, ctx) => ctx.http?.authInfo?.clientId ?? 'nobody');
  const tool = defineTool('whoami', { resolve: { user } }, ({ user }) => user);
  const handler = httpHandler(serving([tool]));
  const headers = { authorization: 'Bearer forged', 'x-user': 'admin' };
  const { body } = await post(
    handler,
    'tools/call',
    { name: 'whoami', arguments: {} },
    { headers },
  );

  expect(body.result?.content).toEqual([{ type: 'text', text: 'nobody' }]);
});

test('L9: a client can invent an answer to a question it was asked: nothing can tell', async () => {
  const ask = resolver({}, () => elicit('Go?', Ok));
  const tool = defineTool('go', { resolve: { ask } }, ({ ask }) => `went ${ask.ok}`);
  const chat = await connectClient('modern', serving([tool]), { elicit: [] });
  const { requestState } = questionsOf(await chat.sendRound('go'));
  const inputResponses = { ask: accept({ ok: true }) };

  expect(textOf(await chat.sendRound('go', {}, { requestState, inputResponses }))).toBe(
    'went true',
  );
  expect(chat.asked).toEqual([]);
});

test('L10: when the world has moved and the value can be computed, the answer is not used', async () => {
  let copies = 0;
  const backorder = resolver({}, () => (copies > 0 ? { ok: false } : elicit('Back-order?', Ok)));
  const tool = defineTool('order_book', { resolve: { backorder } }, ({ backorder }) =>
    backorder.ok ? 'back-ordered' : 'ordered',
  );
  const chat = await connectClient('modern', serving([tool]), {
    elicit: () => {
      copies = 3;
      return accept({ ok: true });
    },
  });

  expect(await chat.text('order_book')).toBe('ordered');
  expect(chat.asked).toEqual(['Back-order?']);
});
