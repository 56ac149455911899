/** B. Schema hiding and client-supplied values. */
import { fromJsonSchema, McpServer, Server } from '@modelcontextprotocol/server';
import { type } from 'arktype';
import { arg, argsOf, defineTool, elicit, install, outcome, resolver } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { questionsOf, textOf } from '../support/results.js';
import { serving } from '../support/servers.js';

const Title = z.object({ title: z.string() });
const args = argsOf(Title);
const Ok = z.object({ ok: z.boolean() });

describe.each(eras)('%s', (era) => {
  test('B1: a resolved parameter is absent from the advertised schema', async () => {
    const stock = resolver({ title: args.title }, () => 7);
    const reserve = defineTool(
      'reserve_book',
      { inputSchema: Title, resolve: { stock } },
      ({ title, stock }) => `${title} ${stock}`,
    );
    const chat = await connectClient(era, serving([reserve]));

    const [tool] = (await chat.client.listTools()).tools;
    expect(tool?.inputSchema).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
    });
  });

  test('B1: a tool without arguments advertises an empty object', async () => {
    const stock = resolver({}, () => 7);
    const count = defineTool('count', { resolve: { stock } }, ({ stock }) => `${stock}`);
    const chat = await connectClient(era, serving([count]));

    const [tool] = (await chat.client.listTools()).tools;
    expect(tool?.inputSchema).toMatchObject({ type: 'object', properties: {} });
    expect(tool?.inputSchema.required ?? []).toEqual([]);
    expect(await chat.text('count', { stock: 999, anything: 1 })).toBe('7');
  });

  test('B2, B5, B6: refund_order advertises order_id and reason alone, however deep its graph', async () => {
    const RefundInput = z.object({ order_id: z.string(), reason: z.string() });
    const refund = argsOf(RefundInput);
    const order = resolver({ id: refund.order_id }, ({ id }) => ({ id, cents: 1500 }));
    const scope = resolver({ id: refund.order_id, order }, () => elicit('All of it?', Ok));
    const cents = resolver({ order, scope }, ({ order }) => order.cents);
    const restock = resolver({ order, scope }, (_, ctx) => ctx.canAsk('form'));
    const refundOrder = defineTool(
      'refund_order',
      { inputSchema: RefundInput, resolve: { cents, restock: outcome(restock) } },
      ({ cents }) => `${cents}`,
    );
    const chat = await connectClient(era, serving([refundOrder]));

    const { tools } = await chat.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['refund_order']);
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['order_id', 'reason']);
    expect(tools[0]?.inputSchema.required).toEqual(['order_id', 'reason']);
  });

  test('B3: a value that the caller supplies for a resolved parameter is dropped', async () => {
    const seen: unknown[] = [];
    const price = resolver({ title: args.title }, (values) => {
      seen.push(values);
      return 42;
    });
    const quote = defineTool('quote', { inputSchema: Title, resolve: { price } }, (values) => {
      seen.push(values);
      return `${values.title}: ${values.price}`;
    });
    const chat = await connectClient(era, serving([quote]));

    expect(await chat.text('quote', { title: 'Dune', price: 999 })).toBe('Dune: 42');
    expect(seen).toEqual([{ title: 'Dune' }, { title: 'Dune', price: 42 }]);
  });

  test.each([
    ['strict', z.strictObject({ title: z.string() })],
    ['loose', z.looseObject({ title: z.string() })],
    ['catch-all', z.object({ title: z.string() }).catchall(z.unknown())],
    ['closed arktype', type({ title: 'string', '+': 'reject' })],
    ['open arktype', type({ title: 'string' })],
    [
      'closed JSON Schema',
      fromJsonSchema<{ title: string }>({
        type: 'object',
        properties: { title: { type: 'string' } },
        required: ['title'],
        additionalProperties: false,
      }),
    ],
  ])('B4: it is dropped whatever the strictness of the schema: %s', async (_, inputSchema) => {
    const price = resolver({ title: arg<string>() }, () => 42);
    const quote = defineTool(
      'quote',
      { inputSchema: inputSchema as typeof Title, resolve: { price } },
      (values) => JSON.stringify(values),
    );
    const chat = await connectClient(era, serving([quote]));

    expect(await chat.text('quote', { title: 'Dune', price: 999 })).toBe(
      '{"title":"Dune","price":42}',
    );
  });

  test('B4: an unknown argument is still what the schema says it is', async () => {
    const price = resolver({ title: arg<string>() }, () => 42);
    const Strict = z.strictObject({ title: z.string() });
    const quote = defineTool('quote', { inputSchema: Strict, resolve: { price } }, () => 'ran');
    const chat = await connectClient(era, serving([quote]));

    expect(await chat.errorText('quote', { title: 'Dune', other: 1 })).toContain(
      'Unrecognized key: "other"',
    );
  });

  test('B7: arguments are validated once a round, and everybody sees the same generated default', async () => {
    let generated = 0;
    const Input = z.object({ id: z.number().default(() => ++generated) });
    const echo = resolver({ id: argsOf(Input).id }, ({ id }) => id);
    const tool = defineTool(
      'ids',
      { inputSchema: Input, resolve: { echo } },
      ({ id, echo }) => `${id}:${echo}`,
    );
    const chat = await connectClient(era, serving([tool]));
    await chat.client.listTools(); // zod generates a default to describe the schema
    const before = generated;

    expect(await chat.text('ids')).toBe(`${before + 1}:${before + 1}`);
    expect(generated).toBe(before + 1);
  });

  test('B8: invalid arguments fail the call before any resolver runs', async () => {
    let runs = 0;
    const ask = resolver({ title: args.title }, () => {
      runs += 1;
      return elicit('Really?', Ok);
    });
    const tool = defineTool('order', { inputSchema: Title, resolve: { ask } }, () => 'ordered');
    const chat = await connectClient(era, serving([tool]), { elicit: [] });

    expect(await chat.errorText('order', { title: 7 })).toBe(
      'Input validation error: Invalid arguments for tool order: title: Invalid input: expected string, received number',
    );
    expect(runs).toBe(0);
    expect(chat.asked).toEqual([]);
  });

  test('B8: on a low-level server the words are the same', async () => {
    const tool = defineTool('order', { inputSchema: Title }, () => 'ordered');
    const factory = () => {
      const server = new Server({ name: 'low', version: '1.0.0' }, {});
      install(server, [tool]);
      return server;
    };
    const chat = await connectClient(era, factory);

    expect(await chat.errorText('order', { title: 7 })).toBe(
      'Input validation error: Invalid arguments for tool order: title: Invalid input: expected string, received number',
    );
  });

  test('B9: an omitted optional argument reaches a resolver as its default, by its wire name', async () => {
    const Input = z.object({ schema: z.string().default('gpt'), note: z.string().optional() });
    const upper = resolver({ schema: arg<string>() }, ({ schema }) => schema.toUpperCase());
    const noted = resolver(
      { note: arg<string | undefined>() },
      ({ note }) => note ?? 'nothing noted',
    );
    const tool = defineTool(
      'model',
      { inputSchema: Input, resolve: { upper, noted } },
      ({ upper, noted }) => `${upper}, ${noted}`,
    );
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('model')).toBe('GPT, nothing noted');
    expect(await chat.text('model', { schema: 'o1', note: 'x' })).toBe('O1, x');
  });

  test('B9: arguments with the names of inherited members are ordinary arguments', async () => {
    const Input = z.object({ constructor: z.string(), toString: z.string() });
    const odd = argsOf(Input);
    const read = resolver(
      { one: odd.constructor, two: odd.toString },
      ({ one, two }) => `${one} ${two}`,
    );
    const tool = defineTool('odd', { inputSchema: Input, resolve: { read } }, ({ read }) => read);
    const chat = await connectClient(era, serving([tool]));

    expect(await chat.text('odd', { constructor: 'ada', toString: 'text' })).toBe('ada text');
  });

  test('B10: a result has structured content and its JSON text, and passes the output schema', async () => {
    const Receipt = z.object({ title: z.string(), cents: z.number() });
    const cents = resolver({ title: args.title }, ({ title }) => (title === 'bad' ? NaN : 1500));
    const tool = defineTool(
      'refund',
      { inputSchema: Title, outputSchema: Receipt, resolve: { cents } },
      ({ title, cents }) => ({ title, cents, secret: 'kept' }),
    );
    const chat = await connectClient(era, serving([tool]));
    await chat.client.listTools();

    expect(await chat.call('refund', { title: 'Dune' })).toMatchObject({
      content: [{ type: 'text', text: '{"title":"Dune","cents":1500}' }],
      structuredContent: { title: 'Dune', cents: 1500 },
    });
    expect(await chat.errorText('refund', { title: 'bad' })).toMatch(
      /^Error executing tool refund: the result does not match outputSchema: cents: /,
    );
  });

  test('B10: a tool with an output schema may ask', async () => {
    const Receipt = z.object({ ok: z.boolean() });
    const ask = resolver({}, () => elicit('Refund?', Ok));
    const tool = defineTool('refund', { outputSchema: Receipt, resolve: { ask } }, ({ ask }) => ({
      ok: ask.ok,
    }));
    const chat = await connectClient(era, serving([tool]), { elicit: () => accept({ ok: true }) });
    await chat.client.listTools();

    expect(await chat.call('refund')).toMatchObject({ structuredContent: { ok: true } });
    expect(chat.asked).toEqual(['Refund?']);
  });
});

test('B7: a default is generated anew for each round, and the state does not mind', async () => {
  let generated = 0;
  const Input = z.object({ id: z.string().default(() => `id-${++generated}`) });
  const ask = resolver({}, () => elicit('Go?', Ok));
  const echo = resolver({ id: argsOf(Input).id, ask }, ({ id }) => id);
  const tool = defineTool(
    'ids',
    { inputSchema: Input, resolve: { echo } },
    ({ id, echo }) => `${id === echo}`,
  );
  const chat = await connectClient('modern', serving([tool]), { elicit: [accept({ ok: true })] });
  await chat.client.listTools(); // zod generates a default to describe the schema
  const before = generated;

  expect(await chat.text('ids')).toBe('true');
  expect(generated).toBe(before + 2);
});

test('B10: an input_required round skips output validation on a low-level server too', async () => {
  const ask = resolver({}, () => elicit('Refund?', Ok));
  const tool = defineTool('refund', { outputSchema: Ok, resolve: { ask } }, ({ ask }) => ask);
  const factory = () => {
    const server = new Server({ name: 'low', version: '1.0.0' }, {});
    install(server, [tool]);
    return server;
  };
  const chat = await connectClient('modern', factory, { elicit: [] });
  const first = questionsOf(await chat.sendRound('refund'));

  expect(first.keys).toEqual(['ask']);
  const { requestState } = first;
  const inputResponses = { ask: accept({ ok: false }) };
  const last = await chat.sendRound('refund', {}, { requestState, inputResponses });
  expect(textOf(last)).toBe('{"ok":false}');
  expect(last.structuredContent).toEqual({ ok: false });
});

test.each(eras)('B1: what the SDK registers beside ours is listed unchanged (%s)', async (era) => {
  const stock = resolver({ title: args.title }, () => 7);
  const ours = defineTool(
    'ours',
    {
      title: 'Ours',
      description: 'One of ours',
      annotations: { readOnlyHint: true },
      _meta: { 'example.com/k': 'v' },
      inputSchema: Title,
      resolve: { stock },
    },
    () => 'ours',
  );
  const theirs = (server: McpServer) =>
    server.registerTool(
      'theirs',
      {
        title: 'Ours',
        description: 'One of ours',
        annotations: { readOnlyHint: true },
        _meta: { 'example.com/k': 'v' },
        inputSchema: Title,
      },
      () => ({ content: [] }),
    );
  const factory = () => {
    const server = new McpServer({ name: 'mixed', version: '1.0.0' });
    install(server, [ours]);
    theirs(server);
    return server;
  };
  const lowFactory = () => {
    const server = new Server({ name: 'low', version: '1.0.0' }, {});
    install(server, [ours]);
    return server;
  };
  const [mine, yours] = (await (await connectClient(era, factory)).client.listTools()).tools;
  const [low] = (await (await connectClient(era, lowFactory)).client.listTools()).tools;

  expect({ ...mine, name: 'theirs' }).toEqual(yours);
  expect(low).toEqual(mine);
});
