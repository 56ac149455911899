/**
 * Several calls of `toolHandler` in one request. A request carries the state of one call, so only
 * one of them may ask, and no approval may reach another call than the one that it was given to.
 */
import { McpServer, Server } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import {
  argsOf,
  confirm,
  defineTool,
  install,
  memoryStore,
  resolver,
  toolHandler,
} from 'mcp-resolve';
import type { HandlerContext, Tool, ToolHandler } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { ACCEPT, endOf, overHttp, overStdio, tokenOf } from '../sealing/desk.js';
import type { Send } from '../sealing/desk.js';
import { connectClient } from '../support/plainClient.js';
import type { Factory } from '../support/servers.js';

/** The body of a hand-written tool, which calls handlers. */
type Body = (ctx: ServerContext) => Promise<unknown>;

const INFO = { name: 'host', version: '1.0.0' };

const mcpServer = (body: Body) => (): McpServer => {
  const server = new McpServer(INFO);
  server.registerTool('both', {}, (ctx) => body(ctx) as never);
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
    install(server, [unrelated], { logger });
    return server;
  };

const hosts: [name: string, host: (body: Body) => Factory][] = [
  ['a McpServer', mcpServer],
  ['a Server', lowLevelServer],
  ['a McpServer with install()', installed(mcpServer)],
  ['a Server with install()', installed(lowLevelServer)],
];

let lines: string[] = [];
const logger = { warn: (line: string) => void lines.push(line) };

const Payment = z.object({ invoice: z.string() });

/** A tool that pins an amount and asks, and the payments of its body. */
function paying(name = 'pay', extra: object = {}) {
  const paid: string[] = [];
  const { invoice } = argsOf(Payment);
  const euros = resolver({ invoice }, ({ invoice }): number => (invoice === 'INV-1' ? 1 : 900), {
    pin: z.number(),
  });
  const approved = resolver({ euros }, () => confirm('Proceed?'), { asks: 'form' });
  const tool = defineTool(
    name,
    { ...extra, inputSchema: Payment, resolve: { euros, approved } },
    ({ invoice, euros }) => {
      paid.push(`${name} ${invoice} ${euros}`);
      return `${name} ${invoice} ${euros}`;
    },
  );
  return { tool, paid, handler: handlerOf(tool) };
}

const handlerOf = (tool: Tool): ToolHandler => toolHandler(tool, { logger });

/** Runs a call until nothing is asked, and returns the last reply. The user accepts everything. */
async function runAll(send: Send) {
  let reply = await send('tools/call', { name: 'both' });
  for (let round = 0; round < 5 && reply.result?.requestState !== undefined; round += 1) {
    const inputResponses = { approved: ACCEPT.confirm };
    const requestState = reply.result.requestState;
    reply = await send('tools/call', { name: 'both', inputResponses, requestState });
  }
  return reply;
}

const isAsking = (result: unknown): boolean =>
  (result as { resultType?: string }).resultType === 'input_required';

const HAS_RUN = 'cannot run, because this call has run in this request';

const CANNOT_ASK = /cannot ask, because another call of the same request asks/;

describe.each(hosts)('on %s', (_, host) => {
  describe.each([
    ['HTTP', overHttp],
    ['stdio', overStdio],
  ])('over %s', (_transport, over) => {
    /** Calls two handlers, each as soon as the one before does not ask. */
    const inTurn = (first: ToolHandler, second: ToolHandler, invoices: readonly string[]) =>
      over(
        host(async (ctx) => {
          const result = await first({ invoice: invoices[0] }, ctx);
          return isAsking(result) ? result : second({ invoice: invoices[1] }, ctx);
        }),
      );

    test('an approval of one payment does not pay another with the same tool', async () => {
      const { handler, paid } = paying();
      const reply = await runAll(inTurn(handler, handler, ['INV-1', 'INV-2']));
      expect(endOf(reply)).toMatch(CANNOT_ASK);
      expect(paid).toEqual(['pay INV-1 1']);
    });

    test('an approval of one payment does not pay it twice', async () => {
      const { handler, paid } = paying();
      const reply = await runAll(inTurn(handler, handler, ['INV-1', 'INV-1']));
      expect(endOf(reply)).toMatch(CANNOT_ASK);
      expect(paid).toEqual(['pay INV-1 1']);
    });

    test('an approval of one tool does not run another', async () => {
      const [read, wipe] = [paying('read'), paying('wipe')];
      const reply = await runAll(inTurn(read.handler, wipe.handler, ['INV-1', 'INV-1']));
      expect(endOf(reply)).toMatch(CANNOT_ASK);
      expect([read.paid, wipe.paid]).toEqual([['read INV-1 1'], []]);
    });

    test('the second call does not get the recorded result of the first', async () => {
      const { handler, paid } = paying('pay', { once: memoryStore({ singleProcess: true }) });
      const reply = await runAll(inTurn(handler, handler, ['INV-1', 'INV-2']));
      expect(endOf(reply)).toMatch(CANNOT_ASK);
      expect(paid).toEqual(['pay INV-1 1']);
    });

    test('an approval does not pay twice if the handler composes the signal', async () => {
      const { handler, paid } = paying();
      const composed = (ctx: ServerContext): ServerContext => {
        const signal = AbortSignal.any([ctx.mcpReq.signal, new AbortController().signal]);
        return { ...ctx, mcpReq: { ...ctx.mcpReq, signal } };
      };
      const send = over(
        host(async (ctx) => {
          const result = await handler({ invoice: 'INV-1' }, composed(ctx));
          return isAsking(result) ? result : handler({ invoice: 'INV-1' }, composed(ctx));
        }),
      );
      const requestState = tokenOf(await send('tools/call', { name: 'both' }));
      const inputResponses = { approved: ACCEPT.confirm };
      const reply = await send('tools/call', { name: 'both', inputResponses, requestState });
      expect(endOf(reply)).toMatch(CANNOT_ASK);
      expect(paid).toEqual(['pay INV-1 1']);
    });

    describe.each([
      ['with its id', true],
      ['without its id', false],
    ])('if the handler copies parts of the context %s', (_id, withId) => {
      const parts = ({ mcpReq }: ServerContext): HandlerContext => ({
        mcpReq: {
          ...(withId && { id: mcpReq.id }),
          signal: AbortSignal.any([mcpReq.signal, new AbortController().signal]),
          requestState: () => mcpReq.requestState(),
          inputResponses: structuredClone(mcpReq.inputResponses),
          envelope: structuredClone(mcpReq.envelope),
        },
      });

      test.each(['in turn', 'at the same time'])(
        'an approval pays once if it calls twice %s',
        async (order) => {
          const { handler, paid } = paying();
          const results: unknown[] = [];
          const pay = async (ctx: ServerContext): Promise<unknown> => {
            const result = await handler({ invoice: 'INV-1' }, parts(ctx));
            results.push(result);
            return result;
          };
          const send = over(
            host(async (ctx) => {
              if (order === 'at the same time')
                return (await Promise.all([pay(ctx), pay(ctx)])).find(isAsking) ?? results.at(-1);
              const result = await pay(ctx);
              return isAsking(result) ? result : pay(ctx);
            }),
          );
          await runAll(send);
          expect(paid).toEqual(['pay INV-1 1']);
          expect(results.filter((result) => JSON.stringify(result).includes(HAS_RUN))).toHaveLength(
            1,
          );
        },
      );
    });

    test.each([
      ['may send a round again in a new request, if the host tells its id', 1, 2],
      ['may not, if it chooses ids that are too long to keep', 'x'.repeat(65), 1],
    ])('a client %s', async (_what, prefix, times) => {
      const { handler, paid } = paying();
      let round = 0;
      const send = over(
        host(({ mcpReq: { signal, requestState, inputResponses, envelope } }) =>
          handler(
            { invoice: 'INV-1' },
            {
              mcpReq: {
                id: `${prefix}${(round += 1)}`,
                signal,
                requestState,
                inputResponses,
                envelope,
              },
            },
          ),
        ),
      );
      const requestState = tokenOf(await send('tools/call', { name: 'both' }));
      const inputResponses = { approved: ACCEPT.confirm };
      for (const _ of [1, 2])
        await send('tools/call', { name: 'both', inputResponses, requestState });
      expect(paid).toHaveLength(times);
    });

    test('a call with other arguments in front does not take the approval', async () => {
      const { handler, paid } = paying();
      let round = 0;
      const send = over(
        host(async (ctx) => {
          round += 1;
          const invoices = round === 1 ? ['INV-2'] : ['INV-1', 'INV-2'];
          const results = await Promise.all(invoices.map((invoice) => handler({ invoice }, ctx)));
          return results.at(-1);
        }),
      );
      const reply = await runAll(send);
      expect(paid.filter((payment) => payment !== 'pay INV-2 900')).toEqual([]);
      expect(reply.text).toMatch(/pay INV-2 900|Invalid or expired requestState/);
    });

    test.each([
      ['the same arguments', ['INV-1', 'INV-1', 'INV-1']],
      ['other arguments', ['INV-1', 'INV-2', 'INV-3']],
    ])('of three calls at the same time with %s, only one asks', async (_what, invoices) => {
      const { handler, paid } = paying();
      const asked: unknown[] = [];
      const send = over(
        host(async (ctx) => {
          const calls = invoices.map((invoice) => handler({ invoice }, ctx));
          const results = await Promise.all(calls);
          asked.push(...results.filter(isAsking));
          return results.find(isAsking) ?? results[0];
        }),
      );
      await runAll(send);
      expect(asked).toHaveLength(1);
      expect(paid.filter((payment) => payment !== 'pay INV-1 1')).toEqual([]);
      expect(paid.length).toBeLessThan(2);
    });

    test('a call in a later round with another tool ends with a sentence', async () => {
      const [read, wipe] = [paying('read'), paying('wipe')];
      let round = 0;
      const send = over(
        host((ctx) => (++round === 1 ? read.handler : wipe.handler)({ invoice: 'INV-1' }, ctx)),
      );
      const reply = await runAll(send);
      expect(wipe.paid).toEqual([]);
      expect(reply.text).toMatch(/belongs to another call|Invalid or expired requestState/);
    });

    describe('a tool that does not declare its question', () => {
      /** A tool of an author without types. Its resolver has the name and the question of `paying`. */
      function undeclared(extra: object = {}) {
        const wiped: unknown[] = [];
        const approved: unknown = Reflect.apply(resolver, undefined, [
          {},
          () => confirm('Proceed?'),
        ]);
        const tool = Reflect.apply(defineTool, undefined, [
          'wipe',
          { ...extra, resolve: { approved } },
          ({ approved }: { approved: unknown }) => {
            wiped.push(approved);
            return 'wiped';
          },
        ]) as Tool;
        return { handler: handlerOf(tool), wiped };
      }

      /**
       * The approval of one tool, which a client sends to a handler that calls these in a later
       * round.
       */
      const approveLater = async (later: (read: ToolHandler, ctx: ServerContext) => unknown) => {
        const read = paying('read');
        let round = 0;
        const send = over(
          host((ctx) => {
            round += 1;
            if (round === 1) return read.handler({ invoice: 'INV-1' }, ctx);
            return Promise.resolve(later(read.handler, ctx));
          }),
        );
        const requestState = tokenOf(await send('tools/call', { name: 'both' }));
        const inputResponses = { approved: ACCEPT.confirm };
        const replay = { name: 'both', inputResponses, requestState };
        return { send, replay, read, reply: await send('tools/call', replay) };
      };

      test.each([{}, { once: memoryStore({ singleProcess: true }) }])(
        'does not use the approval of another (%o)',
        async (extra) => {
          const wipe = undeclared(extra);
          const { send, replay, reply } = await approveLater((_, ctx) => wipe.handler({}, ctx));
          expect(reply.text).toMatch(
            /belongs to another call|declares|Invalid or expired requestState/,
          );
          await send('tools/call', replay);
          expect(wipe.wiped).toEqual([]);
        },
      );

      test('does not run in front of the tool that was approved', async () => {
        const wipe = undeclared();
        const { read } = await approveLater(async (approved, ctx) => {
          const result = await wipe.handler({}, ctx);
          return isAsking(result) ? result : approved({ invoice: 'INV-1' }, ctx);
        });
        expect(wipe.wiped).toEqual([]);
        expect(read.paid.filter((payment) => payment !== 'read INV-1 1')).toEqual([]);
      });

      test('does not run behind the tool that was approved', async () => {
        const wipe = undeclared();
        const { read } = await approveLater(async (approved, ctx) => {
          await approved({ invoice: 'INV-1' }, ctx);
          return wipe.handler({}, ctx);
        });
        expect(wipe.wiped).toEqual([]);
        expect(read.paid).toEqual(['read INV-1 1']);
      });
    });

    test('a call in a later round with other arguments ends with a sentence', async () => {
      const { handler, paid } = paying();
      let round = 0;
      const send = over(host((ctx) => handler({ invoice: `INV-${++round}` }, ctx)));
      const reply = await runAll(send);
      expect(paid).toEqual([]);
      expect(reply.text).toMatch(/belongs to another call|Invalid or expired requestState/);
    });

    test('a handler that declares no question runs in front of one that asks', async () => {
      const { handler } = paying();
      const now = resolver({}, () => 'now');
      const noting = handlerOf(defineTool('note', { resolve: { now } }, () => 'noted'));
      const notes: unknown[] = [];
      const send = over(
        host(async (ctx) => {
          notes.push(await noting({}, ctx));
          return handler({ invoice: 'INV-1' }, ctx);
        }),
      );
      const reply = await runAll(send);
      expect(reply.text).toMatch(/pay INV-1 1|Invalid or expired requestState/);
      expect(notes[0]).toMatchObject({ content: [{ text: 'noted' }] });
    });

    test('a handler that does not ask runs beside one that does', async () => {
      const { handler, paid } = paying();
      const now = resolver({}, () => 'now');
      const note = defineTool('note', { resolve: { now } }, ({ now }) => `noted ${now}`);
      const noting = handlerOf(note);
      const notes: unknown[] = [];
      const send = over(
        host(async (ctx) => {
          const result = await handler({ invoice: 'INV-1' }, ctx);
          if (!isAsking(result)) notes.push(await noting({}, ctx));
          return result;
        }),
      );
      expect(endOf(await runAll(send))).toBe('pay INV-1 1');
      expect(paid).toEqual(['pay INV-1 1']);
      expect(notes).toMatchObject([{ content: [{ text: 'noted now' }] }]);
    });

    test('a state that the handler changes is refused', async () => {
      const { handler, paid } = paying();
      const state = JSON.stringify({ v: 8 });
      const send = over(
        host((ctx) =>
          handler(
            { invoice: 'INV-1' },
            {
              ...ctx,
              mcpReq: { ...ctx.mcpReq, requestState: () => state },
            },
          ),
        ),
      );
      const reply = await send('tools/call', { name: 'both' });
      expect(reply.text).toContain('Invalid or expired requestState');
      expect(paid).toEqual([]);
    });
  });

  test('a legacy client is asked by one call only', async () => {
    const { handler, paid } = paying();
    const client = await connectClient(
      'legacy',
      host(async (ctx) => {
        await handler({ invoice: 'INV-1' }, ctx);
        return handler({ invoice: 'INV-2' }, ctx);
      }),
      { elicit: () => ({ action: 'accept', content: { confirm: true } }) },
    );
    expect(await client.errorText('both', {})).toMatch(CANNOT_ASK);
    expect(client.asked).toEqual(['Proceed?']);
    expect(paid).toEqual(['pay INV-1 1']);
  });

  test('the operator reads the sentence, too', async () => {
    lines = [];
    const { handler } = paying();
    const send = overHttp(
      host(async (ctx) => {
        await handler({ invoice: 'INV-1' }, ctx);
        return handler({ invoice: 'INV-2' }, ctx);
      }),
    );
    expect(endOf(await send('tools/call', { name: 'both' }))).toMatch(CANNOT_ASK);
    expect(
      lines.filter((line) =>
        line.includes('cannot ask, because another call of the same request asks'),
      ),
    ).toHaveLength(1);
  });
});
