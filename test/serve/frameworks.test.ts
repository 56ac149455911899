/** The handler mounted in the frameworks people use, with SDK clients of both eras in front. */
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve as serveHono } from '@hono/node-server';
import {
  type AuthInfo,
  OAuthError,
  OAuthErrorCode,
  requireBearerAuth,
} from '@modelcontextprotocol/server';
import express, { type RequestHandler } from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createDualEraHandler,
  type DualEraHandler,
  type DualEraHandlerOptions,
} from 'mcp-resolve/node';

import { askingFactory, call, connect } from './askingServer.js';
import { eventually } from './eventually.js';
import {
  initialize,
  openSession,
  post,
  refusalOf,
  remove,
  toolCall,
  withSession,
} from './rawHttp.js';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Mounts a handler at /mcp and returns the listening server. */
type Mount = (handler: DualEraHandler) => Server | Promise<Server>;

const inHono: Mount = (handler) => {
  const app = new Hono();
  app.all('/mcp', (c) => handler.fetch(c.req.raw));
  return serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
};

const inExpress: Mount = (handler) => {
  const app = express();
  app.all('/mcp', handler.node);
  return app.listen(0, '127.0.0.1');
};

const behindBodyParser: Mount = (handler) => {
  const app = express();
  app.use(express.json());
  app.use('/mcp', handler.node);
  return app.listen(0, '127.0.0.1');
};

const inFastify: Mount = async (handler) => {
  const app = fastify();
  app.all('/mcp', (request, reply) => {
    reply.hijack();
    handler.node(request.raw, reply.raw, request.body);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server;
};

const inFastifyUnparsed: Mount = async (handler) => {
  const app = fastify();
  // The handler reads the body itself, so that what is wrong with it is answered in JSON-RPC.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => {
    done(null);
  });
  app.all('/mcp', (request, reply) => {
    reply.hijack();
    handler.node(request.raw, reply.raw);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server;
};

const inNode: Mount = (handler) => createServer(handler.node).listen(0, '127.0.0.1');

const mounts: [string, Mount][] = [
  ['hono', inHono],
  ['express', inExpress],
  ['express behind its body parser', behindBodyParser],
  ['fastify', inFastify],
  ['fastify without its body parser', inFastifyUnparsed],
  ['node:http', inNode],
];

const readingBodies = mounts.filter(([, mount]) => ![behindBodyParser, inFastify].includes(mount));

async function mounted(mount: Mount, options: DualEraHandlerOptions = {}) {
  const handler = createDualEraHandler(askingFactory().factory, options);
  const server = await mount(handler);
  if (!server.listening) await once(server, 'listening');
  cleanups.push(async () => {
    await handler.close({ timeoutMs: 0 });
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { handler, url: new URL(`http://127.0.0.1:${port}/mcp`) };
}

async function person(url: URL, era: 'legacy' | 'modern', name: string, token?: string) {
  const client = await connect(url, era, name, token);
  cleanups.push(() => client.close());
  return client;
}

const verifyAccessToken = async (token: string): Promise<AuthInfo> => {
  if (!['alice', 'bob'].includes(token)) {
    throw new OAuthError(OAuthErrorCode.InvalidToken, 'Unknown token');
  }
  const expiresAt = 4_000_000_000;
  return { token, clientId: 'app', scopes: ['mcp'], expiresAt, extra: { sub: token } };
};
const gate = requireBearerAuth({ verifier: { verifyAccessToken }, requiredScopes: ['mcp'] });

describe.each(mounts)('a handler mounted in %s', (_, mount) => {
  it.each([
    ['legacy', '2025-11-25'],
    ['modern', '2026-07-28'],
  ] as const)('asks a %s client and gives it its answer', async (era, version) => {
    const { url } = await mounted(mount);
    const ada = await person(url, era, 'Ada');
    expect(ada.getNegotiatedProtocolVersion()).toBe(version);
    expect(await call(ada, 'greet', { greeting: 'Hello' })).toBe('Hello, Ada!');
    expect(await call(ada, 'greet', { greeting: 'Good night' })).toBe('Good night, Ada!');
  });

  it.each(['legacy', 'modern'] as const)(
    'knows a %s client by its token, and refuses one without',
    async (era) => {
      const { url } = await mounted(mount, { authenticate: gate });
      const alice = await person(url, era, 'Alice', 'alice');
      expect(await call(alice, 'whoami')).toMatch(/^alice in /);
      expect(await call(alice, 'greet', { greeting: 'Hello' })).toBe('Hello, Alice!');

      const refused = await fetch(post(initialize, { authorization: 'Bearer eve' }, url.href));
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
    },
  );

  it('keeps a session from everybody but its owner', async () => {
    const { url } = await mounted(mount, { authenticate: gate });
    const as = (name: string) => ({ authorization: `Bearer ${name}` });
    const opened = await fetch(post(initialize, as('alice'), url.href));
    const session = withSession(opened.headers.get('mcp-session-id')!);
    const attempt = await fetch(post(toolCall('whoami'), { ...session, ...as('bob') }, url.href));
    expect(await refusalOf(attempt)).toMatchObject({ status: 404, message: 'Session not found' });
    expect((await fetch(remove({ ...session, ...as('alice') }, url.href))).status).toBe(200);
  });

  it('answers for loopback hosts only, unless told otherwise', async () => {
    const { url } = await mounted(mount);
    expect(await statusFor(url, 'evil.example')).toBe(403);
    const other = await mounted(mount, { allowedHosts: ['mcp.example.com'] });
    expect(await statusFor(other.url, 'mcp.example.com')).toBe(200);
  });

  it('frees the session of a client that vanished with a question open', async () => {
    const { handler, url } = await mounted(mount, { keepAliveMs: 0 });
    const there = { fetch: (original: Request) => fetch(new Request(url, original)) };
    const session = withSession(await openSession(there));
    const outgoing = request(url, { method: 'POST', headers: headersOf(session) });
    outgoing.on('error', () => undefined);
    outgoing.end(JSON.stringify(toolCall('greet', 2, { greeting: 'Hello' })));
    const [incoming] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream];
    await once(incoming, 'data');
    expect(await handler.closeIdleSessions(Date.now() + 60_000)).toBe(0);

    outgoing.destroy();
    await eventually(async () => {
      expect(await handler.closeIdleSessions(Date.now() + 60_000)).toBe(1);
    });
  });
});

describe.each(readingBodies)('a handler that reads bodies itself, mounted in %s', (_, mount) => {
  it.each([
    ['is not JSON', '{', {}, 400, -32700],
    ['is too long', { long: 'x'.repeat(2000) }, {}, 413, -32000],
    ['is declared as a form', 'a=b', { 'content-type': 'multipart/form-data' }, 415, -32000],
  ])('refuses a body that %s, in JSON-RPC', async (_what, body, headers, status, code) => {
    const { url } = await mounted(mount, { maxRequestBodySize: 1000 });
    const response = await fetch(post(body, headers, url.href));
    expect(await refusalOf(response)).toMatchObject({ status, code });
  });
});

describe('a token which the framework has checked', () => {
  it('is taken from req.auth in express', async () => {
    const authenticated: RequestHandler = async (incoming, response, next) => {
      const token = incoming.headers.authorization?.replace('Bearer ', '') ?? '';
      try {
        Object.assign(incoming, { auth: await verifyAccessToken(token) });
        next();
      } catch {
        response.sendStatus(401);
      }
    };
    const { url } = await mounted((handler) => {
      const app = express();
      app.all('/mcp', authenticated, handler.node);
      return app.listen(0, '127.0.0.1');
    });
    const alice = await person(url, 'legacy', 'Alice', 'alice');
    expect(await call(alice, 'whoami')).toMatch(/^alice in /);
    expect((await fetch(post(initialize, {}, url.href))).status).toBe(401);
  });

  it('is handed to fetch in hono', async () => {
    const { url } = await mounted((handler) => {
      const app = new Hono();
      app.all('/mcp', async (c) => {
        const authInfo = await gate(c.req.raw);
        return authInfo instanceof Response ? authInfo : handler.fetch(c.req.raw, { authInfo });
      });
      return serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
    });
    const bob = await person(url, 'modern', 'Bob', 'bob');
    expect(await call(bob, 'whoami')).toBe('bob in no session');
    expect((await fetch(post(initialize, {}, url.href))).status).toBe(401);
  });
});

function headersOf(more: Record<string, string>): Record<string, string> {
  return Object.fromEntries(post('', more).headers);
}

/** The status of a handshake addressed to a host, which fetch would not let us name. */
async function statusFor(url: URL, host: string): Promise<number | undefined> {
  const outgoing = request(url, { method: 'POST', headers: headersOf({ host }) });
  outgoing.end(JSON.stringify(initialize));
  const [incoming] = (await once(outgoing, 'response')) as [
    { statusCode?: number; resume(): void },
  ];
  incoming.resume();
  return incoming.statusCode;
}
