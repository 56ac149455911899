/** Tests that each schema is converted once, for any number of requests, servers and questions. */
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, elicit, install, resolver } from 'mcp-resolve';
import { accept, type Era } from 'mcp-resolve/testing';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { serving, type Factory } from '../support/servers.js';

/** Creates a wrapper for schemas that records their conversions. */
function recordConversions() {
  const conversions: string[] = [];
  const recorded = <S extends z.ZodType>(name: string, schema: S): S => {
    const standard = schema['~standard'];
    const { input, output } = standard.jsonSchema;
    const note =
      <Options, Json>(convert: (options: Options) => Json) =>
      (options: Options): Json => {
        conversions.push(name);
        return convert(options);
      };
    const jsonSchema = { input: note(input), output: note(output) };
    // Everything else is inherited from the schema, including `shape`.
    return Object.create(schema, { '~standard': { value: { ...standard, jsonSchema } } }) as S;
  };
  return { conversions, recorded };
}

type Recorder = ReturnType<typeof recordConversions>;

/** Creates servers whose tool has a schema for its input, output, form and pin. */
function shipping({ recorded }: Recorder): Factory {
  const Input = recorded('input', z.object({ order: z.string() }));
  const Address = recorded('form', z.object({ street: z.string(), floor: z.number().default(0) }));
  const Cents = recorded('pin', z.number());
  const { order } = argsOf(Input);
  const cents = resolver({ order }, () => 100, { pin: Cents });
  const address = resolver({ order }, ({ order: id }) => elicit(`Where does ${id} go?`, Address), {
    asks: Address,
  });
  const sure = resolver({ cents, address }, (values) => confirm(`${values.cents} cents?`), {
    asks: 'form',
  });
  const tool = defineTool(
    'ship',
    {
      inputSchema: Input,
      outputSchema: recorded('output', z.object({ to: z.string() })),
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

/** Connects, lists the tools, and calls the tool twice. */
async function useOnce(era: Era, factory: Factory): Promise<void> {
  const answers = [accept({ street: 'Main St' }), accept({ confirm: true })];
  const { client, call } = await connectClient(era, factory, { elicit: [...answers, ...answers] });
  await client.listTools();
  for (const order of ['ORD-1', 'ORD-2'])
    expect(await call('ship', { order })).toMatchObject({ structuredContent: { to: 'Main St' } });
}

describe.each(eras)('on the %s era', (era) => {
  it('a second call converts no schema, and neither does a second server', async () => {
    const recorder = recordConversions();
    const { conversions } = recorder;
    const factory = shipping(recorder);
    await useOnce(era, factory);
    expect(new Set(conversions)).toEqual(new Set(['input', 'form', 'output']));

    conversions.length = 0;
    await useOnce(era, factory);
    await useOnce(era, factory);
    expect(conversions).toEqual([]);
  });
});

it('a form is converted once for all resolvers that ask with it', async () => {
  const { conversions, recorded } = recordConversions();
  const Name = recorded('form', z.object({ name: z.string() }));
  const resolve = Object.fromEntries(
    ['a', 'b', 'c'].map((key) => [
      key,
      resolver({}, () => elicit(`${key}?`, Name), { asks: 'form' }),
    ]),
  );
  const tool = defineTool('names', { resolve }, () => 'done');
  const { text } = await connectClient('modern', serving([tool]), {
    elicit: () => accept({ name: 'Ada' }),
  });
  expect(await text('names')).toBe('done');
  expect(conversions).toEqual(['form']);
});

// Proves that the tests above can fail: the SDK converts the schema of a tool in each request.
it('a tool that is registered with the SDK converts its schema in every request', async () => {
  const { conversions, recorded } = recordConversions();
  const inputSchema = recorded('input', z.object({ order: z.string() }));
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
