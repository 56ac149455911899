/** What the boundary touches, what crosses it as it is, and who stands on which side of it. */
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
  deploy,
  endOf,
  expectFrozen,
  flipped,
  moments,
  overHttp,
  overStdio,
  retry,
  sealing,
  STAGING,
  tokenOf,
} from './desk.js';

const newServer = (): Server =>
  new Server({ name: 'desk', version: '1.0.0' }, { capabilities: { tools: {}, prompts: {} } });

type AnyHandler = (request: unknown, ctx: ServerContext) => Result | Promise<Result>;

interface Tap {
  readonly states: unknown[];
  readonly results: Result[];
}

function keeping(
  tapped: Tap,
  handler: AnyHandler,
): (...args: Parameters<AnyHandler>) => Promise<Result> {
  return async (request, ctx) => {
    tapped.states.push(ctx.mcpReq.requestState());
    const result = await handler(request, ctx);
    tapped.results.push(result);
    return result;
  };
}

/** An interceptor: stands in front of the handlers that are set from now on. */
function tapSetting(server: Server): Tap {
  const tapped: Tap = { states: [], results: [] };
  const set = server.setRequestHandler.bind(server) as (
    method: string,
    handler: AnyHandler,
  ) => void;
  server.setRequestHandler = ((method: string, handler: AnyHandler) => {
    set(method, keeping(tapped, handler));
  }) as typeof server.setRequestHandler;
  return tapped;
}

/** Telemetry: stands between the transport and whatever handles the calls of tools. */
function tapWire(server: Server): Tap {
  const tapped: Tap = { states: [], results: [] };
  const handlers = Reflect.get(server, '_requestHandlers') as Map<string, AnyHandler>;
  const handler = keeping(tapped, handlers.get('tools/call')!);
  // Past the map that the boundary has put there, in which it would stand inside.
  Map.prototype.set.call(handlers, 'tools/call', handler);
  return tapped;
}

describe('I14: other methods', () => {
  test.each(moments)(
    'I14: a custom method with a state in and out is not touched (%s)',
    async (when) => {
      const { seal, said } = sealing();
      const send = overStdio(() => {
        const server = newServer();
        if (when === 'early') seal.protect(server);
        server.setRequestHandler('acme/search', { params: z.looseObject({}) }, (_, ctx) => ({
          requestState: `saw ${String(ctx.mcpReq.requestState())}`,
        }));
        if (when === 'late') seal.protect(server);
        return server;
      });
      const reply = await send('acme/search', { requestState: 'mine' });
      expect(reply.result?.requestState).toBe('saw mine');
      expect(said).toEqual([]);
    },
  );

  test.each(moments)('I14: tools/list with a state runs (%s)', async (when) => {
    const { seal } = sealing();
    const send = overHttp(() => {
      const server = newServer();
      if (when === 'early') seal.protect(server);
      server.setRequestHandler('tools/list', (_, ctx) => ({
        tools: [],
        _meta: { 'acme/state': ctx.mcpReq.requestState() },
      }));
      if (when === 'late') seal.protect(server);
      return server;
    });
    const { result } = await send('tools/list', { requestState: 'mine' });
    expect(result).toMatchObject({ tools: [], _meta: { 'acme/state': 'mine' } });
  });

  test('I14: a notification with a state arrives as it is', async () => {
    const { seal, said } = sealing();
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
    expect(said).toEqual([]);
  });
});

describe('I15: what crosses', () => {
  const through = (result: Result) => {
    const { seal } = sealing();
    const server = newServer();
    server.setRequestHandler('tools/call', () => result as never);
    const inside = tapWire(server);
    seal.protect(server);
    return { send: overHttp(() => server), inside, outside: tapWire(server) };
  };
  const confirm = inputRequired.elicit({
    message: 'Sure?',
    requestedSchema: { type: 'object', properties: {} },
  });

  test.each<[string, Result]>([
    ['a complete result', { content: [{ type: 'text', text: 'done' }] }],
    ['a complete result with a member requestState', { content: [], requestState: 'no question' }],
    ['questions without a state', inputRequired({ inputRequests: { confirm } })],
    ['a state of 7', { ...inputRequired({ inputRequests: { confirm } }), requestState: 7 }],
    ['a state of null', { ...inputRequired({ inputRequests: { confirm } }), requestState: null }],
    ['a state {}', { ...inputRequired({ inputRequests: { confirm } }), requestState: {} }],
  ])('I15: %s crosses as the same object', async (_, result) => {
    const { send, inside, outside } = through(result);
    await send('tools/call', STAGING);
    expect(outside.results).toHaveLength(1);
    expect(outside.results[0]).toBe(inside.results[0]);
  });

  test('I15: sealing works on a copy, and the rest of the result is kept', async () => {
    const asking = {
      ...inputRequired({ requestState: 'awaiting-confirm' }),
      _meta: { 'acme/trace': 'x' },
    };
    const before = structuredClone(asking);
    Object.freeze(asking);
    const { send, outside } = through(asking);
    expect(tokenOf(await send('tools/call', STAGING))).toMatch(/^v1\./);
    expect(asking).toEqual(before);
    const { requestState, ...rest } = outside.results[0] as typeof asking;
    expect(requestState).toMatch(/^v1\./);
    const { requestState: _, ...expected } = before;
    expect(rest).toEqual(expected);
  });

  test('I15: the empty state is a state, and is sealed', async () => {
    const { send } = through(inputRequired({ requestState: '' }));
    expect(tokenOf(await send('tools/call', STAGING))).toMatch(/^v1\./);
  });
});

describe('I16: placement', () => {
  test.each(['before', 'after'])(
    'I16: interceptors, set %s, see plaintext, and the wire the token',
    async (when) => {
      const { seal } = sealing();
      const outside: Tap[] = [];
      const inside: Tap[] = [];
      const send = overHttp(() => {
        const server = newServer();
        if (when === 'before') inside.push(tapSetting(server));
        seal.protect(server);
        if (when === 'after') inside.push(tapSetting(server));
        server.setRequestHandler('tools/call', (_, ctx) => asTool(deploy('staging', ctx, {})));
        outside.push(tapWire(server));
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

describe('handlers that are given their own schema for the parameters', () => {
  const own = (params: z.ZodType<Record<string, unknown>>, when: 'early' | 'late' = 'early') => {
    const { seal } = sealing();
    return overHttp(() => {
      const server = newServer();
      if (when === 'early') seal.protect(server);
      server.setRequestHandler('tools/call', { params }, (given, ctx) => {
        const { env } = given.arguments as { env: string };
        return asTool(deploy(env, ctx, {}));
      });
      if (when === 'late') seal.protect(server);
      return server;
    });
  };

  test.each(moments)(
    'I35: a member params among them does not rebind a token (%s)',
    async (when) => {
      const send = own(z.looseObject({ name: z.string() }), when);
      const decoy = { params: { name: 'decoy' } };
      const token = await ask(send, { ...STAGING, ...decoy });
      const production = { name: 'deploy', arguments: { env: 'production' }, ...decoy };
      expectFrozen(await retry(send, token, production));
      expect(endOf(await retry(send, token, { ...STAGING, ...decoy }))).toBe('deployed to staging');
    },
  );

  test.each(moments)(
    'I36: a token binds the arguments as they came over the wire, not as they were parsed (%s)',
    async (when) => {
      let round = 0;
      const stamped = z.looseObject({ env: z.string(), at: z.number().default(() => ++round) });
      const send = own(z.looseObject({ name: z.string(), arguments: stamped }), when);
      expect(endOf(await retry(send, await ask(send)))).toBe('deployed to staging');
    },
  );
});

test('a handler that is replaced is protected as the first one was', async () => {
  const { seal } = sealing();
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

test('a server that is protected twice seals once', async () => {
  const { seal } = sealing();
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
