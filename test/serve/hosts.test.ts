/**
 * Hosts build the server themselves: they subclass McpServer, set request handlers of their own, or
 * wrap those that are there. Installed definitions stay listed, callable and sealed beside theirs.
 */
import { completable, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import type { CallToolResult, Server } from '@modelcontextprotocol/server';
import {
  argsOf,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  install,
  requestStateSeal,
  resolver,
} from 'mcp-resolve';
import type { Logger } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf, questionsOf } from '../support/results.js';
import { SILENT } from '../support/servers.js';

const info = { name: 'host', version: '1.0.0' };
const yes = { elicit: () => accept({ confirm: true }) };

const City = z.object({ city: completable(z.string(), () => ['Lyon', 'Nice']) });
const sure = resolver({ city: argsOf(City).city }, ({ city }) => confirm(`To ${city}?`), {
  asks: 'form',
});
const book = defineTool('book', { inputSchema: City, resolve: { sure } }, ({ city }) => city);
const plan = definePrompt('plan', { argsSchema: City, resolve: { sure } }, ({ city }) => city);
const ticket = defineResource(
  'ticket',
  new ResourceTemplate('ticket://{city}', {
    list: () => ({ resources: [{ name: 'Lyon', uri: 'ticket://Lyon' }] }),
    complete: { city: () => ['Lyon'] },
  }),
  { variables: City, resolve: { sure } },
  ({ city }) => city,
);
const map = defineResource('map', 'map://all', {}, () => 'the map');
const definitions = [book, plan, ticket, map];

/** The content of a tool's result. */
const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** Sets handlers as a host would that has tools of its own. */
function setToolHandlers(server: Server): void {
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'theirs', inputSchema: { type: 'object' } }],
  }));
  server.setRequestHandler('tools/call', ({ params: { name } }) => said(`${name} by the host`));
}

/** Sets handlers as a host would that has tools, prompts and resources of its own. */
function setHandlers(server: Server): void {
  setToolHandlers(server);
  server.setRequestHandler('prompts/list', () => ({ prompts: [{ name: 'theirs' }] }));
  server.setRequestHandler('prompts/get', ({ params: { name } }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `${name} by the host` } }],
  }));
  server.setRequestHandler('resources/list', () => ({
    resources: [{ name: 'theirs', uri: 'their://1' }],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ name: 'theirs', uriTemplate: 'their://{id}' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({
    contents: [{ uri, text: `${uri} by the host` }],
  }));
  server.setRequestHandler('completion/complete', () => ({ completion: { values: ['theirs'] } }));
}

const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };

describe.each(eras)('on the %s era', (era) => {
  describe.each([
    ['without capabilities', () => new McpServer(info)],
    ['with capabilities', () => new McpServer(info, { capabilities })],
  ])('a host that sets handlers after install, on an McpServer %s', (_, make) => {
    const factory = () => {
      const server = make();
      install(server, definitions.slice(0, 2));
      install(server, definitions.slice(2));
      setHandlers(server.server);
      setHandlers(server.server);
      return server;
    };

    test('lists its entries and those of the definitions', async () => {
      const { client } = await connectClient(era, factory, yes);
      const tools = await client.listTools();
      const prompts = await client.listPrompts();
      const resources = await client.listResources();
      const templates = await client.listResourceTemplates();

      expect(tools.tools.map(({ name }) => name)).toEqual(['theirs', 'book']);
      expect(prompts.prompts.map(({ name }) => name)).toEqual(['theirs', 'plan']);
      expect(resources.resources.map(({ uri }) => uri)).toEqual([
        'their://1',
        'map://all',
        'ticket://Lyon',
      ]);
      expect(templates.resourceTemplates.map(({ name }) => name)).toEqual(['theirs', 'ticket']);
    });

    test('answers its requests, and the definitions answer theirs', async () => {
      const { client, text, asked } = await connectClient(era, factory, yes);
      const get = async (name: string) =>
        (await client.getPrompt({ name, arguments: { city: 'Lyon' } })).messages[0]?.content;
      const read = async (uri: string) => (await client.readResource({ uri })).contents;
      const complete = async (name: string) =>
        (
          await client.complete({
            ref: { type: 'ref/prompt', name },
            argument: { name: 'city', value: '' },
          })
        ).completion.values;

      expect(await text('book', { city: 'Lyon' })).toBe('Lyon');
      expect(await text('theirs')).toBe('theirs by the host');
      expect(await get('plan')).toMatchObject({ text: 'Lyon' });
      expect(await get('theirs')).toMatchObject({ text: 'theirs by the host' });
      expect(await read('ticket://Lyon')).toMatchObject([{ text: 'Lyon' }]);
      expect(await read('map://all')).toMatchObject([{ text: 'the map' }]);
      expect(await read('their://1')).toMatchObject([{ text: 'their://1 by the host' }]);
      expect(await complete('plan')).toEqual(['Lyon', 'Nice']);
      expect(await complete('theirs')).toEqual(['theirs']);
      // A prompt of the host can have the name of a tool.
      expect(await complete('book')).toEqual(['theirs']);
      expect(asked).toEqual(['To Lyon?', 'To Lyon?', 'To Lyon?']);
    });

    test('gets the protocol errors of the definitions to the client', async () => {
      const { call } = await connectClient(era, factory);
      expect(await protocolErrorOf(call('book', { city: 'Lyon' }))).toMatchObject({ code: -32021 });
    });
  });

  test('an McpServer registers definitions and tools as before if no host is there', async () => {
    const factory = () => {
      const server = new McpServer(info);
      install(server, [book]);
      server.registerTool('own', {}, () => said('own'));
      return server;
    };
    const { client, text } = await connectClient(era, factory, yes);

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['book', 'own']);
    expect(await text('own')).toBe('own');
  });

  describe('a host that overrides registerTool, registerPrompt and registerResource', () => {
    /** A server whose functions take the name from an object, and a callback. */
    class HostServer extends (McpServer as unknown as new (i: typeof info) => HostBase) {
      registerTool(config: { name: string }, callback: () => CallToolResult): this {
        const server = this as unknown as McpServer;
        McpServer.prototype.registerTool.call(server, config.name, {}, callback as never);
        return this;
      }
      registerPrompt(config: { name: string }, _: unknown): this {
        throw new Error(`not for ${config.name}`);
      }
      registerResource(config: { name: string }, _: unknown): this {
        throw new Error(`not for ${config.name}`);
      }
    }
    type HostBase = Omit<McpServer, 'registerTool' | 'registerPrompt' | 'registerResource'>;

    const register = Reflect.get(McpServer.prototype, 'registerTool') as AnyFunction;
    type AnyFunction = (...args: unknown[]) => unknown;

    test.each<[kind: string, override: (note: () => void) => PropertyDescriptor]>([
      [
        'rest parameters',
        (note) => ({
          value(name: string, ...rest: unknown[]) {
            note();
            return Reflect.apply(register, this, [name, ...rest]);
          },
        }),
      ],
      [
        'a default parameter',
        (note) => ({
          value(name: string, config = {}, callback: unknown) {
            note();
            return Reflect.apply(register, this, [name, config, callback]);
          },
        }),
      ],
      [
        'a getter',
        (note) => ({
          get() {
            note();
            return register;
          },
        }),
      ],
    ])('is called if it takes the parameters of the SDK: %s', (_, override) => {
      let calls = 0;
      class Host extends McpServer {}
      const descriptor = override(() => (calls += 1));
      Object.defineProperty(Host.prototype, 'registerTool', descriptor);
      install(new Host(info), [book]);
      expect(calls).toBeGreaterThan(0);
    });

    test('serves its tools and the definitions', async () => {
      const factory = () => {
        const server = new HostServer(info);
        install(server, definitions);
        server.registerTool({ name: 'theirs' }, () => said('theirs'));
        return server as unknown as McpServer;
      };
      const { client, text } = await connectClient(era, factory, yes);

      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['book', 'theirs']);
      expect(await text('book', { city: 'Lyon' })).toBe('Lyon');
      expect(await text('theirs')).toBe('theirs');
      const prompt = await client.getPrompt({ name: 'plan', arguments: { city: 'Lyon' } });
      expect(prompt.messages).toHaveLength(1);
      expect((await client.readResource({ uri: 'map://all' })).contents).toHaveLength(1);
    });
  });

  test('a host whose server only contains an McpServer serves definitions through it', async () => {
    const factory = () => {
      const inner = new McpServer(info);
      const host = { server: inner.server, registerTool: (config: object) => config };
      install(host, [book]);
      return inner;
    };
    const { text } = await connectClient(era, factory, yes);
    expect(await text('book', { city: 'Lyon' })).toBe('Lyon');
  });
});

test('a host can set its handlers again for every request of a session', async () => {
  const server = new McpServer(info);
  install(server, [book]);
  const { text, client } = await connectClient('legacy', () => server, yes);
  for (const round of [1, 2]) {
    setToolHandlers(server.server);
    expect(await text('book', { city: 'Lyon' }), `round ${round}`).toBe('Lyon');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['theirs', 'book']);
  }
});

test('a subclass that takes the parameters of the SDK sees every definition', async () => {
  const seen: string[] = [];
  class Audited extends McpServer {
    override registerTool = ((...args: Parameters<McpServer['registerTool']>) => {
      seen.push(args[0]);
      return McpServer.prototype.registerTool.apply(this, args);
    }) as McpServer['registerTool'];
  }
  class ByMethod extends McpServer {
    override registerPrompt(name: string, config: object, callback: never): never {
      seen.push(name);
      return super.registerPrompt(name, config, callback) as never;
    }
  }
  install(new Audited(info), [book]);
  install(new ByMethod(info), [plan]);
  expect(seen).toEqual(['book', 'plan']);
});

describe.each(['before', 'after'])('a host that wraps handlers %s it connects', (when) => {
  type Handle = (request: { params: { name: string } }, ctx: unknown) => Promise<CallToolResult>;

  /** Returns the handlers of a server, read in a way that a host could choose. */
  type Read = (handlers: Map<string, Handle>) => ReadonlyMap<string, Handle>;
  const reads: readonly (readonly [how: string, read: Read])[] = [
    ['by method', (handlers) => handlers],
    ['as a copy', (handlers) => new Map(handlers)],
    ['one by one', (handlers) => new Map([...handlers.entries()])],
    [
      'with forEach',
      (handlers) => {
        const copy = new Map<string, Handle>();
        handlers.forEach((handler, method) => copy.set(method, handler));
        return copy;
      },
    ],
  ];

  /** Reads the handlers, and sets others with setRequestHandler that call them. */
  function wrap(server: Server, seen: string[], read: Read = (handlers) => handlers): void {
    const handlers = read(Reflect.get(server, '_requestHandlers') as Map<string, Handle>);
    for (const method of ['tools/list', 'tools/call'] as const) {
      const inner = handlers.get(method)!;
      server.setRequestHandler(method, ((request, ctx) => {
        seen.push(method);
        if (method === 'tools/call' && request.params.name === 'book') return said('refused');
        return inner(request, ctx);
      }) as Handle as never);
    }
  }

  test.each<[string, (mcp: McpServer) => McpServer | Server]>([
    ['an McpServer', (mcp) => mcp],
    ['a low-level Server', (mcp) => mcp.server],
  ])('sees every request once, also those for definitions on %s', async (_, target) => {
    const seen: string[] = [];
    const server = new McpServer(info);
    server.registerTool('own', {}, () => said('own'));
    install(target(server), [book, defineTool('free', {}, () => 'free')]);
    if (when === 'before') wrap(server.server, seen);
    const { client, text } = await connectClient('legacy', () => server, yes);
    if (when === 'after') {
      await text('own');
      wrap(server.server, seen);
    }

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'own',
      'book',
      'free',
    ]);
    expect(await text('book', { city: 'Lyon' })).toBe('refused');
    expect(await text('free')).toBe('free');
    expect(await text('own')).toBe('own');
    expect(seen).toEqual(['tools/list', 'tools/call', 'tools/call', 'tools/call']);
  });

  test.each(reads)('sees requests for definitions, if it read the handlers %s', async (_, read) => {
    const seen: string[] = [];
    const server = new McpServer(info);
    install(server, [book]);
    if (when === 'before') wrap(server.server, seen, read);
    const { client, text } = await connectClient('legacy', () => server, yes);
    if (when === 'after') wrap(server.server, seen, read);

    expect((await client.listTools()).tools).toHaveLength(1);
    expect(await text('book', { city: 'Lyon' })).toBe('refused');
    expect(seen).toEqual(['tools/list', 'tools/call']);
  });
});

test('a host that reads a handler before install, and sets a wrapper after it, sees every request', async () => {
  const server = new McpServer(info);
  server.registerTool('own', {}, () => said('own'));
  requestStateSeal.ephemeral({ logger: SILENT }).protect(server);
  const handlers = Reflect.get(server.server, '_requestHandlers') as Map<string, () => never>;
  const inner = handlers.get('tools/call')!;
  install(server, [book]);
  const refuse: typeof inner = (...args) => {
    const [{ params }] = args as unknown as [{ params: { name: string } }];
    return params.name === 'book' ? (said('refused') as never) : inner(...args);
  };
  server.server.setRequestHandler('tools/call', refuse);
  const { text } = await connectClient('legacy', () => server, yes);

  expect(await text('book', { city: 'Lyon' })).toBe('refused');
  expect(await text('own')).toBe('own');
});

describe('the state of a definition beside the handlers of a host', () => {
  const factory = () => {
    const server = new McpServer(info);
    install(server, [book], { logger: SILENT });
    setToolHandlers(server.server);
    return server;
  };

  test('is sealed, and bound to its arguments', async () => {
    const { sendRound } = await connectClient('modern', factory, { elicit: [] });
    const { requestState } = questionsOf(await sendRound('book', { city: 'Lyon' }));
    expect(requestState).not.toContain('sure');

    const inputResponses = { sure: accept({ confirm: true }) };
    for (const forged of [
      sendRound('book', { city: 'Nice' }, { requestState, inputResponses }),
      sendRound('book', { city: 'Lyon' }, { requestState: `${requestState}x`, inputResponses }),
      sendRound('theirs', {}, { requestState }),
    ]) {
      expect(await protocolErrorOf(forged)).toMatchObject({
        code: -32602,
        message: 'Invalid or expired requestState',
      });
    }
    expect(await sendRound('book', { city: 'Lyon' }, { requestState, inputResponses })).toEqual(
      expect.objectContaining({ content: [{ type: 'text', text: 'Lyon' }] }),
    );
  });

  test('cannot come from a legacy client', async () => {
    const { client } = await connectClient('legacy', factory, yes);
    const params = { name: 'book', arguments: { city: 'Lyon' }, requestState: 'forged' };
    const call = client.request({ method: 'tools/call', params });
    expect(await protocolErrorOf(call)).toMatchObject({ code: -32602 });
  });
});

describe('a warning names the fix if a handler of the host hides a definition', () => {
  const warning = (method: string): string =>
    `'book' is installed, but a handler of the host answers ${method} without it. Call install(server.server, …) after the host has set its handlers.`;

  /** Lists the tools of a server, and returns the warnings. */
  async function warningsOf(arrange: (server: McpServer, logger: Logger) => void) {
    const warnings: string[] = [];
    const logger = { warn: (line: string) => warnings.push(line) };
    const server = new McpServer(info, { capabilities: { tools: {} } });
    arrange(server, logger);
    const { client } = await connectClient('legacy', () => server);
    await client.listTools();
    await client.listTools();
    return warnings;
  }

  test('that was set before', async () => {
    const warnings = await warningsOf((server, logger) => {
      setToolHandlers(server.server);
      install(server, [book], { logger });
    });
    expect(warnings).toEqual([warning('tools/list')]);
  });

  test('that was set after it read the present one', async () => {
    const warnings = await warningsOf((server, logger) => {
      install(server, [book], { logger });
      (Reflect.get(server.server, '_requestHandlers') as Map<string, unknown>).get('tools/list');
      setToolHandlers(server.server);
    });
    expect(warnings).toEqual([warning('tools/list')]);
  });

  test('that was put into the map of handlers', async () => {
    const warnings = await warningsOf((server, logger) => {
      install(server, [book], { logger });
      const handlers = Reflect.get(server.server, '_requestHandlers') as Map<string, unknown>;
      handlers.set('tools/list', async () => ({ tools: [] }));
    });
    expect(warnings).toEqual([warning('tools/list')]);
  });

  test('and the fix works', async () => {
    const warnings = await warningsOf((server, logger) => {
      setToolHandlers(server.server);
      install(server.server, [book], { logger });
    });
    expect(warnings).toEqual([]);
  });

  test('and there is none for a host that filters what it lists', async () => {
    const warnings = await warningsOf((server, logger) => {
      install(server, [book], { logger });
      const handlers = Reflect.get(server.server, '_requestHandlers') as Map<
        string,
        (request: unknown, ctx: unknown) => Promise<{ tools: object[] }>
      >;
      const inner = handlers.get('tools/list')!;
      server.server.setRequestHandler('tools/list', async (request, ctx) => {
        await inner(request, ctx);
        return { tools: [] };
      });
    });
    expect(warnings).toEqual([]);
  });
});
