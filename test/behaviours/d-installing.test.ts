/** Installing tools: on an McpServer and a low-level Server, beside whatever is there already. */
import { McpServer, Server } from '@modelcontextprotocol/server';
import type { ListToolsResult, McpRequestContext } from '@modelcontextprotocol/server';
import { argsOf, defineTool, elicit, install, resolver, ToolError } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf, questionsOf, textOf } from '../support/results.js';
import { httpHandler } from '../support/servers.js';
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
const ask = resolver({}, () => elicit('Go?', Ok));
const go = defineTool('go', { resolve: { ask } }, ({ ask }) => `went ${ask.ok}`);

const info = { name: 'installed', version: '1.0.0' };
const names = ({ tools }: ListToolsResult): string[] => tools.map(({ name }) => name);

const byHand = {
  name: 'by_hand',
  inputSchema: { type: 'object' as const },
};

test('an interceptor in the map of handlers stands around ours and around those of its author', async () => {
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
  const chat = await connectClient('modern', intercepting);
  expect(names(await chat.client.listTools())).toEqual(['quote']);
  expect(await chat.text('quote', { title: 'Emma' })).toBe('Emma: 4');
  await expect(chat.client.callTool({ name: 'unknown', arguments: {} })).rejects.toThrow('unknown');
  expect(seen).toEqual(['tools/list', 'tools/call', 'tools/call']);
});

/** Handlers as an author of a low-level server writes them. */
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

describe.each(eras)('%s', (era) => {
  describe.each<[string, () => McpServer | Server]>([
    ['McpServer', () => new McpServer(info)],
    [
      'McpServer that has the tools capability',
      () => new McpServer(info, { capabilities: { tools: {} } }),
    ],
    ['Server', () => new Server(info)],
    [
      'Server that has the tools capability',
      () => new Server(info, { capabilities: { tools: {} } }),
    ],
  ])('%s', (_, make) => {
    test('A13: installed tools are listed, answer, ask and fail', async () => {
      const factory = () => {
        const server = make();
        install(server, [quote, go]);
        return server;
      };
      const chat = await connectClient(era, factory, { elicit: [accept({ ok: true })] });

      expect(names(await chat.client.listTools())).toEqual(['quote', 'go']);
      expect(await chat.text('quote', { title: 'Dune' })).toBe('Dune: 4');
      expect(await chat.text('go')).toBe('went true');
      expect(await chat.errorText('quote', {})).toBe(
        'Input validation error: Invalid arguments for tool quote: title: Invalid input: expected string, received undefined',
      );
      expect(await protocolErrorOf(chat.call('nope'))).toEqual({
        code: -32602,
        message: 'Tool nope not found',
      });
      const bare = await connectClient(era, factory);
      expect(await protocolErrorOf(bare.call('go'))).toEqual({
        code: -32021,
        message:
          "Client did not declare the form elicitation capability required by resolver 'ask'",
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
    });

    test('A13: tools can be installed in several steps, one by one with register', async () => {
      const factory = () => {
        const server = make();
        install(server, [quote]);
        go.register(server);
        return server;
      };
      const chat = await connectClient(era, factory, { elicit: [accept({ ok: false })] });

      expect(names(await chat.client.listTools())).toEqual(['quote', 'go']);
      expect(await chat.text('quote', { title: 'Dune' })).toBe('Dune: 4');
      expect(await chat.text('go')).toBe('went false');
    });

    test('A13: the options of an installation belong to its tools', async () => {
      const fail = (name: string) =>
        defineTool(name, {}, (): string => {
          throw new Error('boom');
        });
      const factory = () => {
        const server = make();
        install(server, [fail('open')]);
        fail('masked').register(server, { errors: 'toolErrorsOnly' });
        return server;
      };
      const chat = await connectClient(era, factory);

      expect(await chat.errorText('open')).toBe('Error executing tool open: boom');
      expect(await chat.errorText('masked')).toBe(
        'Error executing tool masked: an unexpected error occurred',
      );
    });

    test('C1: a name that is taken is refused', () => {
      const server = make();
      install(server, [quote]);
      expect(() => {
        quote.register(server);
      }).toThrow('Tool quote is already registered');
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

      test('A13: ours answer for their names, the author’s for all others', async () => {
        const chat = await connectClient(era, factory, { elicit: [accept({ ok: true })] });

        expect(await chat.text('quote', { title: 'Dune' })).toBe('Dune: 4');
        expect(await chat.text('go')).toBe('went true');
        expect(await chat.text('by_hand')).toBe('by_hand by hand');
        expect(await chat.text('anything')).toBe('anything by hand');
      });

      test('A13: the list has both, ours on its first page', async () => {
        const chat = await connectClient(era, factory);
        const first = await chat.client.request({ method: 'tools/list' });
        const second = await chat.client.request({
          method: 'tools/list',
          params: { cursor: 'page-2' },
        });

        expect(names(first).sort()).toEqual(['by_hand', 'go', 'quote']);
        expect(first.nextCursor).toBe('page-2');
        expect(names(second)).toEqual(['on_page_2']);
      });

      test('K4: an error of the author’s handler is the author’s', async () => {
        const throwing = () => {
          const server = factory();
          server.setRequestHandler('tools/call', () => {
            throw new ToolError('by hand');
          });
          return server;
        };
        const chat = await connectClient(era, throwing);
        const { code, message } = await protocolErrorOf(chat.call('by_hand'));

        expect([code, message]).toEqual([-32603, 'by hand']);
      });
    },
  );

  test('A13: a low-level server without the tools capability gets it', async () => {
    const factory = () => {
      const server = new Server(info);
      install(server, [quote]);
      return server;
    };
    const chat = await connectClient(era, factory);

    expect(chat.client.getServerCapabilities()?.tools).toBeDefined();
    expect(await chat.text('quote', { title: 'Dune' })).toBe('Dune: 4');
  });

  test('A13: on an McpServer other methods are left as they are', async () => {
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
  /** Which of our tools the server of each request was given, by the method of the request. */
  const watch = (make: () => McpServer | Server) => {
    const attached: string[][] = [];
    const factory = (request: McpRequestContext) => {
      const server = make();
      const seen: string[] = [];
      attached.push(seen);
      if (server instanceof McpServer) {
        const register = vi.spyOn(server, 'registerTool');
        install(server, [quote, go], { request });
        seen.push(...register.mock.calls.map(([name]) => name));
      } else {
        install(server, [quote, go], { request });
      }
      return server;
    };
    return { factory, attached };
  };

  test('A11: only the named tool is attached for tools/call, all of them for tools/list', async () => {
    const { factory, attached } = watch(() => new McpServer(info));
    const handler = httpHandler(factory);
    const called = await post(handler, 'tools/call', {
      name: 'quote',
      arguments: { title: 'Dune' },
    });
    const listed = await post(handler, 'tools/list', {});

    expect(called.body.result?.content).toEqual([{ type: 'text', text: 'Dune: 4' }]);
    expect(names(listed.body.result as ListToolsResult)).toEqual(['quote', 'go']);
    expect(attached).toEqual([['quote'], ['quote', 'go']]);
  });

  test.each<[string, () => McpServer | Server]>([
    ['McpServer', () => new McpServer(info)],
    ['Server', () => new Server(info)],
  ])('A11: everything works as without it, on a %s', async (_, make) => {
    const { factory } = watch(make);
    const chat = await connectClient('modern', factory, { elicit: [accept({ ok: true })] });

    expect(names(await chat.client.listTools())).toEqual(['quote', 'go']);
    expect(await chat.text('quote', { title: 'Dune' })).toBe('Dune: 4');
    expect(await chat.text('go')).toBe('went true');
    expect(await protocolErrorOf(chat.call('nope'))).toEqual({
      code: -32602,
      message: 'Tool nope not found',
    });
  });

  test('A11: a legacy client of the same factory gets all tools', async () => {
    const { factory } = watch(() => new McpServer(info));
    const chat = await connectClient('legacy', factory, { elicit: [accept({ ok: true })] });

    expect(names(await chat.client.listTools())).toEqual(['quote', 'go']);
    expect(await chat.text('go')).toBe('went true');
    expect(await chat.text('quote', { title: 'Dune' })).toBe('Dune: 4');
  });

  test('A11: two clients that speak at the same time do not get in each other’s way', async () => {
    const { factory } = watch(() => new McpServer(info));
    const chats = await Promise.all(
      ['a', 'b', 'c'].map(() => connectClient('modern', factory, { elicit: [] })),
    );
    const requests = await Promise.all(chats.map((chat) => chat.sendRound('go')));
    const ends = await Promise.all(
      requests.map((sendRound, index) =>
        chats[index]!.sendRound(
          'go',
          {},
          {
            requestState: questionsOf(sendRound).requestState,
            inputResponses: { ask: accept({ ok: index === 1 }) },
          },
        ),
      ),
    );

    expect(ends.map(textOf)).toEqual(['went false', 'went true', 'went false']);
  });
});

test('I6: a server that verifies its own request state is refused, for it would reject ours', () => {
  const server = new McpServer(info, { requestState: { verify: (state) => state } });

  expect(() => {
    install(server, [go]);
  }).toThrow(/requestState\.verify/);
});
