/** The parts of common limits that one user may hold, over HTTP and with several users. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type AuthInfo, McpServer } from '@modelcontextprotocol/server';
import {
  argsOf,
  confirm,
  defineTool,
  install,
  requestStateSeal,
  resolver,
  type SealSettings,
} from 'mcp-resolve';
import { createDualEraHandler, serveHttp, type ServeHttpOptions } from 'mcp-resolve/node';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { deferred } from '../support/deferred.js';
import { closeAfterTest } from '../support/servers.js';
import { eventually } from './eventually.js';
import { newHandler } from './handlers.js';
import {
  at,
  type Handler,
  headersWith,
  initialize,
  modern,
  modernCall,
  post,
  refusalOf,
  remove,
  slowRequest,
  toolCall,
  withSession,
} from './rawHttp.js';

const Input = z.object({ note: z.string() });
const args = argsOf(Input);
const approval = resolver({ note: args.note }, () => confirm('Sure?'), { asks: 'form' });
const keep = defineTool(
  'keep',
  { inputSchema: Input, resolve: { approval } },
  ({ note }) => `kept ${note.length}`,
);
const echo = defineTool('echo', { inputSchema: Input }, ({ note }) => `echo ${note.length}`);

/** Returns the token of a user, or undefined if the request has none. */
function tokenOf({ headers }: Request): AuthInfo | undefined {
  const sub = headers.get('authorization')?.slice('Bearer '.length);
  return sub === undefined
    ? undefined
    : { token: sub, clientId: 'app', scopes: [], extra: { sub } };
}

const keys = ['a-key-for-these-tests-that-has-32-bytes'];

type PrincipalContext = Parameters<NonNullable<SealSettings['principal']>>[0];

/** The options of `serveTools`. */
interface Options extends ServeHttpOptions {
  principal?: SealSettings['principal'];
}

/** Serves the tools, and `hang`, whose calls end when the test calls `release`. */
async function serveTools({ principal, ...options }: Options = {}) {
  const gate = deferred();
  let started = 0;
  const hang = defineTool('hang', { inputSchema: Input }, async () => {
    started += 1;
    await gate.promise;
    return 'released';
  });
  const logger = { warn: () => undefined };
  const seal = requestStateSeal({
    keys,
    audience: 'shared',
    logger,
    ...(principal && { principal }),
  });
  const { url, close } = await serveHttp(
    () => {
      const server = new McpServer({ name: 'shared', version: '1.0.0' });
      install(server, [keep, echo, hang], { seal, logger });
      return server;
    },
    { maxRequestBodySize: 2000, maxBufferedBytes: 8000, maxTotalSessionBytes: 8000, ...options },
  );
  closeAfterTest(() => close({ timeoutMs: 0 }));
  const handler = at(url);
  const call = (headers: Record<string, string>, length = 0, name = 'echo') =>
    handler.fetch(modernCall(name, { note: 'x'.repeat(length) }, headers));
  /** Starts a call that holds about 1,800 bytes until `release`. */
  const hold = async (headers: Record<string, string>) => {
    const before = started;
    const response = call(headers, 1500, 'hang');
    await eventually(() => {
      expect(started).toBe(before + 1);
    });
    return { ended: async () => (await response).text() };
  };
  return { url, handler, call, hold, release: gate.resolve };
}

/** Returns the headers of a user. */
function as(user: string): Record<string, string> {
  return { authorization: `Bearer ${user}` };
}

const nobody: Record<string, string> = {};

/** Accepts requests without a token too, as the client `guest`. */
function guestsToo(incoming: Request): AuthInfo {
  return tokenOf(incoming) ?? { token: '', clientId: 'guest', scopes: [] };
}

/** Returns the user of a token. Guests are anonymous. */
function subject({ http }: PrincipalContext): string | undefined {
  return http?.authInfo?.extra?.sub as string | undefined;
}

/** Sends a part of a body of 2,000 bytes. The rest does not follow. */
function unfinished(url: URL, headers: Record<string, string>, bytes: number): ClientRequest {
  const head = headersWith({ ...headers, 'content-length': '2000' });
  const outgoing = request(url, { method: 'POST', headers: head, agent: false });
  outgoing.on('error', () => undefined);
  outgoing.write('x'.repeat(bytes));
  return outgoing;
}

const bodiesFull = {
  status: 429,
  code: -32000,
  message:
    'Too many bytes are waiting: the requests in progress of one user, or of all clients without a token, have reached their limit. Wait until some of them have finished, then try again.',
  id: null,
};

describe('unfinished bodies of one user', () => {
  it.each([
    ['with a token', as('mallory')],
    ['without a token', nobody],
  ])('take a quarter of maxBufferedBytes, and others are served: %s', async (_, mallory) => {
    const { url, call } = await serveTools({ principal: subject, authenticate: guestsToo });
    expect((await call(as('alice'))).status).toBe(200);
    const unsent = [0, 1, 2].map(() => unfinished(url, mallory, 600));
    await eventually(async () => {
      const refused = await call(mallory, 1200);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(await refusalOf(refused)).toEqual(bodiesFull);
    });
    expect((await call(as('alice'), 1200)).status).toBe(200);

    for (const outgoing of unsent) outgoing.destroy();
    await eventually(async () => {
      expect((await call(mallory, 1500)).status).toBe(200);
    });
  });

  it('are refused with 429 while they arrive', async () => {
    const { url } = await serveTools({ authenticate: tokenOf });
    const unsent = [0, 1].map(() => unfinished(url, as('mallory'), 1900));
    const [refused] = (await Promise.race(
      unsent.map((outgoing) => once(outgoing, 'response')),
    )) as [IncomingMessage];
    expect(refused.statusCode).toBe(429);
    for (const outgoing of unsent) outgoing.destroy();
  });

  it('cannot reach the common limit, which four users can', async () => {
    const { call, hold, release } = await serveTools({ authenticate: tokenOf });
    const held = [];
    for (const user of ['ann', 'bob', 'cat', 'dan']) held.push(await hold(as(user)));
    const refused = await call(as('eve'), 1500);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refusalOf(refused)).toMatchObject({
      status: 503,
      message: 'This server is busy with other large requests. Try again later.',
    });
    release();
    for (const { ended } of held) expect(await ended()).toContain('released');
    expect((await call(as('eve'), 1500)).status).toBe(200);
  });
});

describe('the user of a request', () => {
  it('is the principal of the seal', async () => {
    const tenant = ({ http }: PrincipalContext) => http?.authInfo?.token.split('@')[1];
    const { call, hold, release } = await serveTools({ authenticate: tokenOf, principal: tenant });
    // The first request of all: serveHttp() has built a server before.
    const { ended } = await hold(as('ann@one'));
    expect(await refusalOf(await call(as('bob@one'), 1200))).toEqual(bodiesFull);
    expect((await call(as('bob@two'), 1200)).status).toBe(200);
    release();
    await ended();
    expect((await call(as('bob@one'), 1200)).status).toBe(200);
  });

  it('is the token before the first server is built', async () => {
    const seal = requestStateSeal({ keys, audience: 'shared', principal: () => 'everybody' });
    const factory = () => {
      const server = new McpServer({ name: 'shared', version: '1.0.0' });
      install(server, [echo], { seal });
      return server;
    };
    const handler = createDualEraHandler(factory, {
      maxRequestBodySize: 2000,
      maxBufferedBytes: 8000,
      authenticate: tokenOf,
    });
    closeAfterTest(() => handler.close({ timeoutMs: 0 }));
    const echoed = (user: string) =>
      handler.fetch(modernCall('echo', { note: 'x'.repeat(1200) }, as(user)));
    const { incoming, send } = slowRequest(as('ann'));
    const slow = handler.fetch(incoming);
    await send('x'.repeat(1900));
    expect((await echoed('ann')).status).toBe(429);
    expect(await (await echoed('bob')).text()).toContain('echo 1200');

    // Now everybody is one user, but what was counted before stays with the token.
    const later = slowRequest(as('cat'));
    const slower = handler.fetch(later.incoming);
    await later.send('x'.repeat(1900));
    expect((await echoed('bob')).status).toBe(429);
    await Promise.all([send('x'.repeat(200)), later.send('x'.repeat(200))]);
    expect([(await slow).status, (await slower).status]).toEqual([413, 413]);
  });

  it.each([
    ['throws', () => JSON.parse('{') as unknown],
    ['rejects', () => Promise.reject(new Error('no directory'))],
    ['returns a number', () => 7],
  ])('is anonymous if `principal` %s, and the request goes on', async (_, principal) => {
    const broken = principal as NonNullable<Options['principal']>;
    const { call, hold, release } = await serveTools({ authenticate: tokenOf, principal: broken });
    await call(as('ann'));
    const { ended } = await hold(as('ann'));
    expect(await refusalOf(await call(as('bob'), 1200))).toEqual(bodiesFull);
    release();
    expect(await ended()).toContain('released');
    expect(await (await call(as('bob'), 1200)).text()).toContain('echo 1200');
  });

  it('is known by a principal of any length and any characters', async () => {
    const long = 'x'.repeat(100_000);
    const names: Record<string, string> = { ann: `${long}\ud800`, bob: `${long}\ud801` };
    const principal = ({ http }: PrincipalContext) => names[http?.authInfo?.token ?? ''];
    const { call, hold, release } = await serveTools({ authenticate: tokenOf, principal });
    await call(as('ann'));
    const { ended } = await hold(as('ann'));
    expect((await call(as('bob'), 1200)).status).toBe(200);
    expect((await call(as('ann'), 1200)).status).toBe(429);
    release();
    await ended();
  });

  it('is that of a framework that passes `authInfo`', async () => {
    const { handler } = newHandler({ maxRequestBodySize: 2000, maxBufferedBytes: 8000 });
    const user = (sub: string) => ({ authInfo: { token: sub, clientId: sub, scopes: [] } });
    const { incoming, send } = slowRequest();
    const slow = handler.fetch(incoming, user('ann'));
    await send('x'.repeat(1900));
    expect((await handler.fetch(post(initialize), user('ann'))).status).toBe(429);
    expect((await handler.fetch(post(initialize), user('bob'))).status).toBe(200);
    expect((await handler.fetch(post(initialize))).status).toBe(200);
    await send('x'.repeat(200));
    expect((await slow).status).toBe(413);
    expect((await handler.fetch(post(initialize), user('ann'))).status).toBe(200);
  });
});

describe('bytes that `authenticate` reads', () => {
  it('count as anonymous until it returns, then for the user', async () => {
    const [reached, proceed] = [deferred(), deferred()];
    const { call, hold, release } = await serveTools({
      authenticate: async (incoming) => {
        await incoming.text();
        const token = tokenOf(incoming);
        if (token?.token === 'late') {
          reached.resolve();
          await proceed.promise;
        }
        return token;
      },
    });
    const late = call(as('late'), 1200);
    await reached.promise;
    expect(await refusalOf(await call(as('alice'), 1200))).toEqual(bodiesFull);
    proceed.resolve();
    expect((await late).status).toBe(200);

    const { ended } = await hold(as('alice'));
    expect((await call(as('bob'), 1200)).status).toBe(200);
    expect(await refusalOf(await call(as('alice'), 1200))).toEqual(bodiesFull);
    expect((await call(as('bob'), 1200)).status).toBe(200);
    release();
    expect(await ended()).toContain('released');
    expect((await call(as('alice'), 1500)).status).toBe(200);
  });

  it('are released if `authenticate` refuses the request or fails', async () => {
    const { call } = await serveTools({
      onerror: () => undefined,
      authenticate: async (incoming) => {
        await incoming.text();
        if (incoming.headers.get('authorization') === 'Bearer broken') throw new Error('broken');
        return tokenOf(incoming);
      },
    });
    for (let time = 0; time < 5; time += 1) {
      expect((await call(nobody, 1500)).status).toBe(401);
      expect((await call(as('broken'), 1500)).status).toBe(500);
      expect((await call(as('alice'), 1500)).status).toBe(200);
    }
  });
});

describe('the open calls of one user', () => {
  const full = {
    status: 429,
    code: -32000,
    message:
      'Too many bytes are waiting: the open calls and questions of this session, or of all your sessions, have reached their limit. Answer or cancel some of them, or try again later.',
    id: 2,
  };

  /** Opens a session of a user and calls `keep`, which asks. */
  async function ask(handler: Handler, user: Record<string, string>, length = 1200) {
    const send = (body: object, session = {}) => handler.fetch(post(body, { ...user, ...session }));
    const opened = await send(initialize);
    await opened.text();
    const session = withSession(opened.headers.get('mcp-session-id')!);
    const response = await send(toolCall('keep', 2, { note: 'x'.repeat(length) }), session);
    const end = () => handler.fetch(remove({ ...user, ...session }));
    return { response, end };
  }

  it.each([
    ['with a token', as('mallory')],
    ['without a token', nobody],
  ])('take a quarter of maxTotalSessionBytes: %s', async (_, mallory) => {
    const { handler } = await serveTools({ principal: subject, authenticate: guestsToo });
    const first = await ask(handler, mallory);
    expect(first.response.status).toBe(200);
    for (let time = 0; time < 17; time += 1) {
      const { response } = await ask(handler, mallory);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await refusalOf(response)).toEqual(full);
    }
    expect((await ask(handler, as('alice'))).response.status).toBe(200);
    await first.end();
    expect((await ask(handler, mallory)).response.status).toBe(200);
  });

  it('of four users reach the common limit', async () => {
    const { handler } = await serveTools({ authenticate: tokenOf });
    for (const user of ['ann', 'bob', 'cat', 'dan']) {
      expect((await ask(handler, as(user), 1500)).response.status).toBe(200);
    }
    expect(await refusalOf((await ask(handler, as('eve'))).response)).toEqual({
      status: 503,
      code: -32000,
      message: 'This server is busy with the open calls of other sessions. Try again later.',
      id: 2,
    });
  });
});

describe('the subscriptions of one user', () => {
  it('take a quarter of maxSubscriptions, and are counted until they end', async () => {
    const { handler } = await serveTools({ authenticate: tokenOf, maxSubscriptions: 8 });
    const listen = (user: string) =>
      handler.fetch(
        modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, as(user)),
      );
    const open = [await listen('mallory'), await listen('mallory')];
    expect(await refusalOf(await listen('mallory'))).toEqual({
      status: 429,
      code: -32000,
      message:
        'Too many subscriptions: you have reached the limit for one user. End one of your subscriptions first.',
      id: 1,
    });
    expect((await listen('alice')).status).toBe(200);
    await open[0]?.body?.cancel();
    await eventually(async () => {
      expect((await listen('mallory')).status).toBe(200);
    });
  });
});
