/**
 * Lists of tools. A server that HTTP makes for one `tools/list` does not register them all: what a
 * client sees is what it sees of a server that does.
 */
import { McpServer, Server } from '@modelcontextprotocol/server';
import type { McpRequestContext, Tool as ListedTool } from '@modelcontextprotocol/server';
import { argsOf, defineTool, install, resolver } from 'mcp-resolve';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { httpHandler, post, talk, type Factory } from '../support/conversation.js';

const info = { name: 'listing', version: '1.0.0' };

const Order = z.object({
  order: z.string().describe('Which one.'),
  count: z.number().int().default(1),
});
const cents = resolver({ order: argsOf(Order).order }, ({ order }) => order.length);
const price = defineTool(
  'price',
  {
    title: 'Price',
    description: 'What it costs.',
    inputSchema: Order,
    outputSchema: z.object({ cents: z.number() }),
    annotations: { readOnlyHint: true },
    icons: [{ src: 'https://example.com/price.png' }],
    _meta: { 'example.com/team': 'shop' },
    resolve: { cents },
  },
  ({ cents }) => ({ cents }),
);
const either = defineTool(
  'either',
  {
    inputSchema: z.discriminatedUnion('by', [
      z.object({ by: z.literal('id'), id: z.string() }),
      z.object({ by: z.literal('name'), name: z.string() }),
    ]),
    outputSchema: z.array(z.string()),
  },
  () => ['one'],
);
const bare = defineTool('bare', {}, () => 'bare');
const tools = [price, either, bare];

/** Installs tools among the author's own. */
const among =
  (make: () => McpServer | Server, withRequest: boolean): Factory =>
  (request: McpRequestContext) => {
    const server = make();
    const own = (name: string): void => {
      if (server instanceof McpServer) server.registerTool(name, {}, () => ({ content: [] }));
    };
    own('before');
    install(server, tools, withRequest ? { request } : {});
    own('after');
    return server;
  };

async function listed(factory: Factory): Promise<readonly ListedTool[]> {
  const { body } = await post(httpHandler(factory), 'tools/list', {});
  return body.result?.tools as readonly ListedTool[];
}

describe.each<[string, () => McpServer | Server]>([
  ['McpServer', () => new McpServer(info)],
  ['Server', () => new Server(info)],
])('on a %s', (_, make) => {
  test('with the request of an HTTP factory the list is the same, in the same order', async () => {
    const without = await listed(among(make, false));
    expect(without.filter(({ name }) => name === 'price')).toHaveLength(1);
    expect(await listed(among(make, true))).toEqual(without);
  });

  test('what somebody changes in one list is not in the next', async () => {
    const changing: Factory = (request) => {
      const server = make();
      install(server, tools, { request });
      const handlers = Reflect.get(
        server instanceof McpServer ? server.server : server,
        '_requestHandlers',
      ) as Map<string, (...args: unknown[]) => Promise<{ tools: ListedTool[] }>>;
      const list = handlers.get('tools/list')!;
      handlers.set('tools/list', async (...args) => {
        const result = await list(...args);
        for (const tool of result.tools) tool.description = `${tool.description ?? ''}!`;
        return result;
      });
      return server;
    };
    await listed(changing);
    expect((await listed(changing)).map(({ description }) => description)).toEqual([
      'What it costs.!',
      '!',
      '!',
    ]);
  });
});

test('an McpServer lists the same tools as a low-level Server', async () => {
  const ours = async (server: McpServer | Server) => {
    const all = await listed(among(() => server, true));
    return all.filter(({ name }) => name !== 'before' && name !== 'after');
  };
  expect(await ours(new McpServer(info))).toEqual(await ours(new Server(info)));
});

test('for a list the SDK registers one tool, however many there are', async () => {
  const registered: string[] = [];
  const factory: Factory = (request) => {
    const server = new McpServer(info);
    const register = vi.spyOn(server, 'registerTool');
    install(server, tools, { request });
    registered.push(...register.mock.calls.map(([name]) => name));
    return server;
  };
  expect(await listed(factory)).toHaveLength(3);
  expect(registered).toEqual(['price']);
});

test('a list of tools that are nowhere installed is the author’s own', async () => {
  const factory: Factory = (request) => {
    const server = new McpServer(info);
    server.registerTool('own', {}, () => ({ content: [] }));
    install(server, [], { request });
    return server;
  };
  expect((await listed(factory)).map(({ name }) => name)).toEqual(['own']);
});

test('the author’s own handler for the list, set later, is left alone', async () => {
  const factory: Factory = (request) => {
    const server = new McpServer(info);
    install(server, tools, { request });
    server.server.setRequestHandler('tools/list', () => ({
      tools: [{ name: 'price', inputSchema: { type: 'object' } }],
    }));
    return server;
  };
  expect(await listed(factory)).toEqual([{ name: 'price', inputSchema: { type: 'object' } }]);
});

test.each<[string, (server: McpServer, install: () => void) => void]>([
  [
    'before',
    (server, installing) => {
      server.registerTool('bare', {}, () => ({ content: [] }));
      installing();
    },
  ],
  [
    'later',
    (server, installing) => {
      installing();
      server.registerTool('bare', {}, () => ({ content: [] }));
    },
  ],
])('a name that the author registered %s, too, is an error', async (_, arrange) => {
  const factory: Factory = (request) => {
    const server = new McpServer(info);
    arrange(server, () => {
      install(server, tools, { request });
    });
    return server;
  };
  const { body } = await post(httpHandler(factory), 'tools/list', {});
  expect(body.error).toMatchObject({ message: 'Tool bare is already registered' });
});

test('two lists of one server that share a tool are an error', async () => {
  const factory: Factory = (request) => {
    const server = new McpServer(info);
    install(server, [price, bare], { request });
    install(server, [bare, either], { request });
    return server;
  };
  const { body } = await post(httpHandler(factory), 'tools/list', {});
  expect(body.error).toMatchObject({ message: 'Tool bare is already registered' });
});

test('a client of the modern era calls what it was listed', async () => {
  const chat = await talk(
    'modern',
    among(() => new McpServer(info), true),
  );
  const { tools: all } = await chat.client.listTools();
  expect(all.map(({ name }) => name)).toEqual(['before', 'price', 'either', 'bare', 'after']);
  expect(await chat.call('price', { order: 'ORD-1' })).toMatchObject({
    structuredContent: { cents: 5 },
  });
});
