/** The bounds on 2025 sessions: how many there are, whose, and how much they may ask. */
import {
  type AuthInfo,
  McpServer,
  type McpServerFactory,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createDualEraHandler, type DualEraHandlerOptions } from 'mcp-resolve/node';

import { askingFactory, deferred, text } from './askingServer.js';
import {
  answer,
  get,
  initialize,
  isOpen,
  messagesOn,
  openSession,
  post,
  refusalOf,
  remove,
  toolCall,
  withSession,
} from './rawHttp.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Lets a moment pass, so that one use is later than another. */
function aMomentLater(ms = 1): void {
  vi.setSystemTime(Date.now() + ms);
}

function handlerOf(options: DualEraHandlerOptions = {}) {
  const { factory, witness } = askingFactory();
  return { handler: createDualEraHandler(factory, options), witness };
}

const full = {
  status: 503,
  code: -32000,
  message: 'Too many sessions: this server keeps at most 1 open. Try again later.',
  id: 1,
};

describe('a full handler', () => {
  it('ends the session unused for longest to make room for one more', async () => {
    const { handler } = handlerOf({ maxSessions: 2 });
    const first = await openSession(handler);
    aMomentLater();
    const second = await openSession(handler);
    aMomentLater();
    expect(await isOpen(handler, first)).toBe(true);

    aMomentLater();
    const third = await openSession(handler);
    expect(handler.sessionCount).toBe(2);
    expect(await isOpen(handler, second)).toBe(false);
    expect(await isOpen(handler, first)).toBe(true);
    expect(await isOpen(handler, third)).toBe(true);
  });

  it('refuses one more session while the only one works on a call', async () => {
    const { handler, witness } = handlerOf({ maxSessions: 1 });
    const id = await openSession(handler);
    await handler.fetch(post(toolCall('hang'), withSession(id)));
    await witness.hanging;
    expect(await refusalOf(await handler.fetch(post(initialize)))).toEqual(full);
    expect(await isOpen(handler, id)).toBe(true);

    expect((await handler.fetch(remove(withSession(id)))).status).toBe(200);
    expect((await handler.fetch(post(initialize))).status).toBe(200);
  });

  it('refuses one more session while the only one waits for an answer', async () => {
    const { handler } = handlerOf({ maxSessions: 1 });
    const id = await openSession(handler);
    const greet = toolCall('greet', 2, { greeting: 'Hello' });
    const messages = messagesOn(await handler.fetch(post(greet, withSession(id))));
    const question = await messages.next();
    expect(await refusalOf(await handler.fetch(post(initialize)))).toEqual(full);

    await handler.fetch(post(answer(question.id, 'Ada'), withSession(id)));
    expect((await messages.next()).result?.content[0]?.text).toBe('Hello, Ada!');
    expect((await handler.fetch(post(initialize))).status).toBe(200);
  });

  it('ends a session whose client only listens, and its stream', async () => {
    const { handler } = handlerOf({ maxSessions: 1 });
    const id = await openSession(handler);
    const stream = await handler.fetch(get(withSession(id)));
    expect((await handler.fetch(post(initialize))).status).toBe(200);
    expect(await stream.text()).toBe('');
  });

  it('counts the sessions that are still being opened', async () => {
    const gate = deferred<undefined>();
    const { factory } = askingFactory();
    const slow: McpServerFactory = async (context) => {
      await gate.promise;
      return factory(context);
    };
    const handler = createDualEraHandler(slow, { maxSessions: 1 });
    const first = handler.fetch(post(initialize));
    const second = await handler.fetch(post(initialize));
    gate.resolve(undefined);

    expect(await refusalOf(second)).toEqual(full);
    expect((await first).status).toBe(200);
  });

  it('makes room by closing a session whose client left a question behind', async () => {
    const { handler } = handlerOf({ maxSessions: 1 });
    const id = await openSession(handler);
    const greet = toolCall('greet', 2, { greeting: 'Hello' });
    const messages = messagesOn(await handler.fetch(post(greet, withSession(id))));
    await messages.next();
    await messages.cancel();
    expect((await handler.fetch(post(initialize))).status).toBe(503);

    aMomentLater(60_000);
    expect((await handler.fetch(post(initialize))).status).toBe(200);
    expect(await isOpen(handler, id)).toBe(false);
  });

  it('keeps no place and no server for a handshake that was refused', async () => {
    const { factory } = askingFactory();
    const onclose = vi.fn();
    const closing: McpServerFactory = async (context) => {
      const server = (await factory(context)) as McpServer;
      server.server.onclose = onclose;
      return server;
    };
    const handler = createDualEraHandler(closing, { maxSessions: 1 });
    const refused = await handler.fetch(post(initialize, { accept: 'text/html' }));
    expect(refused.status).toBe(406);
    expect(onclose).toHaveBeenCalledOnce();
    expect(handler.sessionCount).toBe(0);
  });
});

describe('a principal with as many sessions as allowed', () => {
  const user = (sub: string): { authInfo: AuthInfo } => ({
    authInfo: { token: sub, clientId: 'app', scopes: [], extra: { sub } },
  });
  const alice = user('alice');
  const bob = user('bob');

  it('loses the own session unused for longest, and nobody else loses any', async () => {
    const { handler } = handlerOf({ maxSessionsPerPrincipal: 2 });
    const bobs = await openSession(handler, bob);
    aMomentLater();
    const first = await openSession(handler, alice);
    aMomentLater();
    const second = await openSession(handler, alice);
    aMomentLater();
    const third = await openSession(handler, alice);

    expect(await isOpen(handler, first, alice)).toBe(false);
    expect(await isOpen(handler, second, alice)).toBe(true);
    expect(await isOpen(handler, third, alice)).toBe(true);
    expect(await isOpen(handler, bobs, bob)).toBe(true);
  });

  it('is refused with 429 while calls are in flight in all of them, and others are not', async () => {
    const { handler, witness } = handlerOf({ maxSessionsPerPrincipal: 1 });
    const id = await openSession(handler, alice);
    await handler.fetch(post(toolCall('hang'), withSession(id)), alice);
    await witness.hanging;

    expect(await refusalOf(await handler.fetch(post(initialize), alice))).toEqual({
      status: 429,
      code: -32000,
      message:
        'Too many sessions: this server keeps at most 1 open for one user. End one of yours first.',
      id: 1,
    });
    expect((await handler.fetch(post(initialize), bob)).status).toBe(200);
  });

  it('cannot pass the limit with handshakes sent at once', async () => {
    const { handler } = handlerOf({ maxSessionsPerPrincipal: 2 });
    const attempts = Array.from({ length: 5 }, () => handler.fetch(post(initialize), alice));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
    expect(statuses.filter((status) => status === 429)).toHaveLength(3);
    expect(handler.sessionCount).toBe(2);
  });

  it('is never nobody: what is opened without a token has only the common limit', async () => {
    const { handler } = handlerOf({ maxSessionsPerPrincipal: 1 });
    await Promise.all([openSession(handler), openSession(handler), openSession(handler)]);
    expect(handler.sessionCount).toBe(3);
  });
});

describe('the questions of a session', () => {
  /** A tool that asks several questions at once and tells what became of each. */
  const curious: McpServerFactory = () => {
    const server = new McpServer({ name: 'curious', version: '1.0.0' });
    const inputSchema = z.object({ times: z.number() });
    server.registerTool('ask', { inputSchema }, async ({ times }, ctx) => {
      const asked = await Promise.allSettled(Array.from({ length: times }, () => ask(ctx)));
      return text(
        asked.map((one) => (one.status === 'fulfilled' ? one.value : told(one))).join('|'),
      );
    });
    server.registerTool('insist', { inputSchema }, async ({ times }, ctx) => {
      await Promise.all(Array.from({ length: times }, () => ask(ctx)));
      return text('all answered');
    });
    return server;
  };
  const ask = async (ctx: ServerContext): Promise<string> => {
    const requestedSchema = { type: 'object', properties: {} } as const;
    const params = { mode: 'form', message: 'Well?', requestedSchema } as const;
    const { signal } = ctx.mcpReq;
    return (await ctx.mcpReq.send({ method: 'elicitation/create', params }, { signal })).action;
  };
  const told = ({ reason }: PromiseRejectedResult): string => (reason as Error).message;
  const tooMany = 'Too many open questions: this session waits for 2 answers already.';

  it('beyond maxOpenQuestions are not sent, and the others are answered', async () => {
    const handler = createDualEraHandler(curious, { maxOpenQuestions: 2 });
    const session = withSession(await openSession(handler));
    const response = await handler.fetch(post(toolCall('ask', 2, { times: 3 }), session));
    const messages = messagesOn(response);
    for (const question of [await messages.next(), await messages.next()]) {
      await handler.fetch(post(answer(question.id, 'Ada'), session));
    }
    const { result } = await messages.next();
    expect(result?.content[0]?.text).toBe(`accept|accept|${tooMany}`);
  });

  it('fail the call that asks too many of them, and the session goes on', async () => {
    const handler = createDualEraHandler(curious, { maxOpenQuestions: 2 });
    const id = await openSession(handler);
    const insist = toolCall('insist', 2, { times: 3 });
    const messages = messagesOn(await handler.fetch(post(insist, withSession(id))));
    const questions = [await messages.next(), await messages.next()];
    const { result } = await messages.next();
    expect(result).toEqual({ isError: true, content: [{ type: 'text', text: tooMany }] });

    for (const question of questions) {
      await handler.fetch(post(answer(question.id, 'Ada'), withSession(id)));
    }
    const again = messagesOn(
      await handler.fetch(post(toolCall('ask', 3, { times: 2 }), withSession(id))),
    );
    expect((await again.next()).method).toBe('elicitation/create');
    expect((await again.next()).method).toBe('elicitation/create');
  });

  it('are counted no longer when their call is cancelled', async () => {
    const handler = createDualEraHandler(curious, { maxOpenQuestions: 2 });
    const session = withSession(await openSession(handler));
    for (const id of [2, 3, 4]) {
      const call = post(toolCall('insist', id, { times: 2 }), session);
      const messages = messagesOn(await handler.fetch(call));
      expect((await messages.next()).method).toBe('elicitation/create');
      expect((await messages.next()).method).toBe('elicitation/create');
      const cancelled = { method: 'notifications/cancelled', params: { requestId: id } };
      await handler.fetch(post({ jsonrpc: '2.0', ...cancelled }, session));
    }
  });
});

describe('3,000 abandoned sessions', () => {
  it('never are more than maxSessions, and all end', { timeout: 60_000 }, async () => {
    const count = { built: 0, closed: 0 };
    const counted: McpServerFactory = () => {
      const server = new McpServer({ name: 'counted', version: '1.0.0' });
      count.built += 1;
      server.server.onclose = () => {
        count.closed += 1;
      };
      return server;
    };
    const handler = createDualEraHandler(counted, { maxSessions: 200 });
    for (let opened = 0; opened < 3000; opened += 100) {
      // The clients do not even read what they are answered.
      await Promise.all(Array.from({ length: 100 }, () => handler.fetch(post(initialize))));
      expect(handler.sessionCount).toBeLessThanOrEqual(200);
    }
    expect(count).toEqual({ built: 3000, closed: 2800 });

    aMomentLater();
    await openSession(handler);
    expect(await handler.closeIdleSessions(Date.now() + 30 * 60_000 - 1)).toBe(199);
    expect(handler.sessionCount).toBe(1);
    await handler.close();
    expect(count).toEqual({ built: 3001, closed: 3001 });
    expect(handler.sessionCount).toBe(0);
  });
});
