/** `toolHandler`: a tool as a plain function, in hosts that register tools themselves. */
import { McpServer, Server } from '@modelcontextprotocol/server';
import type { ElicitResult } from '@modelcontextprotocol/server';
import {
  argsOf,
  confirm,
  defineTool,
  install,
  memoryStore,
  requestStateSeal,
  resolver,
  toolHandler,
} from 'mcp-resolve';
import type { CallEvent, HandlerContext, Tool, ToolHandlerOptions } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { ACCEPT, ask, caller, endOf, KEY, OTHER_KEY, overHttp } from '../sealing/desk.js';
import type { Send, SendOptions } from '../sealing/desk.js';
import { connectClient, connectStateless } from '../support/plainClient.js';
import { eras } from '../support/eras.js';
import { protocolErrorOf, questionsOf } from '../support/results.js';
import { httpHandler, SILENT } from '../support/servers.js';
import { hosts, onMcpServer, onServer, paying, Payment } from './hosts.js';

const yes = (): ElicitResult => ({ action: 'accept', content: { confirm: true } });
const no = (): ElicitResult => ({ action: 'decline' });
const logged = () => {
  const lines: string[] = [];
  return { lines, logger: { warn: (line: string) => lines.push(line) } };
};
const sealed = (key = KEY, audience = 'payments') => requestStateSeal({ keys: [key], audience });
const CALL = { name: 'pay', arguments: { invoice: 'INV-2' } };
/** Repeats a call with its state and the user's consent. */
const retry = (send: Send, requestState: string, call: object = CALL, options?: SendOptions) =>
  send(
    'tools/call',
    { ...call, inputResponses: { approved: ACCEPT.confirm }, requestState },
    options,
  );
const ASKED = ['Pay 900 euros for INV-2?'];

describe.each(hosts)('in %s', (_, host) => {
  describe.each(eras)('with a client of the %s era', (era) => {
    test('asks once, and runs the body once', async () => {
      const { tool, paid } = paying();
      const client = await connectClient(era, host(tool, { logger: SILENT }), { elicit: yes });
      expect(await client.text('pay', { invoice: 'INV-2' })).toBe('Paid 900 euros for INV-2.');
      expect(client.asked).toEqual(ASKED);
      expect(paid).toEqual(['INV-2']);
    });

    test('does not ask if there is nothing to ask', async () => {
      const client = await connectClient(era, host(paying().tool, { logger: SILENT }));
      expect(await client.text('pay', { invoice: 'INV-1' })).toBe('Paid 40 euros for INV-1.');
    });

    test('ends with the refusal of the user', async () => {
      const { tool, paid } = paying();
      const client = await connectClient(era, host(tool, { logger: SILENT }), { elicit: no });
      expect(await client.errorText('pay', { invoice: 'INV-2' })).toBe(
        "Error executing tool pay: Resolver for parameter 'approved' could not resolve: elicitation was decline",
      );
      expect(paid).toEqual([]);
    });

    test('drops forged parameters', async () => {
      const { tool } = paying();
      const client = await connectClient(era, host(tool, { logger: SILENT }), { elicit: yes });
      const forged = { invoice: 'INV-2', euros: 1, approved: true };
      expect(await client.text('pay', forged)).toBe('Paid 900 euros for INV-2.');
      expect(client.asked).toEqual(ASKED);
    });

    test('answers invalid arguments as install() does', async () => {
      const client = await connectClient(era, host(paying().tool, { logger: SILENT }));
      expect(await client.errorText('pay', { invoice: 7 })).toBe(
        'Input validation error: Invalid arguments for tool pay: invoice: Invalid input: expected string, received number',
      );
    });

    test('does not run the body if the client cannot be asked', async () => {
      const { tool, paid } = paying();
      const client = await connectClient(era, host(tool, { logger: SILENT }));
      const call = client.call('pay', { invoice: 'INV-2' });
      const failed = await call.then(
        ({ isError }) => isError,
        (error: unknown) => (error as { code?: unknown }).code === -32_021,
      );
      expect(failed).toBe(true);
      expect(paid).toEqual([]);
    });
  });

  test('lets another process with the same keys finish the call', async () => {
    const { tool, paid } = paying();
    const first = overHttp(host(tool, { seal: sealed(), logger: SILENT }));
    const second = overHttp(host(tool, { seal: sealed(), logger: SILENT }));
    const token = await ask(first, CALL);
    const end = await retry(second, token);
    expect(endOf(end)).toBe('Paid 900 euros for INV-2.');
    expect(paid).toEqual(['INV-2']);
  });

  test.each([
    ['another user', { authInfo: caller('bob') }, CALL],
    ['nobody', {}, CALL],
    [
      'other arguments',
      { authInfo: caller('alice') },
      { name: 'pay', arguments: { invoice: 'INV-3' } },
    ],
  ])('refuses the state of a call from %s', async (__, options, call) => {
    const { tool, paid } = paying();
    const { lines, logger } = logged();
    const send = overHttp(host(tool, { seal: sealed(), logger }));
    const token = await ask(send, CALL, { authInfo: caller('alice') });
    const reply = await retry(send, token, call, options);
    expect(reply.text).toContain('Invalid or expired requestState');
    expect(paid).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^requestState rejected on tools\/call: (principal|principal drift|request binding)$/,
    );
  });
});

describe('the era of a request', () => {
  const ENVELOPE = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'mixed', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };

  test.each([
    ['a whole envelope', ENVELOPE],
    [
      'a part of an envelope',
      { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } },
    ],
  ])('Z10: asks a legacy client that sends %s once, and runs the body once', async (_, _meta) => {
    const { tool, paid } = paying();
    const { client, asked } = await connectClient('legacy', onServer(tool), { elicit: yes });
    const result = await client.callTool({ ...CALL, _meta });
    expect(result.content).toEqual([{ type: 'text', text: 'Paid 900 euros for INV-2.' }]);
    expect(asked).toEqual(ASKED);
    expect(paid).toEqual(['INV-2']);
  });

  test('Z10: pushes the question if the host does not pass on the capabilities', async () => {
    const { client, asked } = await connectClient('legacy', onServer(paying().tool));
    expect(await protocolErrorOf(client.callTool(CALL))).toEqual({
      code: -32_021,
      message:
        "Client cannot answer the question of resolver 'approved', because it does not know elicitation/create",
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
    expect(asked).toEqual([]);
  });

  test('is what `protocolVersion` says, as a value or from the context', async () => {
    const { tool } = paying();
    const seen: unknown[] = [];
    const legacy = (ctx: HandlerContext) => {
      seen.push(ctx.mcpReq.signal);
      return '2025-11-25';
    };
    for (const protocolVersion of ['2025-11-25', legacy]) {
      const send = overHttp(onServer(tool, { protocolVersion, logger: SILENT }));
      const { error } = await send('tools/call', CALL);
      expect(error?.message).toBe(
        "Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.",
      );
    }
    expect(seen).toEqual([expect.any(AbortSignal)]);
  });

  test('names the ways out if a legacy client has no session', async () => {
    const { lines, logger } = logged();
    const { tool, paid } = paying();
    const handler = httpHandler(onServer(tool, { logger }));
    const client = await connectStateless(handler, { elicitation: {} });
    const { code } = await protocolErrorOf(client.callTool(CALL));
    expect(code).toBe(-32_600);
    expect(paid).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('createDualEraHandler() or serveHttp()');
  });
});

describe('the capabilities of the client', () => {
  const { invoice } = argsOf(Payment);
  const approved = resolver(
    { invoice },
    ({ invoice }) => confirm(`Pay ${invoice}?`, { otherwise: true }),
    { asks: 'form' },
  );
  const tool = defineTool(
    'pay',
    { inputSchema: Payment, resolve: { approved } },
    ({ approved }, ctx) => JSON.stringify([approved, ctx.canAsk('form')]),
  );

  test('are those of `clientCapabilities`, as a value or from the context', async () => {
    for (const clientCapabilities of [{}, () => ({})]) {
      const client = await connectClient('legacy', onServer(tool, { clientCapabilities }), {
        elicit: yes,
      });
      expect(await client.text('pay', { invoice: 'INV-2' })).toBe('[true,false]');
    }
  });

  test('lead to the fallback if the host cannot send', async () => {
    const handler = toolHandler(tool, { logger: SILENT });
    const { signal } = new AbortController();
    expect(await handler({ invoice: 'INV-2' }, { mcpReq: { signal } })).toEqual({
      content: [{ type: 'text', text: '[true,false]' }],
    });
  });
});

describe('the state', () => {
  test('is sealed by default', async () => {
    const send = overHttp(onServer(paying().tool, { logger: SILENT }));
    const token = await ask(send, CALL);
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('900');
    expect(endOf(await retry(send, token))).toBe('Paid 900 euros for INV-2.');
  });

  test('is for one audience: that of the options, or else the name of the tool', async () => {
    const { tool } = paying();
    const key = { seal: requestStateSeal.ephemeral(), logger: SILENT };
    const [own, same, other] = [{}, { audience: 'pay' }, { audience: 'billing' }].map((options) =>
      overHttp(onServer(tool, { ...key, ...options })),
    ) as [Send, Send, Send];
    const token = await ask(own, CALL);
    expect((await retry(other, token)).error?.message).toBe('Invalid or expired requestState');
    expect(endOf(await retry(same, token))).toBe('Paid 900 euros for INV-2.');
  });

  test('of another key is refused, and the listener hears of it', async () => {
    const { tool } = paying();
    const events: CallEvent[] = [];
    const token = await ask(overHttp(onServer(tool, { seal: sealed(), logger: SILENT })), CALL);
    const options: ToolHandlerOptions = {
      seal: sealed(OTHER_KEY),
      logger: SILENT,
      onEvent: (event) => events.push(event),
    };
    const reply = await retry(overHttp(onServer(tool, options)), token);
    expect(reply.error?.message).toBe('Invalid or expired requestState');
    expect(events).toMatchObject([{ type: 'rejected', reason: 'unknown key' }]);
  });

  test('runs a call with `once` once, whatever is sent again', async () => {
    const { tool, paid } = paying({ once: memoryStore() });
    const send = overHttp(onServer(tool, { logger: SILENT }));
    const token = await ask(send, CALL);
    for (const _ of [1, 2, 3]) {
      expect(endOf(await retry(send, token))).toBe('Paid 900 euros for INV-2.');
    }
    expect(paid).toEqual(['INV-2']);
  });

  describe('of a server with a seal', () => {
    const seal = sealed();
    const onSealed = (tool: Tool, options: ToolHandlerOptions = {}) => {
      const handler = toolHandler(tool, { argumentsParsed: true, ...options });
      return overHttp(() => {
        const server = new McpServer({ name: 'host', version: '1.0.0' });
        install(server, [], { seal, logger: SILENT });
        server.registerTool('pay', { inputSchema: Payment }, handler);
        return server;
      });
    };

    test.each([[{}], [{ seal }]])('is left to it', async (options) => {
      const { tool, paid } = paying();
      const send = onSealed(tool, options);
      expect(endOf(await retry(send, await ask(send, CALL)))).toBe('Paid 900 euros for INV-2.');
      expect(paid).toEqual(['INV-2']);
    });

    test('is not sent if the handler has another seal, with its own idea of the user', async () => {
      const { tool, paid } = paying();
      const reply = await onSealed(tool, { seal: sealed(OTHER_KEY) })('tools/call', CALL);
      expect(endOf(reply)).toBe(
        "The handler of tool 'pay' has another seal than its server. Pass the same seal to install() and to toolHandler(), or only to install().",
      );
      expect(paid).toEqual([]);
    });

    test('is not sent if others share its keys, and the `once` store is of this process', async () => {
      const { tool, paid } = paying({ once: memoryStore() });
      const reply = await onSealed(tool)('tools/call', CALL);
      expect(endOf(reply)).toContain('is visible only to this process');
      expect(paid).toEqual([]);
    });
  });

  test('belongs to the user, wherever the context has it', async () => {
    const { tool, paid } = paying();
    const handler = toolHandler(tool, { seal: sealed(), logger: SILENT });
    const { signal } = new AbortController();
    /** A context whose parts are getters of a class. */
    class HostContext implements HandlerContext {
      constructor(
        readonly user: string,
        readonly state?: string,
      ) {}
      get http() {
        return { authInfo: caller(this.user) };
      }
      get mcpReq() {
        const { state } = this;
        const answered = { inputResponses: { approved: ACCEPT.confirm } };
        return Object.create({
          signal,
          requestState: () => state,
          envelope: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
          ...(state !== undefined && answered),
        }) as HandlerContext['mcpReq'];
      }
    }
    const round = await handler(CALL.arguments, new HostContext('alice'));
    const { requestState } = questionsOf(round);
    await expect(handler(CALL.arguments, new HostContext('bob', requestState))).rejects.toThrow(
      'Invalid or expired requestState',
    );
    expect(paid).toEqual([]);
    await handler(CALL.arguments, new HostContext('alice', requestState));
    expect(paid).toEqual(['INV-2']);
  });

  test('is bound to the arguments as they came, also if a resolver changes them', async () => {
    const List = z.object({ to: z.array(z.string()) });
    const { to } = argsOf(List);
    const first = resolver({ to }, ({ to }) => to[1] ?? '', { pin: z.string() });
    const approved = resolver({ first }, ({ first }) => confirm(`Pay ${first}?`), { asks: 'form' });
    const changing = resolver({ to, first }, ({ to }) => to.shift());
    const tool = defineTool(
      'pay',
      { inputSchema: List, resolve: { approved, changing } },
      (values) => `Paid ${values.to[0]}.`,
    );
    const send = overHttp(onMcpServer(tool, { logger: SILENT }));
    const sent = { name: 'pay', arguments: { to: ['urgent', 'bob', 'alice'] } };
    const token = await ask(send, sent);
    const other = { name: 'pay', arguments: { to: ['bob', 'alice'] } };
    expect((await retry(send, token, other)).text).toContain('Invalid or expired requestState');
    expect(endOf(await retry(send, token, sent))).toBe('Paid bob.');
  });
});

describe('arguments that the host has validated', () => {
  test('are not validated again', async () => {
    const Length = z.object({ text: z.string().transform((text) => text.length) });
    const tool = defineTool('measure', { inputSchema: Length }, ({ text }) => `${text}`);
    const client = await connectClient('modern', onMcpServer(tool));
    expect(await client.text('measure', { text: 'four' })).toBe('4');
  });

  test('lose `__proto__`, which the digest ignores', async () => {
    const tool = defineTool('echo', { inputSchema: z.looseObject({}) }, (values) =>
      JSON.stringify(Object.getOwnPropertyNames(values)),
    );
    const { signal } = new AbortController();
    const forged: unknown = JSON.parse('{"__proto__":{"amount":7},"a":1}');
    for (const argumentsParsed of [true, false]) {
      expect(await toolHandler(tool, { argumentsParsed })(forged, { mcpReq: { signal } })).toEqual({
        content: [{ type: 'text', text: '["a"]' }],
      });
    }
  });

  test('lose the names of resolved parameters', async () => {
    const Loose = z.looseObject({ invoice: z.string() });
    const approved = resolver({}, () => 'by a resolver');
    const tool = defineTool('pay', { inputSchema: Loose, resolve: { approved } }, (values) =>
      JSON.stringify(values),
    );
    const handler = toolHandler(tool, { argumentsParsed: true });
    const { signal } = new AbortController();
    const forged = { invoice: 'INV-1', approved: true };
    expect(await handler(forged, { mcpReq: { signal } })).toEqual({
      content: [{ type: 'text', text: '{"invoice":"INV-1","approved":"by a resolver"}' }],
    });
  });

  const Visit = z.object({ day: z.string().transform((text) => new Date(text)) });
  const { day } = argsOf(Visit);
  const approved = resolver({ day }, () => confirm('Book it?'), { asks: 'form' });
  const book = defineTool('book', { inputSchema: Visit, resolve: { approved } }, (values) =>
    values.day.toISOString(),
  );
  const onDay = (of: string) => ({ name: 'book', arguments: { day: of } });

  test('bind the state by the values of dates', async () => {
    const send = overHttp(onMcpServer(book, { logger: SILENT }));
    const token = await ask(send, onDay('2026-11-18'));
    const other = await retry(send, token, onDay('2026-11-19'));
    expect(other.text).toContain('Invalid or expired requestState');
    expect(endOf(await retry(send, token, onDay('2026-11-18')))).toBe('2026-11-18T00:00:00.000Z');
  });

  test('cannot ask if a value is neither JSON nor a date nor a bigint', async () => {
    const Tags = z.object({ tags: z.array(z.string()).transform((tags) => new Set(tags)) });
    const tool = defineTool(
      'tag',
      {
        inputSchema: Tags,
        resolve: { approved: resolver({}, () => confirm('Tag it?'), { asks: 'form' }) },
      },
      () => 'tagged',
    );
    const { lines, logger } = logged();
    const send = overHttp(onMcpServer(tool, { logger }));
    const reply = await send('tools/call', { name: 'tag', arguments: { tags: ['a'] } });
    expect(endOf(reply)).toBe('Error executing tool tag');
    expect(lines.map((line) => line.replace(/call \S+:/, 'call …:'))).toEqual([
      "'tag' failed in call …: TypeError: The arguments contain a value that is neither JSON nor a Date nor a bigint, so the call cannot ask.",
    ]);
  });
});

describe('mistakes', () => {
  const { tool } = paying();
  const { signal } = new AbortController();

  const PASS_ON =
    "Pass on the parts of the host's context: handler(args, { mcpReq: { id, signal, requestState, inputResponses }, http: { authInfo } }).";

  test.each<[what: string, args: unknown, ctx: unknown, remedy: string]>([
    [
      'no context',
      { invoice: 'INV-1' },
      undefined,
      'Pass the context of the request: (args, ctx) => handler(args, ctx).',
    ],
    ['an empty context', { invoice: 'INV-1' }, {}, PASS_ON],
    ['a context without a signal', { invoice: 'INV-1' }, { mcpReq: {} }, PASS_ON],
    ['the flat context of a host', { invoice: 'INV-1' }, { signal, requestId: 1 }, PASS_ON],
    [
      'the context as its arguments',
      { mcpReq: { signal } },
      undefined,
      'For a tool without `inputSchema`, the SDK passes only the context. Register (ctx) => handler({}, ctx).',
    ],
  ])('a handler that gets %s says what to pass', async (_, args, ctx, remedy) => {
    await expect(toolHandler(tool)(args, ctx as HandlerContext)).rejects.toThrow(
      `The handler of tool 'pay' has no \`mcpReq.signal\` in its second argument. ${remedy}`,
    );
  });

  test('throws an error that names `requestState` if a modern context lacks it', async () => {
    const handler = toolHandler(tool, { protocolVersion: '2026-07-28' });
    await expect(handler({ invoice: 'INV-1' }, { mcpReq: { signal } })).rejects.toThrow(
      "The handler of tool 'pay' needs `mcpReq.requestState` in its second argument, a function that returns the state of the request. Pass on that of the host's context.",
    );
  });

  test.each<[part: string, forgotten: object]>([
    ['the answers', { inputResponses: undefined }],
    ['the state', { requestState: () => undefined }],
  ])('an adapter that does not pass on %s is reported once', async (_, forgotten) => {
    const { lines, logger } = logged();
    const handler = toolHandler(tool, { logger });
    const send = overHttp(() => {
      const server = new Server(
        { name: 'host', version: '1.0.0' },
        { capabilities: { tools: {} } },
      );
      server.setRequestHandler('tools/call', ({ params }, ctx) =>
        handler(params.arguments, { ...ctx, mcpReq: { ...ctx.mcpReq, ...forgotten } }),
      );
      return server;
    });
    const token = await ask(send, CALL);
    for (const _ of [1, 2]) await retry(send, token);
    expect(lines.filter((line) => line.startsWith('A client came back'))).toEqual([
      "A client came back with answers or with state, but not with both, so it is asked again. Check that the second argument of the handler has `requestState` and `inputResponses` of the host's context.",
    ]);
  });

  test('warns if the context has neither the version of the client nor `send`', async () => {
    const { lines, logger } = logged();
    const handler = toolHandler(tool, { logger });
    await handler({ invoice: 'INV-1' }, { mcpReq: { signal, requestState: () => undefined } });
    expect(lines).toEqual([
      "A handler of toolHandler() learns neither the protocol version of its client nor how to send a question, so the client cannot be asked. If the host serves clients of protocol 2026-07-28, set the option `protocolVersion: '2026-07-28'`.",
    ]);
  });

  test.each<[options: unknown, problem: string]>([
    [
      7,
      'toolHandler(): `options` must be an object { seal, askTimeoutMs, errors, onEvent, eventValues, usableCapabilities, logger, protocolVersion, clientCapabilities, audience, argumentsParsed }.',
    ],
    [
      { request: {} },
      "toolHandler() has no option 'request'. Known options: seal, askTimeoutMs, errors, onEvent, eventValues, usableCapabilities, logger, protocolVersion, clientCapabilities, audience, argumentsParsed.",
    ],
    [
      { protocolVersion: 2026 },
      'toolHandler(): `protocolVersion` must be a string, or a function that takes the context.',
    ],
    [
      { clientCapabilities: 'all' },
      'toolHandler(): `clientCapabilities` must be an object, or a function that takes the context.',
    ],
    [{ argumentsParsed: 'yes' }, 'toolHandler(): `argumentsParsed` must be true or false.'],
    [{ audience: '' }, 'toolHandler(): `audience` must be a non-empty string.'],
    [
      { audience: 'billing', seal: sealed() },
      'toolHandler(): the seal has an audience already. Remove `audience`.',
    ],
    [
      { askTimeoutMs: 0 },
      'toolHandler(): `askTimeoutMs` must be a positive number of milliseconds, at most 2147483647.',
    ],
  ])('refuses the options %j', (options, problem) => {
    expect(() => toolHandler(tool, options as ToolHandlerOptions)).toThrow(new TypeError(problem));
  });

  test('refuses a value that is not a tool', () => {
    expect(() => toolHandler('pay' as unknown as typeof tool)).toThrow(
      'toolHandler(): `tool` must be a tool. Create one with defineTool(name, config, body).',
    );
  });

  test('refuses a scope challenge, which nothing would check', () => {
    const challenging = defineTool('pay', { scopeChallenge: () => undefined }, () => 'paid');
    expect(() => toolHandler(challenging)).toThrow(
      "toolHandler(): the `scopeChallenge` of tool 'pay' works only with install() on an McpServer. Check the scopes in a guard.",
    );
  });

  test('refuses a store of this process with keys that others share', () => {
    const { tool: once } = paying({ once: memoryStore() });
    expect(() => toolHandler(once, { seal: sealed() })).toThrow('is visible only to this process');
  });

  test('reports an unexpected error to the logger, and hides it from the model', async () => {
    const failing = defineTool('fail', {}, () => {
      throw new Error('the secret cause');
    });
    const { lines, logger } = logged();
    const handler = toolHandler(failing, { logger });
    const result = await handler({}, { mcpReq: { signal } });
    expect(JSON.stringify(result)).not.toContain('secret');
    expect(lines).toEqual([expect.stringMatching(/^'fail' failed in call .*the secret cause/)]);
  });
});
