/** `install` of `mcp-resolve/v1`: definitions on servers of SDK 1.x, called by clients of both SDKs. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult as ResultV1,
} from '@modelcontextprotocol/sdk/types.js';
import {
  completable,
  McpServer as McpServerV2,
  ProtocolError,
  ResourceTemplate as ResourceTemplateV2,
} from '@modelcontextprotocol/server';
import {
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicitUrl,
  install as installV2,
  listRoots,
  memoryStore,
  requestStateSeal,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import type { AnyDefinition, CallContext, CallEvent } from 'mcp-resolve';
import { install } from 'mcp-resolve/v1';
import type { InstallV1Options } from 'mcp-resolve/v1';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { paying } from '../handler/hosts.js';
import { deferred } from '../support/deferred.js';
import { errorTextOf, protocolErrorOf, textOf } from '../support/results.js';
import { SILENT } from '../support/servers.js';
import { clients, connectV1, connectV2, INFO, servers } from './serversV1.js';
import type { AnyServerV1 } from './serversV1.js';

const yes = () => ({ action: 'accept', content: { confirm: true } });
const no = () => ({ action: 'decline' });
const PAY = { invoice: 'INV-2' };
const PAID = 'Paid 900 euros for INV-2.';
const logged = () => {
  const lines: string[] = [];
  return { lines, logger: { warn: (line: string) => lines.push(line) } };
};
/** The SDK's 1.x client puts the code in front of messages. */
const withoutCode = async (call: Promise<unknown>) => {
  const error = await protocolErrorOf(call);
  return { ...error, message: error.message.replace(/^MCP error -?\d+: /, '') };
};

/** Installs definitions on a server, which it returns. */
function having(
  server: AnyServerV1,
  definitions: readonly AnyDefinition[],
  options?: InstallV1Options,
) {
  install(server, definitions, options);
  return server;
}

describe.each(servers)('on %s', (_, create) => {
  describe.each(clients)('with a client of %s', (__, connect) => {
    test('asks once, and runs the body once', async () => {
      const { tool, paid } = paying();
      const client = await connect(having(create(), [tool]), { answer: yes });
      expect(textOf(await client.call('pay', PAY))).toBe(PAID);
      expect(client.asked).toMatchObject([
        { method: 'elicitation/create', params: { message: 'Pay 900 euros for INV-2?' } },
      ]);
      expect(paid).toEqual(['INV-2']);
    });

    test('does not ask if there is nothing to ask', async () => {
      const client = await connect(having(create(), [paying().tool]));
      expect(textOf(await client.call('pay', { invoice: 'INV-1' }))).toBe(
        'Paid 40 euros for INV-1.',
      );
    });

    test.each(['decline', 'cancel'])('ends with the refusal of the user: %s', async (action) => {
      const { tool, paid } = paying();
      const client = await connect(having(create(), [tool]), { answer: () => ({ action }) });
      expect(errorTextOf(await client.call('pay', PAY))).toBe(
        `Error executing tool pay: Resolver for parameter 'approved' could not resolve: elicitation was ${action}`,
      );
      expect(paid).toEqual([]);
    });

    test('drops forged parameters', async () => {
      const client = await connect(having(create(), [paying().tool]), { answer: yes });
      const forged = { ...PAY, euros: 1, approved: true };
      expect(textOf(await client.call('pay', forged))).toBe(PAID);
      expect(client.asked).toHaveLength(1);
    });

    test('answers invalid arguments as the main entry does', async () => {
      const client = await connect(having(create(), [paying().tool]));
      expect(errorTextOf(await client.call('pay', { invoice: 7 }))).toBe(
        'Input validation error: Invalid arguments for tool pay: invoice: Invalid input: expected string, received number',
      );
    });

    test('answers -32021 if the client did not declare the capability', async () => {
      const { tool, paid } = paying();
      const client = await connect(having(create(), [tool]));
      expect(await withoutCode(client.call('pay', PAY))).toEqual({
        code: -32_021,
        message:
          "Client did not declare the form elicitation capability required by resolver 'approved'",
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
      expect(paid).toEqual([]);
    });

    test('lists the schema without the resolved parameters', async () => {
      const client = await connect(having(create(), [paying().tool]));
      expect(await client.list()).toMatchObject([
        { name: 'pay', inputSchema: { properties: { invoice: { type: 'string' } } } },
      ]);
      expect(JSON.stringify(await client.list())).not.toContain('approved');
    });

    test('pushes links, samplings and roots', async () => {
      const opened = resolver({}, () => elicitUrl('Sign in.', 'https://shop.example/'), {
        asks: 'url',
      });
      const word = resolver({}, () => sample({ messages: [text('A word?')], maxTokens: 5 }), {
        asks: 'sample',
      });
      const roots = resolver({}, () => listRoots(), { asks: 'roots' });
      const tool = defineTool('all', { resolve: { opened, word, roots } }, (values) =>
        JSON.stringify(values),
      );
      const client = await connect(having(create(), [tool]), {
        capabilities: { elicitation: { url: {} }, sampling: {}, roots: {} },
        answer: ({ method }) => ANSWERS[method],
      });
      const values = JSON.parse(textOf(await client.call('all'))) as object;
      expect(values).toMatchObject({ opened: true, roots: { roots: [{ uri: 'file:///work' }] } });
      expect(JSON.stringify(values)).toContain('blue');
      expect(client.asked.map(({ method }) => method)).toEqual([
        'elicitation/create',
        'sampling/createMessage',
        'roots/list',
      ]);
    });

    test('cancels the question and the call when the client cancels', async () => {
      const { tool, paid } = paying();
      const arrived = deferred<AbortSignal>();
      const ended = deferred<CallEvent>();
      const options: InstallV1Options = {
        onEvent: (event) => {
          if (event.type === 'completed') ended.resolve(event);
        },
      };
      const server = having(create(), [tool], options);
      const client = await connect(server, {
        answer: (___, signal) => {
          arrived.resolve(signal);
          return new Promise(() => undefined);
        },
      });
      // A client of SDK 1.x ignores that request 0 is cancelled.
      await (server instanceof McpServer ? server.server : server).ping();
      const cancelled = new AbortController();
      const call = client.call('pay', PAY, { signal: cancelled.signal });
      const signal = await arrived.promise;
      cancelled.abort(new Error('enough'));
      await expect(call).rejects.toThrow('enough');
      expect(await ended.promise).toMatchObject({ end: 'cancelled' });
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else
          signal.addEventListener('abort', () => {
            resolve();
          });
      });
      expect(paid).toEqual([]);
    });

    test('gives up after askTimeoutMs', async () => {
      const { tool } = paying();
      const client = await connect(having(create(), [tool], { askTimeoutMs: 20 }), {
        answer: () => new Promise(() => undefined),
      });
      expect(errorTextOf(await client.call('pay', PAY))).toBe(
        "Error executing tool pay: The client did not answer the question of resolver 'approved' within 0.02 seconds",
      );
    });

    test('passes on an error that the client answers with', async () => {
      const { tool, paid } = paying();
      const client = await connect(having(create(), [tool]), {
        answer: () => {
          throw new ProtocolError(-32_001, 'not now', { timeout: 'no' });
        },
      });
      expect(await withoutCode(client.call('pay', PAY))).toMatchObject({
        code: -32_001,
        message: 'not now',
      });
      expect(paid).toEqual([]);
    });
  });

  test('runs guards, pins, `once`, `dispose` and the body one time each', async () => {
    const ran: string[] = [];
    const guard = resolver({}, () => {
      ran.push('guard');
      return true;
    });
    const seat = resolver({}, () => ran.push('seat'), { pin: z.number() });
    const hold = resolver({ seat }, ({ seat }) => ran.push(`hold ${seat}`), {
      dispose: (__, end) => void ran.push(end),
    });
    const sure = resolver({ hold, seat }, ({ seat }) => confirm(`Seat ${seat}?`), { asks: 'form' });
    const tool = defineTool(
      'book',
      { guards: [guard], resolve: { seat, sure }, once: memoryStore() },
      ({ seat }) => {
        ran.push('body');
        return `Seat ${seat}.`;
      },
    );
    const client = await connectV1(having(create(), [tool]), { answer: yes });
    expect(textOf(await client.call('book'))).toBe('Seat 2.');
    expect(ran).toEqual(['guard', 'seat', 'hold 2', 'body', 'completed']);
  });

  test('does not cancel a question that was answered', async () => {
    const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
    const late = resolver({ sure }, () => {
      throw new ToolError('Too late.');
    });
    const tool = defineTool('late', { resolve: { late } }, () => 'ok');
    const client = await connectV1(having(create(), [tool]), { answer: yes });
    expect(errorTextOf(await client.call('late'))).toContain('Too late.');
    expect(client.received).toEqual(['elicitation/create']);
  });

  test('shows a definition only to clients that can answer, and asks no other', async () => {
    const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
    const hidden = defineTool('hidden', { resolve: { sure }, hideWhenCannotAsk: true }, () => 'ok');
    const able = await connectV1(having(create(), [hidden]), { answer: yes });
    expect((await able.list()).map(({ name }) => name)).toEqual(['hidden']);
    const unable = await connectV1(having(create(), [hidden]));
    expect(await unable.list()).toEqual([]);
  });

  test('falls back with `otherwise` if the client cannot be asked', async () => {
    const sure = resolver({}, () => confirm('Sure?', { otherwise: true }), { asks: 'form' });
    const tool = defineTool('ask', { resolve: { sure } }, ({ sure }, ctx) =>
      JSON.stringify([sure, ctx.canAsk('form'), ctx.protocolVersion ?? 'unknown']),
    );
    const client = await connectV1(having(create(), [tool]));
    expect(textOf(await client.call('ask'))).toBe('[true,false,"unknown"]');
  });

  test('reports errors to `onerror`, and shows the model only a ToolError', async () => {
    const broken = defineTool('broken', {}, () => {
      throw new Error('password: hunter2');
    });
    const refused = defineTool('refused', {}, () => {
      throw new ToolError('No such order.');
    });
    const server = create();
    const errors: string[] = [];
    const lowLevel = server instanceof McpServer ? server.server : server;
    const client = await connectV1(having(server, [broken, refused], { logger: SILENT }));
    lowLevel.onerror = ({ message }) => errors.push(message);
    expect(errorTextOf(await client.call('broken'))).toBe('Error executing tool broken');
    expect(errorTextOf(await client.call('refused'))).toContain('No such order.');
    expect(errors).toEqual(['password: hunter2']);
  });

  test('has the context of SDK 2.x', async () => {
    const seen: CallContext[] = [];
    const tool = defineTool('look', {}, async (__, ctx) => {
      seen.push(ctx);
      await ctx.mcpReq.log('info', 'looking');
      const { action } = await ctx.mcpReq.elicitInput({
        message: 'Hello?',
        requestedSchema: { type: 'object', properties: {} },
      });
      return action;
    });
    const client = await connectV1(having(create(), [tool]), { answer: no });
    expect(textOf(await client.call('look'))).toBe('decline');
    const [ctx] = seen;
    expect(ctx).toMatchObject({
      mcpReq: { method: 'tools/call', id: expect.any(Number) as unknown },
    });
    expect(ctx?.http).toBeUndefined();
    expect(ctx?.clientCapabilities).toEqual({ elicitation: { form: {} } });
  });

  test('refuses arguments that are nested too deeply', async () => {
    const client = await connectV1(having(create(), [paying().tool]));
    let deep: unknown = 1;
    for (let level = 0; level < 2000; level += 1) deep = [deep];
    expect(await protocolErrorOf(client.call('pay', { ...PAY, deep }))).toMatchObject({
      code: -32_602,
    });
  });

  test('gives legacy clients an output schema that is an object', async () => {
    const count = defineTool('count', { outputSchema: z.number() }, () => 3);
    const client = await connectV1(having(create(), [count]));
    expect(await client.list()).toMatchObject([
      {
        outputSchema: {
          type: 'object',
          properties: { result: { type: 'number' } },
          required: ['result'],
        },
      },
    ]);
    expect((await client.call('count')).structuredContent).toEqual({ result: 3 });
  });
});

const text = (words: string) => ({ role: 'user', content: { type: 'text', text: words } }) as const;

const ANSWERS: Readonly<Record<string, unknown>> = {
  'elicitation/create': { action: 'accept' },
  'sampling/createMessage': {
    role: 'assistant',
    model: 'tiny',
    content: { type: 'text', text: 'blue' },
  },
  'roots/list': { roots: [{ uri: 'file:///work' }] },
};

describe("the author's own tools", () => {
  const greet = () => ({ content: [{ type: 'text' as const, text: 'hello' }] });

  test.each(['before', 'after'])('work if they are registered %s install()', async (when) => {
    const server = new McpServer(INFO);
    if (when === 'before') server.registerTool('greet', {}, greet);
    install(server, [paying().tool]);
    if (when === 'after') server.registerTool('greet', {}, greet);
    const client = await connectV1(server, { answer: yes });
    expect((await client.list()).map(({ name }) => name)).toEqual(['greet', 'pay']);
    expect(textOf(await client.call('greet'))).toBe('hello');
    expect(textOf(await client.call('pay', PAY))).toBe(PAID);
  });

  test('work after install() on the low-level server of an McpServer', async () => {
    const server = new McpServer(INFO);
    install(server.server, [paying().tool]);
    server.registerTool('greet', {}, greet);
    const client = await connectV1(server, { answer: yes });
    expect((await client.list()).map(({ name }) => name)).toEqual(['greet', 'pay']);
    expect(textOf(await client.call('greet'))).toBe('hello');
    expect(textOf(await client.call('pay', PAY))).toBe(PAID);
  });

  test.each(['before', 'after'])(
    'work on a Server that sets handlers %s install()',
    async (when) => {
      const server = lowLevel();
      const set = () => {
        server.setRequestHandler(ListToolsRequestSchema, ({ params }) => ({
          tools: [{ name: params?.cursor ?? 'greet', inputSchema: { type: 'object' } }],
          ...(params?.cursor === undefined && { nextCursor: 'wave' }),
        }));
        server.setRequestHandler(CallToolRequestSchema, (): ResultV1 => greet());
      };
      if (when === 'before') set();
      install(server, [paying().tool]);
      if (when === 'after') set();
      const { client, list, call } = await connectV1(server, { answer: yes });
      expect((await list()).map(({ name }) => name)).toEqual(['greet', 'pay']);
      const second = await client.listTools({ cursor: 'wave' });
      expect(second.tools.map(({ name }) => name)).toEqual(['wave']);
      expect(textOf(await call('greet'))).toBe('hello');
      expect(textOf(await call('pay', PAY))).toBe(PAID);
    },
  );

  test('work if a fallback handler answers them, or does not know them', async () => {
    for (const knows of [true, false]) {
      const server = lowLevel();
      server.fallbackRequestHandler = ({ method }) => {
        if (!knows) throw new ProtocolError(-32_601, 'Method not found');
        const tools = [{ name: 'greet', inputSchema: { type: 'object' } }];
        return Promise.resolve(method === 'tools/list' ? { tools } : greet());
      };
      install(server, [paying().tool]);
      const client = await connectV1(server, { answer: yes });
      expect((await client.list()).map(({ name }) => name)).toEqual(
        knows ? ['greet', 'pay'] : ['pay'],
      );
      expect(textOf(await client.call('pay', PAY))).toBe(PAID);
      if (knows) expect(textOf(await client.call('greet'))).toBe('hello');
    }
  });

  test('cannot have the name of a definition on an McpServer', () => {
    const before = new McpServer(INFO);
    before.registerTool('pay', {}, greet);
    expect(() => {
      install(before, [paying().tool]);
    }).toThrow('Tool pay is already registered');
    const after = having(new McpServer(INFO), [paying().tool]) as McpServer;
    expect(() => after.registerTool('pay', {}, greet)).toThrow('Tool pay is already registered');
    expect(() => {
      install(after, [paying().tool]);
    }).toThrow('Tool pay is already registered');
  });

  test('lose the name of a definition on a Server, with a warning', async () => {
    const { lines, logger } = logged();
    const server = lowLevel({ tools: {} });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [{ name: 'pay', inputSchema: { type: 'object' } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, (): ResultV1 => greet());
    install(server, [paying().tool], { logger });
    const client = await connectV1(server, { answer: yes });
    expect(await client.list()).toHaveLength(1);
    expect(textOf(await client.call('pay', PAY))).toBe(PAID);
    expect(lines).toEqual([
      "The server's own handler also lists 'pay'. The definition of that name answers, so rename one of them.",
    ]);
  });

  test('share the server with several installs', async () => {
    const server = new McpServer(INFO);
    install(server, [paying().tool]);
    install(server, [defineTool('wave', {}, () => 'waves')]);
    const client = await connectV1(server, { answer: yes });
    expect((await client.list()).map(({ name }) => name)).toEqual(['pay', 'wave']);
    expect(textOf(await client.call('wave'))).toBe('waves');
  });
});

describe('prompts and resources', () => {
  const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
  const Args = z.object({ city: completable(z.string(), () => ['Bern', 'Basel']) });
  const prompt = definePrompt(
    'trip',
    { argsSchema: Args, resolve: { sure } },
    ({ city }) => `To ${city}.`,
  );
  const fixed = defineResource('rates', 'rates://today', { resolve: { sure } }, () => 'CHF 1');
  const template = defineResource(
    'rate',
    new ResourceTemplateV2('rate://{code}', { list: undefined }),
    { resolve: { sure } },
    (_, { variables }) => `${String(variables.code)} 2`,
  );

  test.each(servers)('ask and are listed on %s', async (_, create) => {
    const server = having(create(), [prompt, fixed, template]);
    const { client, asked } = await connectV1(server, { answer: yes });
    const got = await client.getPrompt({ name: 'trip', arguments: { city: 'Bern' } });
    expect(got.messages).toMatchObject([{ content: { text: 'To Bern.' } }]);
    const read = async (uri: string) => (await client.readResource({ uri })).contents;
    expect(await read('rates://today')).toMatchObject([{ text: 'CHF 1' }]);
    expect(await read('rate://EUR')).toMatchObject([{ text: 'EUR 2' }]);
    expect(asked).toHaveLength(3);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'trip' }]);
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'rates://today' }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'rate://{code}' },
    ]);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'trip' },
      argument: { name: 'city', value: 'B' },
    });
    expect(completion.values).toEqual(['Bern', 'Basel']);
  });

  test("leave the author's own to the author", async () => {
    const server = new McpServer(INFO);
    server.registerPrompt('own', {}, () => ({ messages: [text('mine')] }));
    server.registerResource('own', 'own://one', {}, ({ href: uri }) => ({
      contents: [{ uri, text: 'one' }],
    }));
    const own = new ResourceTemplate('own://{id}', { list: undefined });
    server.registerResource('owns', own, {}, ({ href: uri }) => ({
      contents: [{ uri, text: 'n' }],
    }));
    install(server, [prompt, fixed, template]);
    const { client } = await connectV1(server, { answer: yes });
    expect((await client.getPrompt({ name: 'own' })).messages).toEqual([text('mine')]);
    expect((await client.readResource({ uri: 'own://one' })).contents).toMatchObject([
      { text: 'one' },
    ]);
    expect((await client.readResource({ uri: 'own://7' })).contents).toMatchObject([{ text: 'n' }]);
    const names = (entries: readonly { name: string }[]) => entries.map(({ name }) => name);
    expect(names((await client.listPrompts()).prompts)).toEqual(['own', 'trip']);
    expect(names((await client.listResources()).resources)).toEqual(['own', 'rates']);
    expect(names((await client.listResourceTemplates()).resourceTemplates)).toEqual([
      'owns',
      'rate',
    ]);
  });
});

describe('a client of SDK 2.x in auto mode', () => {
  test('falls back to the legacy era', async () => {
    const { client } = await connectV2(having(new McpServer(INFO), [paying().tool]));
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
  });
});

describe('install() refuses', () => {
  const untyped = install as (...args: unknown[]) => void;
  const server = new McpServer(INFO);
  test.each([
    [
      'a server of SDK 2.x',
      [new McpServerV2(INFO), []],
      "install(): this server is from '@modelcontextprotocol/server'. Import install() from 'mcp-resolve' instead of 'mcp-resolve/v1'.",
    ],
    [
      'a low-level server of SDK 2.x',
      [new McpServerV2(INFO).server, []],
      "Import install() from 'mcp-resolve' instead",
    ],
    ['no server', [undefined, []], 'install(): `server` must be an McpServer or a Server.'],
    [
      'a seal',
      [server, [], { seal: requestStateSeal.ephemeral() }],
      "install() of mcp-resolve/v1 has no option 'seal'. A call on SDK 1.x is one request, so it has no state. Known options: askTimeoutMs, errors, onEvent, eventValues, usableCapabilities, logger.",
    ],
    ['a request', [server, [], { request: {} }], "has no option 'request'. Known options:"],
    ['an unknown option', [server, [], { timeout: 1 }], "install() has no option 'timeout'"],
    ['options that are no object', [server, [], 7], '`options` must be an object'],
    ['no array', [server, paying().tool], 'Write install(server, [refundOrder])'],
    [
      'a scope challenge',
      [server, [defineTool('t', { scopeChallenge: () => undefined }, () => 'ok')]],
      "install(): the `scopeChallenge` of tool 't' does not work on SDK 1.x. Check the scopes in a guard.",
    ],
    [
      'a server without handlers',
      [{ setRequestHandler: () => undefined }, []],
      "mcp-resolve cannot find the request handlers of this server. This version of '@modelcontextprotocol/sdk' is not supported.",
    ],
  ])('%s', (_, args, message) => {
    expect(() => {
      untyped(...args);
    }).toThrow(message);
  });

  test('a server that is connected', async () => {
    const connected = new McpServer(INFO);
    await connectV1(connected);
    expect(() => {
      install(connected, [paying().tool]);
    }).toThrow(
      'install(): this server is connected, so its client knows the capabilities. Call install() before server.connect().',
    );
  });

  test('a server of SDK 1.x in the main entry, which names this one', () => {
    expect(() => {
      (installV2 as (...args: unknown[]) => void)(new McpServer(INFO), []);
    }).toThrow("For a server from '@modelcontextprotocol/sdk', use install() of 'mcp-resolve/v1'.");
  });
});

function lowLevel(capabilities = { tools: {} }) {
  return new Server(INFO, { capabilities });
}
