/**
 * Several calls of `toolHandler` in one request, whose handler copies the context for each of them.
 * Only one of them may ask, in both eras, with and without `install`.
 */
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer, Server } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, resolver, toolHandler } from 'mcp-resolve';
import type { HandlerContext } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
import { install as installV1 } from 'mcp-resolve/v1';
import { describe, expect, test } from 'vitest';

import { overHttp, overStdio } from '../sealing/desk.js';
import { connectClient } from '../support/plainClient.js';
import type { Factory } from '../support/servers.js';
import { SILENT } from '../support/servers.js';
import { connectV1 } from '../v1/serversV1.js';

type Body = (ctx: ServerContext) => Promise<unknown>;
type Copy = (ctx: ServerContext) => HandlerContext;

const INFO = { name: 'host', version: '1.0.0' };

const mcpServer = (body: Body) => (): McpServer => {
  const server = new McpServer(INFO);
  server.registerTool('all', {}, (ctx) => body(ctx) as never);
  return server;
};

const lowLevelServer = (body: Body) => (): Server => {
  const server = new Server(INFO, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', (_, ctx) => body(ctx) as never);
  return server;
};

const unrelated = defineTool('unrelated', {}, () => 'nothing');

const installed =
  (build: (body: Body) => () => McpServer | Server) =>
  (body: Body): Factory =>
  () => {
    const server = build(body)();
    install(server, [unrelated], { logger: SILENT });
    return server;
  };

const hosts: [name: string, host: (body: Body) => Factory][] = [
  ['an McpServer', mcpServer],
  ['a Server', lowLevelServer],
  ['an McpServer with install()', installed(mcpServer)],
  ['a Server with install()', installed(lowLevelServer)],
];

const composed = ({ mcpReq }: ServerContext): AbortSignal =>
  AbortSignal.any([mcpReq.signal, new AbortController().signal]);

/** Reads properties through a proxy, as tracers do. */
const watched = <T extends object>(value: T): T =>
  new Proxy(value, { get: (target, key) => Reflect.get(target, key) as unknown });

/** Binds functions when they are read, so each copy has others. */
const bound = <T extends object>(value: T): T =>
  new Proxy(value, {
    get: (target, key) => {
      const found: unknown = Reflect.get(target, key);
      return typeof found === 'function' ? (found.bind(target) as unknown) : found;
    },
  });

class HostContext {
  readonly #ctx: ServerContext;
  constructor(ctx: ServerContext) {
    this.#ctx = ctx;
  }
  get mcpReq() {
    return this.#ctx.mcpReq;
  }
  get http() {
    return this.#ctx.http;
  }
}

const copies: [name: string, copy: Copy][] = [
  ['passes on the context', (ctx) => ctx],
  ['composes a signal', (ctx) => ({ ...ctx, mcpReq: { ...ctx.mcpReq, signal: composed(ctx) } })],
  [
    'sets a time limit and wraps functions',
    (ctx) => ({
      ...ctx,
      mcpReq: {
        ...ctx.mcpReq,
        signal: AbortSignal.timeout(60_000),
        send: (...args: Parameters<typeof ctx.mcpReq.send>) => ctx.mcpReq.send(...args),
        log: () => Promise.resolve(),
        requestState: () => ctx.mcpReq.requestState(),
      },
    }),
  ],
  [
    'passes on a context with getters',
    (ctx) => ({
      get mcpReq() {
        return { ...ctx.mcpReq, signal: composed(ctx) };
      },
      get http() {
        return ctx.http;
      },
    }),
  ],
  [
    'watches the context through a proxy, and composes a signal',
    (ctx) => watched({ ...ctx, mcpReq: watched({ ...ctx.mcpReq, signal: composed(ctx) }) }),
  ],
  ['binds every function of the context', (ctx) => ({ ...ctx, mcpReq: bound(ctx.mcpReq) })],
  ['passes on an instance of its own class', (ctx) => new HostContext(ctx)],
  [
    'passes on the parts of the context that a call needs',
    ({ mcpReq: { signal, requestState, inputResponses, envelope, send }, http }) => ({
      mcpReq: { signal, requestState, inputResponses, envelope, send },
      http,
    }),
  ],
];

/** The tools of a request, and how many of their questions and bodies ran. */
function tools(count: number) {
  const ran: string[] = [];
  const handlers = Array.from({ length: count }, (_, index) => {
    const approved = resolver({}, () => confirm(`Run ${index}?`), { asks: 'form' });
    const tool = defineTool(`tool_${index}`, { resolve: { approved } }, () => {
      ran.push(`tool_${index}`);
      return 'ran';
    });
    return toolHandler(tool, { logger: SILENT });
  });
  return { handlers, ran };
}

/** Calls the handlers one after the other, or at the same time. The first question is returned. */
const calling =
  (handlers: ReturnType<typeof tools>['handlers'], copy: Copy, order: string, seen: unknown[]) =>
  async (ctx: ServerContext) => {
    const run = async (handler: (typeof handlers)[number]) => {
      const result = await handler({}, copy(ctx));
      seen.push(result);
      return result;
    };
    if (order === 'at the same time') await Promise.all(handlers.map(run));
    else for (const handler of handlers) await run(handler);
    return seen.find(isAsking) ?? seen[0];
  };

const isAsking = (result: unknown): boolean =>
  (result as { resultType?: string }).resultType === 'input_required';
const isRefused = (result: unknown): boolean =>
  JSON.stringify(result).includes('another call of the same request asks');

const orders = ['one after the other', 'at the same time'];

describe.each(hosts)('on %s', (_host, host) => {
  describe.each(copies)('if the handler %s', (_copy, copy) => {
    describe.each(orders)('and calls %s', (order) => {
      test.each([2, 3])('only one of %i calls asks a modern client', async (count) => {
        for (const over of [overHttp, overStdio]) {
          const { handlers, ran } = tools(count);
          const seen: unknown[] = [];
          const send = over(host(calling(handlers, copy, order, seen)));
          await send('tools/call', { name: 'all' });
          expect(seen.filter(isAsking)).toHaveLength(1);
          expect(seen.filter(isRefused)).toHaveLength(count - 1);
          expect(ran).toEqual([]);
        }
      });

      test.each([2, 3])('only one of %i calls asks a legacy client', async (count) => {
        const { handlers, ran } = tools(count);
        const seen: unknown[] = [];
        const client = await connectClient('legacy', host(calling(handlers, copy, order, seen)), {
          elicit: () => ({ action: 'accept', content: { confirm: true } }),
        });
        await client.call('all');
        expect(client.asked).toHaveLength(1);
        expect(seen.filter(isRefused)).toHaveLength(count - 1);
        expect(ran).toHaveLength(1);
      });

      test('two requests at the same time both ask', async () => {
        const { handlers, ran } = tools(1);
        const client = await connectClient('legacy', host(calling(handlers, copy, order, [])), {
          elicit: () => ({ action: 'accept', content: { confirm: true } }),
        });
        await Promise.all([client.call('all'), client.call('all')]);
        expect(client.asked).toHaveLength(2);
        expect(ran).toHaveLength(2);
      });
    });
  });

  test.each(['modern', 'legacy'] as const)(
    'the body of a call may not ask through another one (%s)',
    async (era) => {
      const {
        handlers: [inner],
        ran,
      } = tools(1);
      const results: unknown[] = [];
      const approved = resolver({}, () => confirm('Begin?'), { asks: 'form' });
      const outer = defineTool('outer', { resolve: { approved } }, async (_values, ctx) => {
        results.push(
          await inner!({}, { ...ctx, mcpReq: { ...ctx.mcpReq, signal: composed(ctx) } }),
        );
        return 'done';
      });
      const handler = toolHandler(outer, { logger: SILENT });
      const client = await connectClient(
        era,
        host((ctx) => handler({}, ctx)),
        { elicit: () => ({ action: 'accept', content: { confirm: true } }) },
      );
      expect(await client.text('all')).toBe('done');
      expect(results.filter(isRefused)).toHaveLength(1);
      expect(client.asked).toEqual(['Begin?']);
      expect(ran).toEqual([]);
    },
  );
});

test.each([false, true])(
  'on SDK 1.x, the body of a call may not ask through another one (composed signal: %s)',
  async (composes) => {
    const {
      handlers: [inner],
      ran,
    } = tools(1);
    const results: unknown[] = [];
    const approved = resolver({}, () => confirm('Begin?'), { asks: 'form' });
    const outer = defineTool('outer', { resolve: { approved } }, async (_values, ctx) => {
      const mcpReq = { ...ctx.mcpReq, ...(composes && { signal: composed(ctx) }) };
      results.push(await inner!({}, { ...ctx, mcpReq }));
      return 'done';
    });
    const server = new McpServerV1(INFO);
    installV1(server, [outer], { logger: SILENT });
    const { call, asked } = await connectV1(server, {
      answer: () => ({ action: 'accept', content: { confirm: true } }),
    });
    await call('outer');
    expect(results.filter(isRefused)).toHaveLength(1);
    expect(asked).toHaveLength(1);
    expect(ran).toEqual([]);
  },
);

const plan = planResolvers(
  { name: 'engine', resolve: { approved: resolver({}, () => confirm('Go?'), { asks: 'form' }) } },
  [],
);

/** Resolves arguments with the engine, in a hand-written handler. */
async function withEngine(ctx: ServerContext): Promise<unknown> {
  const clientCapabilities = { elicitation: { form: {} } };
  const options = { ctx, protocolVersion: '2026-07-28', clientCapabilities, logger: SILENT };
  const resolution = await resolveArguments(plan, {}, options).catch((error: unknown) => error);
  return 'result' in (resolution as object)
    ? (resolution as { result: unknown }).result
    : { content: [{ type: 'text', text: String(resolution) }] };
}

test.each(hosts)('on %s, a call of the engine counts, too', async (_, host) => {
  for (const first of ['engine', 'handler']) {
    const { handlers, ran } = tools(1);
    const seen: unknown[] = [];
    const calls = [withEngine, (ctx: ServerContext) => handlers[0]!({}, ctx)];
    if (first === 'handler') calls.reverse();
    const body = async (ctx: ServerContext) => {
      for (const call of calls)
        seen.push(await call({ ...ctx, mcpReq: { ...ctx.mcpReq, signal: composed(ctx) } }));
      return seen.find(isAsking);
    };
    await overHttp(host(body))('tools/call', { name: 'all' });
    expect(seen.filter(isAsking)).toHaveLength(1);
    expect(seen.filter(isRefused)).toHaveLength(1);
    expect(ran).toEqual([]);
  }
});

test.each([
  ['with ids', (id: number) => ({ id })],
  ['without ids', () => ({})],
])('functions that requests %s share do not make them one request', async (_, own) => {
  const {
    handlers: [handler],
    ran,
  } = tools(1);
  const tell = () => Promise.resolve();
  const send = () => Promise.resolve({ action: 'accept', content: { confirm: true } });
  const session = { send, notify: tell, log: tell, elicitInput: send, requestSampling: send };
  const call = (id: number) =>
    handler!(
      {},
      {
        mcpReq: { ...session, ...own(id), signal: new AbortController().signal },
      },
    );
  const results = await Promise.all([call(1), call(2)]);
  expect(results.filter(isRefused)).toEqual([]);
  expect(ran).toHaveLength(2);
});

test('users of a host that shares functions do not take each other for one request', async () => {
  const elicitInput = () => Promise.resolve({ action: 'decline' as const });
  const asUser = (clientId: string) => {
    const { signal } = new AbortController();
    const mcpReq = { id: 1, signal, elicitInput, requestState: () => undefined };
    return { http: { authInfo: { token: 't', clientId, scopes: [] } }, mcpReq };
  };
  const handler = toolHandler(
    defineTool(
      'pay',
      { resolve: { ok: resolver({}, () => confirm('Pay?'), { asks: 'form' }) } },
      () => 'paid',
    ),
    { protocolVersion: '2026-07-28', logger: SILENT },
  );
  for (const user of ['ann', 'bob', 'ann'])
    expect(isAsking(await handler({}, asUser(user)))).toBe(true);
});

test('one answer of a legacy client runs one of several equal calls', async () => {
  const ran: string[] = [];
  const pay = toolHandler(
    defineTool(
      'pay',
      { resolve: { ok: resolver({}, () => confirm('Pay?'), { asks: 'form' }) } },
      () => {
        ran.push('pay');
        return 'paid';
      },
    ),
    { protocolVersion: '2026-07-28', logger: SILENT },
  );
  for (const host of [mcpServer, lowLevelServer]) {
    ran.length = 0;
    const body: Body = async (ctx) => {
      const results = await Promise.all([pay({}, ctx), pay({}, ctx), pay({}, ctx)]);
      return results.find(isAsking) ?? results[0];
    };
    const client = await connectClient('legacy', host(body), {
      elicit: () => ({ action: 'accept', content: { confirm: true } }),
    });
    await client.call('all');
    expect(client.asked).toHaveLength(1);
    expect(ran).toEqual(['pay']);
  }
});
