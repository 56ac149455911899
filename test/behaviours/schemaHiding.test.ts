/** B. Hidden parameters, and the arguments that a client sends. */
import { fromJsonSchema, McpServer, Server } from '@modelcontextprotocol/server';
import { type } from 'arktype';
import { arg, argsOf, defineTool, elicit, install, outcome, resolver } from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { questionsOf, textOf } from '../support/results.js';
import { serving, type Factory } from '../support/servers.js';

const Title = z.object({ title: z.string() });
const args = argsOf(Title);
const Ok = z.object({ ok: z.boolean() });

const info = { name: 'hiding', version: '1.0.0' };

/** Creates low-level servers that have only this tool. */
const servingLowLevel = (tool: Tool) => () => {
  const server = new Server(info, {});
  install(server, [tool]);
  return server;
};

describe.each(eras)('on the %s era', (era) => {
  test('B1: a resolved parameter is absent from the advertised schema', async () => {
    const stock = resolver({ title: args.title }, () => 7);
    const reserve = defineTool(
      'reserve_book',
      { inputSchema: Title, resolve: { stock } },
      ({ title, stock }) => `${title} ${stock}`,
    );
    const { client } = await connectClient(era, serving([reserve]));

    const [tool] = (await client.listTools()).tools;
    expect(tool?.inputSchema).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
    });
  });

  test('B1: a tool without arguments advertises an empty object schema', async () => {
    const stock = resolver({}, () => 7);
    const count = defineTool('count', { resolve: { stock } }, ({ stock }) => `${stock}`);
    const { client, text } = await connectClient(era, serving([count]));

    const [tool] = (await client.listTools()).tools;
    expect(tool?.inputSchema).toMatchObject({ type: 'object', properties: {} });
    expect(tool?.inputSchema.required ?? []).toEqual([]);
    expect(await text('count', { stock: 999, anything: 1 })).toBe('7');
  });

  test('B2, B5, B6: refund_order advertises only order_id and reason, whatever its resolvers need', async () => {
    const RefundInput = z.object({ order_id: z.string(), reason: z.string() });
    const refund = argsOf(RefundInput);
    const order = resolver({ id: refund.order_id }, ({ id }) => ({ id, cents: 1500 }));
    const scope = resolver({ id: refund.order_id, order }, () => elicit('All of it?', Ok), {
      asks: 'form',
    });
    const cents = resolver({ order, scope }, ({ order }) => order.cents);
    const restock = resolver({ order, scope }, (_, ctx) => ctx.canAsk('form'));
    const refundOrder = defineTool(
      'refund_order',
      { inputSchema: RefundInput, resolve: { cents, restock: outcome(restock) } },
      ({ cents }) => `${cents}`,
    );
    const { client } = await connectClient(era, serving([refundOrder]));

    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['refund_order']);
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['order_id', 'reason']);
    expect(tools[0]?.inputSchema.required).toEqual(['order_id', 'reason']);
  });

  test('B3: drops a value that the client sends for a resolved parameter', async () => {
    const seen: unknown[] = [];
    const price = resolver({ title: args.title }, (values) => {
      seen.push(values);
      return 42;
    });
    const quote = defineTool('quote', { inputSchema: Title, resolve: { price } }, (values) => {
      seen.push(values);
      return `${values.title}: ${values.price}`;
    });
    const { text } = await connectClient(era, serving([quote]));

    expect(await text('quote', { title: 'Dune', price: 999 })).toBe('Dune: 42');
    expect(seen).toEqual([{ title: 'Dune' }, { title: 'Dune', price: 42 }]);
  });

  test.each([
    ['a strict schema', z.strictObject({ title: z.string() })],
    ['a loose schema', z.looseObject({ title: z.string() })],
    ['a catch-all schema', z.object({ title: z.string() }).catchall(z.unknown())],
    ['a closed arktype', type({ title: 'string', '+': 'reject' })],
    ['an open arktype', type({ title: 'string' })],
    [
      'a closed JSON Schema',
      fromJsonSchema<{ title: string }>({
        type: 'object',
        properties: { title: { type: 'string' } },
        required: ['title'],
        additionalProperties: false,
      }),
    ],
  ])(
    'B4: drops a value that the client sends for a resolved parameter under %s',
    async (_, inputSchema) => {
      const price = resolver({ title: arg<string>() }, () => 42);
      const quote = defineTool(
        'quote',
        { inputSchema: inputSchema as typeof Title, resolve: { price } },
        (values) => JSON.stringify(values),
      );
      const { text } = await connectClient(era, serving([quote]));

      expect(await text('quote', { title: 'Dune', price: 999 })).toBe(
        '{"title":"Dune","price":42}',
      );
    },
  );

  test('B4: a strict schema still refuses an unknown argument', async () => {
    const price = resolver({ title: arg<string>() }, () => 42);
    const Strict = z.strictObject({ title: z.string() });
    const quote = defineTool('quote', { inputSchema: Strict, resolve: { price } }, () => 'ran');
    const { errorText } = await connectClient(era, serving([quote]));

    expect(await errorText('quote', { title: 'Dune', other: 1 })).toContain(
      'Unrecognized key: "other"',
    );
  });

  test('B7: arguments are validated once, so resolvers and body share a generated default', async () => {
    let generated = 0;
    const Input = z.object({ id: z.number().default(() => ++generated) });
    const echo = resolver({ id: argsOf(Input).id }, ({ id }) => id);
    const tool = defineTool(
      'ids',
      { inputSchema: Input, resolve: { echo } },
      ({ id, echo }) => `${id}:${echo}`,
    );
    const { client, text } = await connectClient(era, serving([tool]));
    await client.listTools(); // zod generates a default to describe the schema
    const before = generated;

    expect(await text('ids')).toBe(`${before + 1}:${before + 1}`);
    expect(generated).toBe(before + 1);
  });

  test.each<[string, (tool: Tool) => Factory]>([
    ['an McpServer', (tool) => serving([tool])],
    ['a low-level Server', servingLowLevel],
  ])('B8: invalid arguments fail the call before any resolver runs on %s', async (_, servingOn) => {
    let runs = 0;
    const ask = resolver(
      { title: args.title },
      () => {
        runs += 1;
        return elicit('Really?', Ok);
      },
      { asks: 'form' },
    );
    const tool = defineTool('order', { inputSchema: Title, resolve: { ask } }, () => 'ordered');
    const client = await connectClient(era, servingOn(tool), { elicit: [] });

    expect(await client.errorText('order', { title: 7 })).toBe(
      'Input validation error: Invalid arguments for tool order: title: Invalid input: expected string, received number',
    );
    expect(runs).toBe(0);
    expect(client.asked).toEqual([]);
  });

  test('B9: a resolver receives the default of an omitted argument', async () => {
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

    expect(await run(tool, {}, { era })).toMatchObject({ text: 'GPT, nothing noted' });
    expect(await run(tool, { schema: 'o1', note: 'x' }, { era })).toMatchObject({ text: 'O1, x' });
  });

  test('B9: arguments can be named like inherited properties', async () => {
    const Input = z.object({ constructor: z.string(), toString: z.string() });
    const odd = argsOf(Input);
    const read = resolver(
      { one: odd.constructor, two: odd.toString },
      ({ one, two }) => `${one} ${two}`,
    );
    const tool = defineTool('odd', { inputSchema: Input, resolve: { read } }, ({ read }) => read);

    expect(await run(tool, { constructor: 'ada', toString: 'b' }, { era })).toMatchObject({
      text: 'ada b',
    });
  });

  test('B10: a result has structured content and its JSON, and must match the output schema', async () => {
    const Receipt = z.object({ title: z.string(), cents: z.number() });
    const cents = resolver({ title: args.title }, ({ title }) => (title === 'bad' ? NaN : 1500));
    const tool = defineTool(
      'refund',
      { inputSchema: Title, outputSchema: Receipt, resolve: { cents } },
      ({ title, cents }) => ({ title, cents, secret: 'kept' }),
    );
    const { client, call } = await connectClient(era, serving([tool]));
    await client.listTools();

    expect(await call('refund', { title: 'Dune' })).toMatchObject({
      content: [{ type: 'text', text: '{"title":"Dune","cents":1500}' }],
      structuredContent: { title: 'Dune', cents: 1500 },
    });
    expect(await run(tool, { title: 'bad' }, { era })).toMatchObject({
      text: 'Error executing tool refund',
      cause: new Error("The result of 'refund' does not match `outputSchema` (field 'cents')."),
    });
  });

  test('B10: a tool with an output schema can ask', async () => {
    const Receipt = z.object({ ok: z.boolean() });
    const ask = resolver({}, () => elicit('Refund?', Ok), { asks: 'form' });
    const tool = defineTool('refund', { outputSchema: Receipt, resolve: { ask } }, ({ ask }) => ({
      ok: ask.ok,
    }));
    const answers = { ask: accept({ ok: true }) };

    expect(await run(tool, {}, { era, answers })).toMatchObject({
      structured: { ok: true },
      questions: [{ message: 'Refund?' }],
    });
  });
});

test('B7: each round generates a new default, and the state stays valid', async () => {
  let generated = 0;
  const Input = z.object({ id: z.string().default(() => `id-${++generated}`) });
  const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
  const echo = resolver({ id: argsOf(Input).id, ask }, ({ id }) => id);
  const tool = defineTool(
    'ids',
    { inputSchema: Input, resolve: { echo } },
    ({ id, echo }) => `${id === echo}`,
  );
  const { client, text } = await connectClient('modern', serving([tool]), {
    elicit: [accept({ ok: true })],
  });
  await client.listTools(); // zod generates a default to describe the schema
  const before = generated;

  expect(await text('ids')).toBe('true');
  expect(generated).toBe(before + 2);
});

describe.each<[string, (tool: Tool) => Factory]>([
  ['an McpServer', (tool) => serving([tool])],
  ['a low-level Server', servingLowLevel],
])('the defaults that %s advertises', (_, servingOn) => {
  /** Lists a tool with these fields in both schemas. */
  async function advertised(fields: z.ZodRawShape): Promise<unknown[]> {
    const schema = z.object(fields);
    const config = { inputSchema: schema, outputSchema: schema };
    const tool = defineTool('t', config, (values) => values);
    clock += 1;
    const { client } = await connectClient('modern', servingOn(tool));
    const [listed] = (await client.listTools()).tools;
    return [listed?.inputSchema.properties, listed?.outputSchema?.properties];
  }
  let clock = 0;

  test('B11: contain constants', async () => {
    const fields = {
      limit: z.int().default(10),
      order: z.object({ by: z.string() }).default({ by: 'date' }),
    };
    for (const properties of await advertised(fields))
      expect(properties).toMatchObject({
        limit: { default: 10 },
        order: { type: 'object', default: { by: 'date' } },
      });
  });

  test('B11: do not contain generated values, at any depth', async () => {
    const id = z.string().default(() => crypto.randomUUID());
    const fields = {
      id,
      at: z.int().default(() => clock), // stays the same for a while, as a time does
      nested: z.array(z.object({ id, kept: z.string().default('a') })),
      default: z.object({ id }),
    };
    for (const properties of await advertised(fields)) {
      expect(properties).toMatchObject({
        id: { type: 'string' },
        at: { type: 'integer' },
        nested: { items: { properties: { kept: { default: 'a' } } } },
        default: { type: 'object', properties: { id: { type: 'string' } } },
      });
      expect(JSON.stringify(properties).match(/"default":/g)).toHaveLength(2);
    }
  });
});

test('B11: a definition generates a default once', async () => {
  let generated = 0;
  const Input = z.object({ id: z.number().default(() => ++generated) });
  const echo = resolver({ id: argsOf(Input).id }, ({ id }) => id);
  const tool = defineTool('ids', { inputSchema: Input, resolve: { echo } }, () => 'done');
  expect(generated).toBe(1);

  // The first list converts the input once more, to see which defaults change.
  for (const _ of eras) await (await connectClient('modern', serving([tool]))).client.listTools();
  expect(generated).toBe(2);
});

test('B10: a round that asks skips the output schema on a low-level server', async () => {
  const ask = resolver({}, () => elicit('Refund?', Ok), { asks: 'form' });
  const tool = defineTool('refund', { outputSchema: Ok, resolve: { ask } }, ({ ask }) => ask);
  const { sendRound } = await connectClient('modern', servingLowLevel(tool), { elicit: [] });
  const { keys, requestState } = questionsOf(await sendRound('refund'));

  expect(keys).toEqual(['ask']);
  const inputResponses = { ask: accept({ ok: false }) };
  const last = await sendRound('refund', {}, { requestState, inputResponses });
  expect(textOf(last)).toBe('{"ok":false}');
  expect(last.structuredContent).toEqual({ ok: false });
});

test.each(eras)(
  'B1: a tool is listed as the SDK lists its own, on both kinds of server (%s)',
  async (era) => {
    const config = {
      title: 'Stock',
      description: 'Counts the copies of a book',
      annotations: { readOnlyHint: true },
      _meta: { 'example.com/k': 'v' },
      inputSchema: Title,
    };
    const stock = resolver({ title: args.title }, () => 7);
    const ours = defineTool('ours', { ...config, resolve: { stock } }, () => 'ours');
    const factory = () => {
      const server = new McpServer(info);
      install(server, [ours]);
      server.registerTool('theirs', config, () => ({ content: [] }));
      return server;
    };
    const list = async (on: Factory) => {
      const { client } = await connectClient(era, on);
      return (await client.listTools()).tools;
    };
    const [installed, registered] = await list(factory);
    const [installedLowLevel] = await list(servingLowLevel(ours));

    expect({ ...installed, name: 'theirs' }).toEqual(registered);
    expect(installedLowLevel).toEqual(installed);
  },
);

test('B1: a definition shows its registration fields to a host, without resolved parameters', () => {
  const Input = z.object({ id: z.string() });
  const cents = resolver({}, () => 500);
  const metadata = {
    title: 'Refund',
    description: 'Refund an order.',
    annotations: { destructiveHint: true },
    _meta: { ui: { resourceUri: 'ui://refund' } },
  };
  const tool = defineTool(
    'refund',
    {
      ...metadata,
      inputSchema: Input,
      outputSchema: z.object({ ok: z.boolean() }),
      resolve: { cents },
    },
    () => ({ ok: true }),
  );
  expect(tool).toMatchObject({ name: 'refund', ...metadata });
  const options = { target: 'draft-2020-12' } as const;
  expect(tool.inputSchema?.['~standard'].jsonSchema.input(options)).toMatchObject({
    properties: { id: { type: 'string' } },
    required: ['id'],
  });
  expect(tool.outputSchema?.['~standard'].jsonSchema.output(options)).toMatchObject({
    properties: { ok: { type: 'boolean' } },
  });
  expect(tool.inputSchema?.['~standard'].validate({ id: 'a', cents: 1 })).toEqual({
    value: { id: 'a' },
  });
});
