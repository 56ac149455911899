/** Legacy sessions: their requests, their owners and their end. */
import { randomBytes } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { requestStateSeal, type SealSettings } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { closeAfterTest } from '../support/servers.js';
import { askingFactory } from './askingServer.js';
import { eventually } from './eventually.js';
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

const HALF_AN_HOUR = 30 * 60_000;
const A_YEAR = 365 * 24 * 60 * 60_000;

afterEach(() => {
  vi.useRealTimers();
});

describe('a request of the legacy era', () => {
  it('is refused with 404 if it names an unknown session', async () => {
    const { handler } = newHandler();
    const response = await handler.fetch(post(toolCall('whoami'), withSession('no-such-session')));
    expect(await refusalOf(response)).toEqual({
      status: 404,
      code: -32001,
      message: 'Session not found',
      id: null,
    });
  });

  it('is refused with 400 if it names no session and is not a handshake', async () => {
    const { handler } = newHandler();
    expect(await refusalOf(await handler.fetch(post(toolCall('whoami', 5))))).toEqual({
      status: 400,
      code: -32000,
      message: 'Bad Request: Mcp-Session-Id header is required',
      id: 5,
    });
    expect((await handler.fetch(get({}))).status).toBe(400);
  });

  it('is refused with 405 if its method is not GET, POST or DELETE', async () => {
    const { handler } = newHandler();
    const response = await handler.fetch(new Request('http://localhost/mcp', { method: 'PUT' }));
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST, DELETE');
  });

  it.each([
    ['is not JSON', post('{'), 400, -32700],
    ['is empty', post(''), 400, -32700],
    ['is too long', post({ long: 'x'.repeat(2000) }), 413, -32000],
    ['is not declared as JSON', post(initialize, { 'content-type': 'text/plain' }), 415, -32000],
  ])('is refused if its body %s', async (_, request, status, code) => {
    const { handler } = newHandler({ maxRequestBodySize: 1000 });
    expect(await refusalOf(await handler.fetch(request))).toMatchObject({ status, code });
  });

  it('can come with a parsed body', async () => {
    const { handler } = newHandler();
    const response = await handler.fetch(post(''), { parsedBody: initialize });
    expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('can open a session with a batch of one initialize', async () => {
    const { handler } = newHandler();
    const response = await handler.fetch(post([initialize]));
    expect(await isOpen(handler, response.headers.get('mcp-session-id')!)).toBe(true);
  });
});

describe('a session', () => {
  const user = (clientId: string, extra?: Record<string, unknown>): { authInfo: AuthInfo } => ({
    authInfo: { token: 't', clientId, scopes: [], ...(extra && { extra }) },
  });
  const alice = user('app', { iss: 'https://issuer', sub: 'alice' });

  async function sessionOf(owner: { authInfo?: AuthInfo }) {
    const { handler } = newHandler();
    const id = await openSession({ fetch: (request) => handler.fetch(request, owner) });
    return { handler, id };
  }

  it('serves its owner', async () => {
    const { handler, id } = await sessionOf(alice);
    const response = await handler.fetch(post(toolCall('whoami'), withSession(id)), alice);
    expect(await response.text()).toContain(`alice in ${id}`);
  });

  it.each([
    ['another user', user('app', { iss: 'https://issuer', sub: 'bob' })],
    ['the same user name from another issuer', user('app', { iss: 'https://other', sub: 'alice' })],
    ['the same user in another client', user('other', { iss: 'https://issuer', sub: 'alice' })],
    ['a token without a user', user('app')],
    ['a request without a token', {}],
  ])('does not serve %s, and answers as if it did not exist', async (_, intruder) => {
    const { handler, id } = await sessionOf(alice);
    const headers = withSession(id);
    const unknown = withSession('no-such-session');

    const attempts = [
      await handler.fetch(post(toolCall('whoami'), headers), intruder),
      await handler.fetch(get(headers), intruder),
      await handler.fetch(remove(headers), intruder),
      await handler.fetch(post(toolCall('whoami'), unknown), intruder),
    ];
    const refusals = await Promise.all(attempts.map(refusalOf));
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
    expect(refusals[0]).toMatchObject({ status: 404, message: 'Session not found' });

    const owner = await handler.fetch(post(toolCall('whoami'), headers), alice);
    expect(owner.status).toBe(200);
  });

  it('does not serve a request with a token if it is anonymous', async () => {
    const { handler, id } = await sessionOf({});
    const response = await handler.fetch(post(toolCall('whoami'), withSession(id)), alice);
    expect(response.status).toBe(404);
  });
});

describe('the principal of a session', () => {
  const as = (clientId: string, extra: Record<string, unknown>): { authInfo: AuthInfo } => ({
    authInfo: { token: 't', clientId, scopes: [], extra },
  });
  const lines: string[] = [];

  /** Serves the asking tools with a seal. */
  function sealed(principal: NonNullable<SealSettings['principal']>, options = {}) {
    lines.length = 0;
    const seal = requestStateSeal({
      keys: [randomBytes(32)],
      audience: 'sessions',
      principal,
      logger: { warn: (line) => void lines.push(line) },
    });
    const { factory } = askingFactory();
    const handler = createDualEraHandler(async (context) => {
      const server = await factory(context);
      seal.protect(server);
      return server;
    }, options);
    closeAfterTest(() => handler.close({ timeoutMs: 0 }));
    return handler;
  }

  const byUser = sealed.bind(undefined, ({ http }) => String(http?.authInfo?.extra?.user));

  it('Z8: is what the principal of the seal returns, so another user cannot answer', async () => {
    const handler = byUser();
    const [ada, bob] = [as('app', { user: 'ada' }), as('app', { user: 'bob' })];
    const session = withSession(await openSession(handler, ada));
    const call = post(toolCall('greet', 2, { greeting: 'Hello' }), session);
    const messages = messagesOn(await handler.fetch(call, ada));
    const { id: question } = await messages.next();

    const intruded = await handler.fetch(post(answer(question, 'Bob'), session), bob);
    expect(await refusalOf(intruded)).toMatchObject({ status: 404, message: 'Session not found' });
    await handler.fetch(post(answer(question, 'Ada'), session), ada);
    expect((await messages.next()).result?.content[0]?.text).toBe('Hello, Ada!');
  });

  it('Z8: can be the same in two OAuth clients of one person, who then share it', async () => {
    const handler = byUser();
    const id = await openSession(handler, as('phone', { user: 'ada' }));
    expect(await isOpen(handler, id, as('laptop', { user: 'ada' }))).toBe(true);
    expect(await isOpen(handler, id, as('phone', { user: 'bob' }))).toBe(false);
  });

  it('Z8: counts for maxSessionsPerPrincipal', async () => {
    const handler = byUser({ maxSessionsPerPrincipal: 1 });
    const first = await openSession(handler, as('phone', { user: 'ada' }));
    const other = await openSession(handler, as('phone', { user: 'bob' }));
    await openSession(handler, as('laptop', { user: 'ada' }));
    expect(await isOpen(handler, first, as('phone', { user: 'ada' }))).toBe(false);
    expect(await isOpen(handler, other, as('phone', { user: 'bob' }))).toBe(true);
  });

  it('Z8: can come from the request, and can be asynchronous', async () => {
    const handler = sealed(async ({ http }) => {
      await Promise.resolve();
      return http?.req?.headers.get('x-user') ?? undefined;
    });
    const from = (user: string) => ({
      fetch: (request: Request) => {
        request.headers.set('x-user', user);
        return handler.fetch(request);
      },
    });
    const id = await openSession(from('ada'));
    expect(await isOpen(from('ada'), id)).toBe(true);
    expect(await isOpen(from('bob'), id)).toBe(false);
    expect(await isOpen(handler, id)).toBe(false);
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new RangeError('no directory');
      },
      'RangeError: no directory',
    ],
    ['returns a number', () => 7, 'TypeError: `principal` must return a string or undefined.'],
  ])('Z8: refuses the request and logs the reason if it %s', async (_, fail, reason) => {
    let isBroken = false;
    const handler = sealed((() => (isBroken ? fail() : 'ada')) as () => string);
    const id = await openSession(handler);
    isBroken = true;
    expect((await handler.fetch(post(initialize))).status).toBe(500);
    const attempt = await handler.fetch(post(toolCall('whoami'), withSession(id)));
    expect(await refusalOf(attempt)).toMatchObject({ status: 404, message: 'Session not found' });
    expect(lines).toEqual(Array(2).fill(`\`principal\` failed for a legacy session: ${reason}`));
    isBroken = false;
    expect(await isOpen(handler, id)).toBe(true);
    expect(handler.sessionCount).toBe(1);
  });
});

describe('an expired token', () => {
  const now = (): number => Date.now() / 1000;
  const until = (expiresAt: number) => ({ token: 't', clientId: 'app', scopes: [], expiresAt });

  it.each([
    ['a second ago', () => now() - 1],
    ['long ago', () => 1],
    ['at a time that is not a number', () => NaN],
    ['at a time that is a string', () => 'tomorrow' as never],
    ['at a date in the future', () => new Date(Date.now() + 1e9) as never],
  ])('that expired %s is refused, from authenticate and from the host', async (_, at) => {
    const { handler } = newHandler({ authenticate: () => until(at()) });
    const open = newHandler().handler;
    const responses = [
      await handler.fetch(post(initialize)),
      await open.fetch(post(initialize), { authInfo: until(at()) }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Token has expired');
    }
  });

  it('ends the use of a session', async () => {
    const { handler } = newHandler();
    const id = await openSession(handler, { authInfo: until(now() + 1000) });
    expect(await isOpen(handler, id, { authInfo: until(now() + 1000) })).toBe(true);
    expect(await isOpen(handler, id, { authInfo: until(now() - 1) })).toBe(false);
  });
});

describe('an idle session', () => {
  it('is closed by closeIdleSessions() after half an hour, and not before', async () => {
    const { handler } = newHandler();
    const id = await openSession(handler);
    const now = Date.now();

    expect(await handler.closeIdleSessions(now + HALF_AN_HOUR - 60_000)).toBe(0);
    expect(await isOpen(handler, id)).toBe(true);
    expect(await handler.closeIdleSessions(now + HALF_AN_HOUR + 60_000)).toBe(1);
    expect(await isOpen(handler, id)).toBe(false);
  });

  it('is closed by a timer after half an hour without requests', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    const { handler } = newHandler();
    const id = await openSession(handler);

    await vi.advanceTimersByTimeAsync(HALF_AN_HOUR - 60_000);
    expect(await isOpen(handler, id)).toBe(true);
    await vi.advanceTimersByTimeAsync(HALF_AN_HOUR - 60_000);
    expect(await isOpen(handler, id)).toBe(true);
    await vi.advanceTimersByTimeAsync(HALF_AN_HOUR + 60_000);
    expect(await isOpen(handler, id)).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is a session whose call has ended', async () => {
    const { handler } = newHandler();
    const id = await openSession(handler);
    const response = await handler.fetch(post(toolCall('whoami'), withSession(id)));
    await response.text();
    expect(await handler.closeIdleSessions(Date.now() + A_YEAR)).toBe(1);
  });

  it('is not a session whose client listens', async () => {
    const { handler } = newHandler();
    const id = await openSession(handler);
    const stream = await handler.fetch(get(withSession(id)));
    expect(stream.status).toBe(200);
    expect(await handler.closeIdleSessions(Date.now() + A_YEAR)).toBe(0);

    await stream.body!.cancel();
    await eventually(async () => {
      expect(await handler.closeIdleSessions(Date.now() + A_YEAR)).toBe(1);
    });
  });
});

describe('a cancelled call', () => {
  it('ends its response stream', async () => {
    const { handler, observed } = newHandler();
    const id = await openSession(handler);
    const response = await handler.fetch(post(toolCall('hang', 2), withSession(id)));
    await observed.hanging;

    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled' };
    await handler.fetch(post({ ...cancelled, params: { requestId: 2 } }, withSession(id)));
    expect(await response.text()).toBe('');
  });

  it('cannot be named by a request with the method notifications/cancelled', async () => {
    const { handler } = newHandler();
    const { session, messages, question } = await openQuestion(handler);

    const named = { jsonrpc: '2.0', id: 3, method: 'notifications/cancelled' };
    const refused = await handler.fetch(post({ ...named, params: { requestId: 2 } }, session));
    expect(await refused.text()).toContain('"code":-32601');
    // The handler ends a stream in a task of its own, so the test lets one task run.
    await new Promise((resolve) => setTimeout(resolve, 0));
    await handler.fetch(post(answer(question, 'Ada'), session));
    expect((await messages.next()).result?.content[0]?.text).toBe('Hello, Ada!');
  });

  it('leaves the response open for the other calls of its batch', async () => {
    const { handler } = newHandler();
    const id = await openSession(handler);
    const greet = { name: 'greet', arguments: { greeting: 'Hello' } };
    const asking = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: greet };
    const response = await handler.fetch(post([toolCall('hang', 2), asking], withSession(id)));
    const [question, all] = response.body!.tee();
    const asked = await new Response(question).body!.getReader().read();
    expect(new TextDecoder().decode(asked.value as Uint8Array)).toContain('"id":0');

    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled' };
    await handler.fetch(post({ ...cancelled, params: { requestId: 2 } }, withSession(id)));
    // The handler ends a stream in a task of its own, so the test lets one task run.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const answer = { action: 'accept', content: { name: 'Ada' } };
    await handler.fetch(post({ jsonrpc: '2.0', id: 0, result: answer }, withSession(id)));
    await eventually(async () => {
      expect(await handler.closeIdleSessions(Date.now() + A_YEAR)).toBe(1);
    });
    expect(await new Response(all).text()).toContain('Hello, Ada!');
  });
});

describe('a factory', () => {
  it.each([
    ['throws', () => Promise.reject(new Error('no database')), 'no database'],
    [
      'returns nothing',
      () => undefined as never,
      'The server factory must return a server, got undefined. Return the McpServer or Server that it built.',
    ],
  ])(
    'that %s is reported, and the client receives an internal error',
    async (_, factory, sentence) => {
      const errors: string[] = [];
      const handler = createDualEraHandler(factory, {
        onerror: (error) => {
          errors.push(error.message);
          throw new Error('onerror fails too');
        },
      });
      expect(await refusalOf(await handler.fetch(post(initialize)))).toEqual({
        status: 500,
        code: -32603,
        message: 'Internal server error',
        id: 1,
      });
      expect(errors).toEqual([sentence]);
    },
  );

  it('that returns the same server twice cannot open a second session with it', async () => {
    const { factory } = askingFactory();
    const server = await factory({ era: 'legacy' });
    const errors: string[] = [];
    const handler = createDualEraHandler(() => server, {
      onerror: ({ message }) => errors.push(message),
    });
    const id = await openSession(handler);

    expect((await handler.fetch(post(initialize))).status).toBe(500);
    expect(errors).toEqual([
      'The server factory returned the same server twice. Build a new server inside the factory, because every request or session needs its own.',
    ]);
    expect(await isOpen(handler, id)).toBe(true);
  });
});
