/** The limits on legacy sessions: their number in total and per user, and their open questions. */
import {
  type AuthInfo,
  McpServer,
  type McpServerFactory,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createDualEraHandler } from 'mcp-resolve/node';

import { deferred } from '../support/deferred.js';
import { askingFactory, textResult } from './askingServer.js';
import { newHandler, openQuestion } from './handlers.js';
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

/** Advances the clock, so that uses of sessions have different times. */
function advanceClock(ms = 1): void {
  vi.setSystemTime(Date.now() + ms);
}

/** The options of a request with a user's token. */
function user(sub: string): { authInfo: AuthInfo } {
  return { authInfo: { token: sub, clientId: 'app', scopes: [], extra: { sub } } };
}

const alice = user('alice');
const bob = user('bob');
const carol = user('carol');

const full = {
  status: 503,
  code: -32000,
  message: 'Too many sessions: this server allows at most 1. Try again later.',
  id: 1,
};

describe('a full handler', () => {
  it('ends the least recently used session to open a new one', async () => {
    const { handler } = newHandler({ maxSessions: 2 });
    const first = await openSession(handler, alice);
    advanceClock();
    const second = await openSession(handler, bob);
    advanceClock();
    expect(await isOpen(handler, first, alice)).toBe(true);

    advanceClock();
    const third = await openSession(handler, carol);
    expect(handler.sessionCount).toBe(2);
    expect(await isOpen(handler, second, bob)).toBe(false);
    expect(await isOpen(handler, first, alice)).toBe(true);
    expect(await isOpen(handler, third, carol)).toBe(true);
  });

  it('refuses a new session while the only one runs a call', async () => {
    const { handler, observed } = newHandler({ maxSessions: 1 });
    const id = await openSession(handler);
    await handler.fetch(post(toolCall('hang'), withSession(id)));
    await observed.hanging;
    expect(await refusalOf(await handler.fetch(post(initialize), bob))).toEqual(full);
    expect(await isOpen(handler, id)).toBe(true);

    expect((await handler.fetch(remove(withSession(id)))).status).toBe(200);
    expect((await handler.fetch(post(initialize))).status).toBe(200);
  });

  it('refuses a new session while the only one waits for an answer', async () => {
    const { handler } = newHandler({ maxSessions: 1 });
    const { session, messages, question } = await openQuestion(handler);
    expect(await refusalOf(await handler.fetch(post(initialize), bob))).toEqual(full);

    await handler.fetch(post(answer(question, 'Ada'), session));
    expect((await messages.next()).result?.content[0]?.text).toBe('Hello, Ada!');
    expect((await handler.fetch(post(initialize))).status).toBe(200);
  });

  it('ends a session whose client only listens, and closes its stream', async () => {
    const { handler } = newHandler({ maxSessions: 1 });
    const id = await openSession(handler);
    const stream = await handler.fetch(get(withSession(id)));
    expect((await handler.fetch(post(initialize))).status).toBe(200);
    expect(await stream.text()).toBe('');
  });

  it('counts sessions whose factory has not returned yet', async () => {
    const gate = deferred();
    const { factory } = askingFactory();
    const slow: McpServerFactory = async (context) => {
      await gate.promise;
      return factory(context);
    };
    const handler = createDualEraHandler(slow, { maxSessions: 1 });
    const first = handler.fetch(post(initialize));
    const second = await handler.fetch(post(initialize), bob);
    gate.resolve();

    expect(await refusalOf(second)).toEqual(full);
    expect((await first).status).toBe(200);
  });

  it('ends a session whose client disconnected with an open question', async () => {
    const { handler } = newHandler({ maxSessions: 1 });
    const { id, messages } = await openQuestion(handler);
    await messages.cancel();
    expect((await handler.fetch(post(initialize), bob)).status).toBe(503);

    advanceClock(60_000);
    expect((await handler.fetch(post(initialize))).status).toBe(200);
    expect(await isOpen(handler, id)).toBe(false);
  });

  it('counts no session and closes the server if it refuses a handshake', async () => {
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

describe('a user with the maximum number of sessions', () => {
  it('loses the least recently used of their own sessions', async () => {
    const { handler } = newHandler({ maxSessionsPerPrincipal: 2 });
    const bobs = await openSession(handler, bob);
    advanceClock();
    const first = await openSession(handler, alice);
    advanceClock();
    const second = await openSession(handler, alice);
    advanceClock();
    const third = await openSession(handler, alice);

    expect(await isOpen(handler, first, alice)).toBe(false);
    expect(await isOpen(handler, second, alice)).toBe(true);
    expect(await isOpen(handler, third, alice)).toBe(true);
    expect(await isOpen(handler, bobs, bob)).toBe(true);
  });

  it('is refused with 429 while all of their sessions run calls, and other users are not', async () => {
    const { handler, observed } = newHandler({ maxSessionsPerPrincipal: 1 });
    const id = await openSession(handler, alice);
    await handler.fetch(post(toolCall('hang'), withSession(id)), alice);
    await observed.hanging;

    expect(await refusalOf(await handler.fetch(post(initialize), alice))).toEqual({
      status: 429,
      code: -32000,
      message:
        'Too many sessions: this server allows at most 1 per user. End one of your sessions first.',
      id: 1,
    });
    expect((await handler.fetch(post(initialize), bob)).status).toBe(200);
  });

  it('cannot exceed the limit with simultaneous handshakes', async () => {
    const { handler } = newHandler({ maxSessionsPerPrincipal: 2 });
    const attempts = Array.from({ length: 5 }, () => handler.fetch(post(initialize), alice));
    let most = 0;
    const statuses = await Promise.all(
      attempts.map(async (attempt) => {
        const { status } = await attempt;
        most = Math.max(most, handler.sessionCount);
        return status;
      }),
    );
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    expect(most).toBe(2);
    expect(handler.sessionCount).toBe(2);
  });

  it('cannot end the sessions of others with simultaneous handshakes', async () => {
    const { factory } = askingFactory();
    const slow: McpServerFactory = async (context) => {
      await new Promise(setImmediate);
      return factory(context);
    };
    const handler = createDualEraHandler(slow, { maxSessions: 10, maxSessionsPerPrincipal: 1 });
    const users = Array.from({ length: 9 }, (_, index) => user(`user ${index}`));
    const sessions = await Promise.all(users.map((other) => openSession(handler, other)));
    await Promise.all(Array.from({ length: 30 }, () => handler.fetch(post(initialize), alice)));
    const open = await Promise.all(sessions.map((id, index) => isOpen(handler, id, users[index])));
    expect(open).toEqual(sessions.map(() => true));
    await handler.close({ timeoutMs: 0 });
  });

  it('has a token, so maxSessionsPerPrincipal does not limit anonymous sessions', async () => {
    const { handler } = newHandler({ maxSessionsPerPrincipal: 1 });
    await Promise.all([openSession(handler), openSession(handler), openSession(handler)]);
    expect(handler.sessionCount).toBe(3);
  });
});

describe('one of several users', () => {
  const anonymous = {};
  const tooMany = {
    status: 429,
    code: -32000,
    message:
      'Too many sessions: this server allows at most 2 per user. End one of your sessions first.',
    id: 1,
  };

  it.each([
    ['with a token', alice],
    ['without a token', anonymous],
  ])('has a quarter of maxSessions: %s', async (_, one) => {
    const { handler } = newHandler({ maxSessions: 8 });
    for (let time = 0; time < 2; time += 1) {
      const session = withSession(await openSession(handler, one));
      await handler.fetch(post(toolCall('hang'), session), one);
    }
    const refused = await handler.fetch(post(initialize), one);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refusalOf(refused)).toEqual(tooMany);
    expect((await handler.fetch(post(initialize), bob)).status).toBe(200);
  });

  it('ends a session of their own, although others are idle for longer', async () => {
    const { handler } = newHandler({ maxSessions: 4 });
    const bobs = await openSession(handler, bob);
    advanceClock();
    const first = await openSession(handler);
    advanceClock();
    const second = await openSession(handler);
    expect(await isOpen(handler, first)).toBe(false);
    expect(await isOpen(handler, second)).toBe(true);
    expect(await isOpen(handler, bobs, bob)).toBe(true);
  });

  it('has a quarter of the handshakes in progress', async () => {
    const gate = deferred();
    const { factory } = askingFactory();
    const slow: McpServerFactory = async (context) => {
      await gate.promise;
      return factory(context);
    };
    const handler = createDualEraHandler(slow, { maxSessions: 8 });
    const begun = [alice, alice].map((one) => handler.fetch(post(initialize), one));
    expect(await refusalOf(await handler.fetch(post(initialize), alice))).toEqual(tooMany);
    const bobs = handler.fetch(post(initialize), bob);
    gate.resolve();
    const statuses = (await Promise.all([...begun, bobs])).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200]);
    expect((await handler.fetch(post(initialize), alice)).status).toBe(200);
    await handler.close({ timeoutMs: 0 });
  });

  it('has room for another handshake after the factory failed', async () => {
    let fails = true;
    const { factory } = askingFactory();
    const failing: McpServerFactory = (context) => {
      if (fails) throw new Error('no database');
      return factory(context);
    };
    const handler = createDualEraHandler(failing, { maxSessions: 4, onerror: () => undefined });
    for (let time = 0; time < 3; time += 1) {
      expect((await handler.fetch(post(initialize), alice)).status).toBe(500);
    }
    fails = false;
    expect((await handler.fetch(post(initialize), alice)).status).toBe(200);
    await handler.close({ timeoutMs: 0 });
  });
});

describe('the questions of a session', () => {
  /** Creates servers whose tools ask several questions at once. `ask` returns the end of each. */
  const curious: McpServerFactory = () => {
    const server = new McpServer({ name: 'curious', version: '1.0.0' });
    const inputSchema = z.object({ times: z.number() });
    server.registerTool('ask', { inputSchema }, async ({ times }, ctx) => {
      const ends = await Promise.allSettled(Array.from({ length: times }, () => ask(ctx)));
      return textResult(
        ends.map((end) => (end.status === 'fulfilled' ? end.value : messageOf(end))).join('|'),
      );
    });
    server.registerTool('insist', { inputSchema }, async ({ times }, ctx) => {
      await Promise.all(Array.from({ length: times }, () => ask(ctx)));
      return textResult('all answered');
    });
    return server;
  };
  const ask = async (ctx: ServerContext): Promise<string> => {
    const requestedSchema = { type: 'object', properties: {} } as const;
    const params = { mode: 'form', message: 'Well?', requestedSchema } as const;
    const { signal } = ctx.mcpReq;
    return (await ctx.mcpReq.send({ method: 'elicitation/create', params }, { signal })).action;
  };
  const messageOf = ({ reason }: PromiseRejectedResult): string => (reason as Error).message;
  const tooMany = 'Too many open questions: this session is already waiting for 2 answers.';

  it('are not sent beyond maxOpenQuestions, and the others can be answered', async () => {
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

  it('fail the call if they are too many, and the session continues', async () => {
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

  it('do not count after their call is cancelled', async () => {
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
  it('never exceed a quarter of maxSessions, and all end', { timeout: 60_000 }, async () => {
    const count = { built: 0, closed: 0 };
    const counted: McpServerFactory = () => {
      const server = new McpServer({ name: 'counted', version: '1.0.0' });
      count.built += 1;
      server.server.onclose = () => {
        count.closed += 1;
      };
      return server;
    };
    const handler = createDualEraHandler(counted, { maxSessions: 800 });
    for (let opened = 0; opened < 3000; opened += 100) {
      // The clients do not read their responses.
      await Promise.all(Array.from({ length: 100 }, () => handler.fetch(post(initialize))));
      expect(handler.sessionCount).toBeLessThanOrEqual(200);
    }
    expect(count).toEqual({ built: 3000, closed: 2800 });

    advanceClock();
    await openSession(handler);
    expect(await handler.closeIdleSessions(Date.now() + 30 * 60_000 - 1)).toBe(199);
    expect(handler.sessionCount).toBe(1);
    await handler.close();
    expect(count).toEqual({ built: 3001, closed: 3001 });
    expect(handler.sessionCount).toBe(0);
  });
});
