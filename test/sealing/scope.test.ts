/** The requests and results that the protection changes, and the ones that it leaves alone. */
import { inputRequired, McpServer, Server } from '@modelcontextprotocol/server';
import type { Result, ServerContext } from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { rawLegacy } from '../support/wire.js';
import {
  ACCEPT,
  ask,
  asTool,
  createSeal,
  deploy,
  endOf,
  expectFrozen,
  flipped,
  type Moment,
  moments,
  overHttp,
  overStdio,
  retry,
  STAGING,
  tokenOf,
} from './desk.js';

const newServer = (): Server =>
  new Server({ name: 'desk', version: '1.0.0' }, { capabilities: { tools: {}, prompts: {} } });

type AnyHandler = (request: unknown, ctx: ServerContext) => Result | Promise<Result>;

/** The states and results that a recorder saw. */
interface Recorded {
  readonly states: unknown[];
  readonly results: Result[];
}

/** Wraps a handler so that its states and results are recorded. */
function recording(
  recorded: Recorded,
  handler: AnyHandler,
): (...args: Parameters<AnyHandler>) => Promise<Result> {
  return async (request, ctx) => {
    recorded.states.push(ctx.mcpReq.requestState());
    const result = await handler(request, ctx);
    recorded.results.push(result);
    return result;
  };
}

/** Records like an interceptor, which wraps the handlers that are set from now on. */
function recordHandlers(server: Server): Recorded {
  const recorded: Recorded = { states: [], results: [] };
  const set = server.setRequestHandler.bind(server) as (
    method: string,
    handler: AnyHandler,
  ) => void;
  server.setRequestHandler = ((method: string, handler: AnyHandler) => {
    set(method, recording(recorded, handler));
  }) as typeof server.setRequestHandler;
  return recorded;
}

/** Records like telemetry, between the transport and the handler of `tools/call`. */
function recordWire(server: Server): Recorded {
  const recorded: Recorded = { states: [], results: [] };
  const handlers = Reflect.get(server, '_requestHandlers') as Map<string, AnyHandler>;
  const handler = recording(recorded, handlers.get('tools/call')!);
  // The map of the boundary would wrap the handler, so this uses the built-in `set`.
  Map.prototype.set.call(handlers, 'tools/call', handler);
  return recorded;
}

describe('I14: the protection', () => {
  test.each(moments)(
    'I14: leaves the states of a custom method unchanged, called %s its handler is set',
    async (when) => {
      const { seal, logged } = createSeal();
      const send = overStdio(() => {
        const server = newServer();
        if (when === 'before') seal.protect(server);
        server.setRequestHandler('acme/search', { params: z.looseObject({}) }, (_, ctx) => ({
          requestState: `saw ${String(ctx.mcpReq.requestState())}`,
        }));
        if (when === 'after') seal.protect(server);
        return server;
      });
      const reply = await send('acme/search', { requestState: 'mine' });
      expect(reply.result?.requestState).toBe('saw mine');
      expect(logged).toEqual([]);
    },
  );

  test.each(moments)('I14: leaves tools/list alone, called %s its handler is set', async (when) => {
    const { seal } = createSeal();
    const send = overHttp(() => {
      const server = newServer();
      if (when === 'before') seal.protect(server);
      server.setRequestHandler('tools/list', (_, ctx) => ({
        tools: [],
        _meta: { 'acme/state': ctx.mcpReq.requestState() },
      }));
      if (when === 'after') seal.protect(server);
      return server;
    });
    const { result } = await send('tools/list', { requestState: 'mine' });
    expect(result).toMatchObject({ tools: [], _meta: { 'acme/state': 'mine' } });
  });

  test('I14: leaves the state of a notification unchanged', async () => {
    const { seal, logged } = createSeal();
    const arrived: unknown[] = [];
    const { send, request } = await rawLegacy(() => {
      const server = newServer();
      seal.protect(server);
      server.setNotificationHandler(
        'acme/note',
        { params: z.looseObject({}) },
        ({ requestState }) => void arrived.push(requestState),
      );
      return server;
    });
    await send({ jsonrpc: '2.0', method: 'acme/note', params: { requestState: 'mine' } });
    await request('ping');
    expect(arrived).toEqual(['mine']);
    expect(logged).toEqual([]);
  });
});

describe('I15: the protection', () => {
  const protecting = (result: Result) => {
    const { seal } = createSeal();
    const server = newServer();
    server.setRequestHandler('tools/call', () => result as never);
    const inside = recordWire(server);
    seal.protect(server);
    return { send: overHttp(() => server), inside, outside: recordWire(server) };
  };
  const confirm = inputRequired.elicit({
    message: 'Sure?',
    requestedSchema: { type: 'object', properties: {} },
  });

  test.each<[string, Result]>([
    ['a complete result', { content: [{ type: 'text', text: 'done' }] }],
    [
      'a complete result with a property requestState',
      { content: [], requestState: 'no question' },
    ],
    ['questions without a state', inputRequired({ inputRequests: { confirm } })],
    ['a state of 7', { ...inputRequired({ inputRequests: { confirm } }), requestState: 7 }],
    ['a state of null', { ...inputRequired({ inputRequests: { confirm } }), requestState: null }],
    ['a state {}', { ...inputRequired({ inputRequests: { confirm } }), requestState: {} }],
  ])('I15: passes %s on as the same object', async (_, result) => {
    const { send, inside, outside } = protecting(result);
    await send('tools/call', STAGING);
    expect(outside.results).toHaveLength(1);
    expect(outside.results[0]).toBe(inside.results[0]);
  });

  test('I15: seals a copy of the result and keeps the other properties', async () => {
    const asking = {
      ...inputRequired({ requestState: 'awaiting-confirm' }),
      _meta: { 'acme/trace': 'x' },
    };
    const before = structuredClone(asking);
    Object.freeze(asking);
    const { send, outside } = protecting(asking);
    expect(tokenOf(await send('tools/call', STAGING))).toMatch(/^v1\./);
    expect(asking).toEqual(before);
    const { requestState, ...rest } = outside.results[0] as typeof asking;
    expect(requestState).toMatch(/^v1\./);
    const { requestState: _, ...expected } = before;
    expect(rest).toEqual(expected);
  });

  test('I15: seals an empty state', async () => {
    const { send } = protecting(inputRequired({ requestState: '' }));
    expect(tokenOf(await send('tools/call', STAGING))).toMatch(/^v1\./);
  });
});

describe('I16: an interceptor', () => {
  test.each(['before', 'after'])(
    'I16: sees the plaintext if it is added %s the protection, while the wire has the token',
    async (when) => {
      const { seal } = createSeal();
      const outside: Recorded[] = [];
      const inside: Recorded[] = [];
      const send = overHttp(() => {
        const server = newServer();
        if (when === 'before') inside.push(recordHandlers(server));
        seal.protect(server);
        if (when === 'after') inside.push(recordHandlers(server));
        server.setRequestHandler('tools/call', (_, ctx) => asTool(deploy('staging', ctx, {})));
        outside.push(recordWire(server));
        return server;
      });
      const token = await ask(send);
      expect(endOf(await retry(send, token))).toBe('deployed to staging');
      expect(inside.flatMap(({ states }) => states)).toEqual([undefined, 'awaiting-confirm']);
      expect(outside.flatMap(({ states }) => states)).toEqual([undefined, token]);
      expect(inside[0]!.results[0]).toHaveProperty('requestState', 'awaiting-confirm');
      expect(outside[0]!.results[0]).toHaveProperty('requestState', token);
    },
  );
});

describe('a handler with its own schema for the parameters', () => {
  const servingWith = (params: z.ZodType<Record<string, unknown>>, when: Moment) => {
    const { seal } = createSeal();
    return overHttp(() => {
      const server = newServer();
      if (when === 'before') seal.protect(server);
      server.setRequestHandler('tools/call', { params }, (parsed, ctx) => {
        const { env } = parsed.arguments as { env: string };
        return asTool(deploy(env, ctx, {}));
      });
      if (when === 'after') seal.protect(server);
      return server;
    });
  };

  test.each(moments)(
    'I35: binds a token to its arguments despite a parameter named params (protected %s it is set)',
    async (when) => {
      const send = servingWith(z.looseObject({ name: z.string() }), when);
      const decoy = { params: { name: 'decoy' } };
      const token = await ask(send, { ...STAGING, ...decoy });
      const production = { name: 'deploy', arguments: { env: 'production' }, ...decoy };
      expectFrozen(await retry(send, token, production));
      expect(endOf(await retry(send, token, { ...STAGING, ...decoy }))).toBe('deployed to staging');
    },
  );

  test.each(moments)(
    'I36: binds a token to the raw arguments, not the parsed ones (protected %s it is set)',
    async (when) => {
      let round = 0;
      const stamped = z.looseObject({ env: z.string(), at: z.number().default(() => ++round) });
      const send = servingWith(z.looseObject({ name: z.string(), arguments: stamped }), when);
      expect(endOf(await retry(send, await ask(send)))).toBe('deployed to staging');
    },
  );
});

test('protects a handler that replaces another one', async () => {
  const { seal } = createSeal();
  const send = overHttp(() => {
    const server = newServer();
    server.setRequestHandler('tools/call', () => ({ content: [] }));
    seal.protect(server);
    server.setRequestHandler('tools/call', (_, ctx) => asTool(deploy('staging', ctx, {})));
    return server;
  });
  const token = await ask(send);
  expectFrozen(await retry(send, flipped(token)));
  expect(endOf(await retry(send, token))).toBe('deployed to staging');
});

test('seals a state once if the server is protected twice', async () => {
  const { seal } = createSeal();
  const send = overHttp(() => {
    const server = new McpServer(
      { name: 'desk', version: '1.0.0' },
      { capabilities: { tools: {} } },
    );
    install(server, [], { seal });
    server.registerTool('deploy', {}, (ctx) => asTool(deploy('staging', ctx, {})));
    install(server, [], { seal });
    seal.protect(server.server);
    return server;
  });
  const token = await ask(send, { name: 'deploy' });
  const opened = await seal['~policy'].codec.unseal(token);
  expect(JSON.parse(Buffer.from(opened).toString())).toHaveProperty('s', 'awaiting-confirm');
  const end = await send('tools/call', {
    name: 'deploy',
    inputResponses: ACCEPT,
    requestState: token,
  });
  expect(endOf(end)).toBe('deployed to staging');
});
