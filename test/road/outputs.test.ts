/**
 * The structured content of a tool, and the output schema in its listing. For every output, each
 * kind of server sends what the SDK's `McpServer` sends for a tool that the author registered.
 */
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer, Server } from '@modelcontextprotocol/server';
import { defineTool, install, toolHandler } from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';
import type { Era } from 'mcp-resolve/testing';
import { install as installV1 } from 'mcp-resolve/v1';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { connectV2 } from '../v1/serversV1.js';

const INFO = { name: 'outputs', version: '1.0.0' };
const A = z.object({ k: z.literal('a') });
const B = z.object({ k: z.literal('b') });

interface Output {
  readonly output: string;
  readonly outputSchema: z.ZodType;
  readonly value: unknown;
  /** The structured content for a legacy client. Default: the value. */
  readonly legacy?: unknown;
}

const outputs: readonly Output[] = [
  { output: 'an object', outputSchema: A, value: { k: 'a' } },
  { output: 'a record', outputSchema: z.record(z.string(), z.number()), value: { a: 1 } },
  { output: 'a union of objects', outputSchema: z.union([A, B]), value: { k: 'a' } },
  {
    output: 'a discriminated union',
    outputSchema: z.discriminatedUnion('k', [A, B]),
    value: { k: 'b' },
  },
  {
    output: 'a union inside a union',
    outputSchema: z.union([z.discriminatedUnion('k', [A, B]), z.object({ n: z.number() })]),
    value: { k: 'a' },
  },
  {
    output: 'a union of an object and a string',
    outputSchema: z.union([A, z.string()]),
    value: { k: 'a' },
    legacy: { result: { k: 'a' } },
  },
  { output: 'an array', outputSchema: z.array(z.number()), value: [1], legacy: { result: [1] } },
  { output: 'a string', outputSchema: z.string(), value: 'one', legacy: { result: 'one' } },
  { output: 'a number', outputSchema: z.number(), value: 0, legacy: { result: 0 } },
  { output: 'null', outputSchema: z.null(), value: null, legacy: { result: null } },
];

const create = ({ outputSchema, value }: Output): Tool =>
  defineTool('out', { outputSchema: outputSchema }, () => value);

/** What a client sees of the tool. */
interface Seen {
  readonly structuredContent: unknown;
  readonly outputSchema: unknown;
}

async function seenBy({
  client,
}: Pick<Awaited<ReturnType<typeof connectV2>>, 'client'>): Promise<Seen> {
  const { tools } = await client.listTools();
  const { structuredContent } = await client.callTool({ name: 'out' });
  return { structuredContent, outputSchema: withoutDialect(tools[0]?.outputSchema) };
}

/** Removes every `$schema`. The SDK repeats it inside of a schema that it wraps. */
function withoutDialect(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === '$schema' ? undefined : value)),
  );
}

/** Calls a tool that the author registered on the SDK's own McpServer. */
async function byTheSdk(era: Era, { outputSchema, value }: Output): Promise<Seen> {
  return seenBy(
    await connectClient(era, () => {
      const server = new McpServer(INFO);
      server.registerTool('out', { outputSchema }, () => ({
        content: [],
        structuredContent: value as Record<string, unknown>,
      }));
      return server;
    }),
  );
}

/** The servers of SDK 2.x that have the tool. */
const hosts: readonly (readonly [host: string, create: (tool: Tool) => McpServer | Server])[] = [
  [
    'an McpServer',
    (tool) => {
      const server = new McpServer(INFO);
      install(server, [tool]);
      return server;
    },
  ],
  [
    'a Server',
    (tool) => {
      const server = new Server(INFO);
      install(server, [tool]);
      return server;
    },
  ],
  [
    'the low-level Server of an McpServer',
    (tool) => {
      const server = new McpServer(INFO);
      install(server.server, [tool]);
      return server;
    },
  ],
  [
    'an McpServer with a tool that calls toolHandler()',
    (tool) => {
      const server = new McpServer(INFO);
      const handler = toolHandler(tool);
      server.registerTool('out', { outputSchema: tool.outputSchema as z.ZodType }, (ctx) =>
        handler({}, ctx),
      );
      return server;
    },
  ],
];

describe.each(eras)('on the %s era', (era) => {
  describe.each(outputs)('$output', (output) => {
    test('is sent by the SDK as this table says', async () => {
      const { value, legacy = value } = output;
      const { structuredContent } = await byTheSdk(era, output);
      expect(structuredContent).toEqual(era === 'modern' ? value : legacy);
    });

    test.each(hosts)('is sent and listed in the same way by %s', async (_, create_) => {
      const tool = create(output);
      const seen = await seenBy(await connectClient(era, () => create_(tool)));
      expect(seen).toEqual(await byTheSdk(era, output));
    });
  });
});

describe.each(outputs)('$output', (output) => {
  test.each([
    ['an McpServer', () => new McpServerV1(INFO)],
    ['a Server', () => new ServerV1(INFO, { capabilities: {} })],
  ])('is sent and listed in the same way by %s of SDK 1.x', async (_, make) => {
    const server = make();
    installV1(server, [create(output)]);
    expect(await seenBy(await connectV2(server))).toEqual(await byTheSdk('legacy', output));
  });
});
