/** Installing tools on an McpServer or a low-level Server, next to handlers of the author. */
import { McpServer, Server } from '@modelcontextprotocol/server';
import type { ListToolsResult, McpRequestContext } from '@modelcontextprotocol/server';
import { argsOf, defineTool, elicit, install, resolver, ToolError } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf, questionsOf, textOf } from '../support/results.js';
import { httpHandler, onError } from '../support/servers.js';
import { post } from '../support/wire.js';

const Ok = z.object({ ok: z.boolean() });
const Title = z.object({ title: z.string() });
const title = argsOf(Title).title;

const price = resolver({ title }, ({ title }) => title.length);
const quote = defineTool(
  'quote',
  { inputSchema: Title, description: 'Quotes', resolve: { price } },
  ({ title, price }) => `${title}: ${price}`,
);
const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
const go = defineTool('go', { resolve: { ask } }, ({ ask }) => `went ${ask.ok}`);

const info = { name: 'installed', version: '1.0.0' };
const names = ({ tools }: ListToolsResult): string[] => tools.map(({ name }) => name);

const byHand = {
  name: 'by_hand',
  inputSchema: { type: 'object' as const },
};

test("an interceptor in the SDK's map of handlers sees every request", async () => {
  const seen: string[] = [];
  const intercepting = (): Server => {
    const server = new Server(info, { capabilities: { tools: {} } });
    install(server, [quote]);
    const handlers = Reflect.get(server, '_requestHandlers') as Map<
      string,
      (request: unknown, ctx: unknown) => unknown
    >;
    for (const method of ['tools/list', 'tools/call']) {
      const handler = handlers.get(method)!;
      handlers.set(method, (request, ctx) => {
        seen.push(method);
        return handler(request, ctx);
      });
    }
    return server;
  };
  const { client, call, text } = await connectClient('modern', intercepting);
  expect(names(await client.listTools())).toEqual(['quote']);
  expect(await text('quote', { title: 'Emma' })).toBe('Emma: 4');
  await expect(call('unknown')).rejects.toThrow('unknown');
  expect(seen).toEqual(['tools/list', 'tools/call', 'tools/call']);
});

/** Sets handlers for tools as the author of a low-level server would. */
function setHandlers(server: Server): void {
  server.setRequestHandler('tools/list', ({ params }) =>
    params?.cursor === 'page-2'
      ? { tools: [{ ...byHand, name: 'on_page_2' }] }
      : { tools: [byHand], nextCursor: 'page-2' },
  );
  server.setRequestHandler('tools/call', ({ params }) => ({
    content: [{ type: 'text', text: `${params.name} by hand` }],
  }));
}

describe.each(eras)('on the %s era', (era) => {
  describe.each<[string, () => McpServer | Server]>([
    ['an McpServer', () => new McpServer(info)],
    [
      'an McpServer with the tools capability',
      () => new McpServer(info, { capabilities: { tools: {} } }),
    ],
    ['a Server', () => new Server(info)],
    ['a Server with the tools capability', () => new Server(info, { capabilities: { tools: {} } })],
  ])('on %s', (_, make) => {
    test('A13: installed tools can be listed and called, and can ask and fail', async () => {
      const factory = () => {
        const server = make();
        install(server, [quote, go]);
        return server;
      };
      const able = await connectClient(era, factory, { elicit: [accept({ ok: true })] });

      expect(names(await able.client.listTools())).toEqual(['quote', 'go']);
      expect(await able.text('quote', { title: 'Dune' })).toBe('Dune: 4');
      expect(await able.text('go')).toBe('went true');
      expect(await able.errorText('quote', {})).toBe(
        'Input validation error: Invalid arguments for tool quote: title: Invalid input: expected string, received undefined',
      );
      expect(await protocolErrorOf(able.call('nope'))).toEqual({
        code: -32602,
        message: 'Tool nope not found',
      });
      const unable = await connectClient(era, factory);
      expect(await protocolErrorOf(unable.call('go'))).toEqual({
        code: -32021,
        message:
          "Client did not declare the form elicitation capability required by resolver 'ask'",
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
    });

    test('A13: tools can be installed in several steps', async () => {
      const factory = () => {
        const server = make();
        install(server, [quote]);
        install(server, [go]);
        return server;
      };
      const { client, text } = await connectClient(era, factory, {
        elicit: [accept({ ok: false })],
      });

      expect(names(await client.listTools())).toEqual(['quote', 'go']);
      expect(await text('quote', { title: 'Dune' })).toBe('Dune: 4');
      expect(await text('go')).toBe('went false');
    });

    test('A13: the options of install apply only to the tools of that call', async () => {
      const fail = (name: string) =>
        defineTool(name, {}, (): string => {
          throw new Error('boom');
        });
      const factory = () => {
        const server = make();
        onError(server, () => undefined);
        install(server, [fail('masked')]);
        install(server, [fail('open')], { errors: 'all' });
        return server;
      };
      const { errorText } = await connectClient(era, factory);

      expect(await errorText('masked')).toBe('Error executing tool masked');
      expect(await errorText('open')).toBe('Error executing tool open: boom');
    });

    test('C1: a second tool of the same name throws', () => {
      const server = make();
      install(server, [quote]);
      expect(() => install(server, [quote])).toThrow('Tool quote is already registered');
    });
  });

  describe.each(['before', 'after', 'both before and after'])(
    'handlers of a low-level Server set %s install',
    (when) => {
      const factory = () => {
        const server = new Server(info, { capabilities: { tools: {} } });
        if (when.includes('before')) setHandlers(server);
        install(server, [quote, go]);
        if (when.includes('after')) setHandlers(server);
        return server;
      };

      test('A13: answer all names that no installed tool has', async () => {
        const { text } = await connectClient(era, factory, { elicit: [accept({ ok: true })] });

        expect(await text('quote', { title: 'Dune' })).toBe('Dune: 4');
        expect(await text('go')).toBe('went true');
        expect(await text('by_hand')).toBe('by_hand by hand');
        expect(await text('anything')).toBe('anything by hand');
      });

      test('A13: keep their pages of tools/list, with the installed tools on the first', async () => {
        const { client } = await connectClient(era, factory);
        const first = await client.request({ method: 'tools/list' });
        const second = await client.request({
          method: 'tools/list',
          params: { cursor: 'page-2' },
        });

        expect(names(first).sort()).toEqual(['by_hand', 'go', 'quote']);
        expect(first.nextCursor).toBe('page-2');
        expect(names(second)).toEqual(['on_page_2']);
      });

      test('K4: keep their own errors', async () => {
        const throwing = () => {
          const server = factory();
          server.setRequestHandler('tools/call', () => {
            throw new ToolError('by hand');
          });
          return server;
        };
        const { call } = await connectClient(era, throwing);
        const { code, message } = await protocolErrorOf(call('by_hand'));

        expect([code, message]).toEqual([-32603, 'by hand']);
      });
    },
  );

  test('A13: install adds the tools capability to a low-level server', async () => {
    const factory = () => {
      const server = new Server(info);
      install(server, [quote]);
      return server;
    };
    const { client, text } = await connectClient(era, factory);

    expect(client.getServerCapabilities()?.tools).toBeDefined();
    expect(await text('quote', { title: 'Dune' })).toBe('Dune: 4');
  });

  test('A13: install leaves prompts and resources of an McpServer unchanged', async () => {
    const factory = () => {
      const server = new McpServer(info);
      server.registerPrompt('hello', {}, () => ({
        messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
      }));
      install(server, [quote]);
      server.registerResource('readme', 'test://readme', {}, (uri) => ({
        contents: [{ uri: uri.href, text: 'Read me' }],
      }));
      return server;
    };
    const { client } = await connectClient(era, factory);

    expect((await client.getPrompt({ name: 'hello' })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Hello' } },
    ]);
    expect((await client.readResource({ uri: 'test://readme' })).contents).toEqual([
      { uri: 'test://readme', text: 'Read me' },
    ]);
    expect((await client.listPrompts()).prompts).toHaveLength(1);
  });
});

describe('install with the request of an HTTP factory', () => {
  const servingOn = (make: () => McpServer | Server) => (request: McpRequestContext) => {
    const server = make();
    install(server, [quote, go], { request });
    return server;
  };
  const onMcpServer = servingOn(() => new McpServer(info));

  test('A11: registers only the named tool for tools/call, and all tools for tools/list', async () => {
    const registered: string[][] = [];
    const handler = httpHandler((request) => {
      const server = new McpServer(info);
      const register = vi.spyOn(server, 'registerTool');
      install(server, [quote, go], { request });
      registered.push(register.mock.calls.map(([name]) => name));
      return server;
    });
    const called = await post(handler, 'tools/call', {
      name: 'quote',
      arguments: { title: 'Dune' },
    });
    const listed = await post(handler, 'tools/list', {});

    expect(called.body.result?.content).toEqual([{ type: 'text', text: 'Dune: 4' }]);
    expect(names(listed.body.result as ListToolsResult)).toEqual(['quote', 'go']);
    expect(registered).toEqual([['quote'], ['quote', 'go']]);
  });

  test.each<[string, () => McpServer | Server]>([
    ['an McpServer', () => new McpServer(info)],
    ['a Server', () => new Server(info)],
  ])('A11: lists, calls and refuses tools as without the request on %s', async (_, make) => {
    const { client, call, text } = await connectClient('modern', servingOn(make), {
      elicit: [accept({ ok: true })],
    });

    expect(names(await client.listTools())).toEqual(['quote', 'go']);
    expect(await text('quote', { title: 'Dune' })).toBe('Dune: 4');
    expect(await text('go')).toBe('went true');
    expect(await protocolErrorOf(call('nope'))).toEqual({
      code: -32602,
      message: 'Tool nope not found',
    });
  });

  test('A11: registers all tools for a legacy client', async () => {
    const { client, text } = await connectClient('legacy', onMcpServer, {
      elicit: [accept({ ok: true })],
    });

    expect(names(await client.listTools())).toEqual(['quote', 'go']);
    expect(await text('go')).toBe('went true');
    expect(await text('quote', { title: 'Dune' })).toBe('Dune: 4');
  });

  test('A11: keeps the calls of concurrent clients apart', async () => {
    const clients = await Promise.all(
      ['a', 'b', 'c'].map(() => connectClient('modern', onMcpServer, { elicit: [] })),
    );
    const firstRounds = await Promise.all(clients.map(({ sendRound }) => sendRound('go')));
    const results = await Promise.all(
      clients.map(({ sendRound }, index) => {
        const { requestState } = questionsOf(firstRounds[index]!);
        const inputResponses = { ask: accept({ ok: index === 1 }) };
        return sendRound('go', {}, { requestState, inputResponses });
      }),
    );

    expect(results.map(textOf)).toEqual(['went false', 'went true', 'went false']);
  });
});

test('I6: install refuses a server that verifies request states itself', () => {
  const server = new McpServer(info, { requestState: { verify: (state) => state } });

  expect(() => {
    install(server, [go]);
  }).toThrow(/requestState\.verify/);
});
