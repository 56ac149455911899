/**
 * How often schemas are converted: each once, however many requests, servers and questions follow.
 * Conversions are most of what a tool by hand costs.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, elicit, install, resolver } from 'mcp-resolve';
import { accept, type Era } from 'mcp-resolve/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import type { Factory } from '../support/servers.js';

/** Schemas that note when one of them is converted. */
function noting() {
  const conversions: string[] = [];
  const noted = <S extends z.ZodType>(name: string, schema: S): S => {
    const standard = schema['~standard'];
    const { input, output } = standard.jsonSchema;
    const note =
      <Options, Json>(convert: (options: Options) => Json) =>
      (options: Options): Json => {
        conversions.push(name);
        return convert(options);
      };
    const jsonSchema = { input: note(input), output: note(output) };
    // The same schema in all else, `shape` included.
    return Object.create(schema, { '~standard': { value: { ...standard, jsonSchema } } }) as S;
  };
  return { conversions, noted };
}

/** A server that uses a schema wherever one can be given. */
function shipping(noted: ReturnType<typeof noting>['noted']): Factory {
  const Input = noted('input', z.object({ order: z.string() }));
  const Address = noted('form', z.object({ street: z.string(), floor: z.number().default(0) }));
  const Cents = noted('pin', z.number());
  const { order } = argsOf(Input);
  const cents = resolver({ order }, () => 100, { pin: Cents });
  const address = resolver({ order }, ({ order: id }) => elicit(`Where does ${id} go?`, Address), {
    asks: Address,
  });
  const sure = resolver({ cents, address }, (values) => confirm(`${values.cents} cents?`));
  const tool = defineTool(
    'ship',
    {
      inputSchema: Input,
      outputSchema: noted('output', z.object({ to: z.string() })),
      resolve: { address, sure },
    },
    (values) => ({ to: values.address.street }),
  );
  return (request) => {
    const server = new McpServer({ name: 'shipping', version: '1.0.0' });
    install(server, [tool], { request });
    return server;
  };
}

/** Connects, lists, and calls twice with all questions answered. */
async function useOnce(era: Era, factory: Factory): Promise<void> {
  const answers = [accept({ street: 'Main St' }), accept({ confirm: true })];
  const { client, call } = await connectClient(era, factory, { elicit: [...answers, ...answers] });
  await client.listTools();
  for (const order of ['ORD-1', 'ORD-2'])
    expect(await call('ship', { order })).toMatchObject({ structuredContent: { to: 'Main St' } });
}

describe.each(eras)('on the %s era', (era) => {
  it('a second call converts no schema, nor does a second server', async () => {
    const { conversions, noted } = noting();
    const factory = shipping(noted);
    await useOnce(era, factory);
    expect(new Set(conversions)).toEqual(new Set(['input', 'form', 'output']));

    conversions.length = 0;
    await useOnce(era, factory);
    await useOnce(era, factory);
    expect(conversions).toEqual([]);
  });
});

it('a form is converted once for all resolvers that ask with it', async () => {
  const { conversions, noted } = noting();
  const Name = noted('form', z.object({ name: z.string() }));
  const resolve = Object.fromEntries(
    ['a', 'b', 'c'].map((key) => [key, resolver({}, () => elicit(`${key}?`, Name))]),
  );
  const tool = defineTool('names', { resolve }, () => 'done');
  const factory: Factory = () => {
    const server = new McpServer({ name: 'names', version: '1.0.0' });
    install(server, [tool]);
    return server;
  };
  const { text } = await connectClient('modern', factory, {
    elicit: () => accept({ name: 'Ada' }),
  });
  expect(await text('names')).toBe('done');
  expect(conversions).toEqual(['form']);
});

// So that the tests above can fail: a tool by hand converts its schema for each request.
it('a tool by hand converts its schema in every request, and that is seen', async () => {
  const { conversions, noted } = noting();
  const inputSchema = noted('input', z.object({ order: z.string() }));
  const factory: Factory = () => {
    const server = new McpServer({ name: 'by hand', version: '1.0.0' });
    server.registerTool('ship', { inputSchema }, () => ({ content: [] }));
    return server;
  };
  const { client, call } = await connectClient('modern', factory);
  await client.listTools();
  const before = conversions.length;
  await client.listTools();
  await call('ship', { order: 'ORD-1' });
  expect(conversions.length).toBeGreaterThan(before);
});
