/** The handler mounted in web frameworks, with SDK clients of both eras. */
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
import { describe, expect, it } from 'vitest';
import type { DualEraHandler, DualEraHandlerOptions } from 'mcp-resolve/node';

import { eras, VERSION } from '../support/eras.js';
import { closeAfterTest } from '../support/servers.js';
import { call, connect } from './clients.js';
import { eventually } from './eventually.js';
import { newHandler } from './handlers.js';
import {
  at,
  handshakeStatus,
  headersWith,
  initialize,
  openSession,
  post,
  refusalOf,
  remove,
  toolCall,
  withSession,
} from './rawHttp.js';

/** Mounts a handler at /mcp and returns the listening server. */
type Mount = (handler: DualEraHandler) => Server | Promise<Server>;

const inHono: Mount = (handler) => {
  const app = new Hono();
  app.all('/mcp', (c) => handler.fetch(c.req.raw));
  return serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
};

const inHonoWithoutGlobals: Mount = (handler) => {
  const app = new Hono();
  app.all('/mcp', (c) => handler.fetch(c.req.raw));
  // Its requests are not those of Node.
  const options = { port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false };
  return serveHono({ fetch: app.fetch, ...options }) as Server;
};

/** A request with the properties that Azure Functions gives it, and no more. */
class RequestWithoutSignal {
  constructor(private readonly native: Request) {}
  get url() {
    return this.native.url;
  }
  get method() {
    return this.native.method;
  }
  get headers() {
    return this.native.headers;
  }
  get body() {
    return this.native.body;
  }
  get bodyUsed() {
    return this.native.bodyUsed;
  }
}

const withoutSignal: Mount = (handler) => {
  const app = new Hono();
  app.all('/mcp', (c) => handler.fetch(new RequestWithoutSignal(c.req.raw) as unknown as Request));
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

const behindRawParser: Mount = (handler) => {
  const app = express();
  app.use(express.raw({ type: '*/*' }));
  app.use('/mcp', handler.node);
  return app.listen(0, '127.0.0.1');
};

const behindTextParser: Mount = (handler) => {
  const app = express();
  app.use(express.text({ type: '*/*' }));
  app.use('/mcp', handler.node);
  return app.listen(0, '127.0.0.1');
};

const behindParserOfForms: Mount = (handler) => {
  const app = express();
  // As the parsers of express 4 do with a body that is not theirs.
  app.use((request, _response, next) => {
    request.body = {};
    next();
  });
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
  // The handler reads the body, so it can report a mistake in it as a JSON-RPC error.
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
  ['hono with requests of its own', inHonoWithoutGlobals],
  ['a host whose requests have no signal', withoutSignal],
  ['express', inExpress],
  ['express behind its body parser', behindBodyParser],
  ['express behind a parser that leaves bytes', behindRawParser],
  ['express behind a parser that leaves a text', behindTextParser],
  ['express behind a parser that leaves the body unread', behindParserOfForms],
  ['fastify', inFastify],
  ['fastify without its body parser', inFastifyUnparsed],
  ['node:http', inNode],
];

const withoutParsers = mounts.filter(([, mount]) => ![behindBodyParser, inFastify].includes(mount));

/** Creates a handler and mounts it. */
async function mounted(mount: Mount, options?: DualEraHandlerOptions) {
  const { handler } = newHandler(options);
  const server = await mount(handler);
  if (!server.listening) await once(server, 'listening');
  closeAfterTest(async () => {
    await handler.close({ timeoutMs: 0 });
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { handler, url: new URL(`http://127.0.0.1:${port}/mcp`) };
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
  it.each(eras)('asks a %s client and returns the result', async (era) => {
    const { url } = await mounted(mount);
    const ada = await connect(url, era, 'Ada');
    expect(ada.getNegotiatedProtocolVersion()).toBe(VERSION[era]);
    expect(await call(ada, 'greet', { greeting: 'Hello' })).toBe('Hello, Ada!');
    expect(await call(ada, 'greet', { greeting: 'Good night' })).toBe('Good night, Ada!');
  });

  it.each(eras)(
    'identifies a %s client by its token, and refuses an unknown token',
    async (era) => {
      const { url } = await mounted(mount, { authenticate: gate });
      const alice = await connect(url, era, 'Alice', 'alice');
      expect(await call(alice, 'whoami')).toMatch(/^alice in /);
      expect(await call(alice, 'greet', { greeting: 'Hello' })).toBe('Hello, Alice!');

      const refused = await fetch(post(initialize, { authorization: 'Bearer eve' }, url.href));
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
    },
  );

  it('serves a session only to its owner', async () => {
    const { url } = await mounted(mount, { authenticate: gate });
    const as = (name: string) => ({ authorization: `Bearer ${name}` });
    const opened = await fetch(post(initialize, as('alice'), url.href));
    const session = withSession(opened.headers.get('mcp-session-id')!);
    const attempt = await fetch(post(toolCall('whoami'), { ...session, ...as('bob') }, url.href));
    expect(await refusalOf(attempt)).toMatchObject({ status: 404, message: 'Session not found' });
    expect((await fetch(remove({ ...session, ...as('alice') }, url.href))).status).toBe(200);
  });

  it('serves only loopback hosts by default', async () => {
    const { url } = await mounted(mount);
    expect(await handshakeStatus(url, { host: 'evil.example' })).toBe(403);
    const other = await mounted(mount, { allowedHosts: ['mcp.example.com'] });
    expect(await handshakeStatus(other.url, { host: 'mcp.example.com' })).toBe(200);
  });

  it('closes the session of a client that disconnected with an open question', async () => {
    const { handler, url } = await mounted(mount, { keepAliveMs: 0 });
    const session = withSession(await openSession(at(url)));
    const outgoing = request(url, { method: 'POST', headers: headersWith(session) });
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

describe.each(withoutParsers)('a handler that reads bodies, mounted in %s', (_, mount) => {
  it.each([
    ['is not JSON', '{', {}, 400, -32700],
    ['is too long', { long: 'x'.repeat(2000) }, {}, 413, -32000],
    ['is declared as a form', 'a=b', { 'content-type': 'multipart/form-data' }, 415, -32000],
  ])('refuses a body that %s with a JSON-RPC error', async (_what, body, headers, status, code) => {
    const { url } = await mounted(mount, { maxRequestBodySize: 1000 });
    const response = await fetch(post(body, headers, url.href));
    expect(await refusalOf(response)).toMatchObject({ status, code });
  });
});

describe('a token that the framework validated', () => {
  it('is read from req.auth in express', async () => {
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
    const alice = await connect(url, 'legacy', 'Alice', 'alice');
    expect(await call(alice, 'whoami')).toMatch(/^alice in /);
    expect((await fetch(post(initialize, {}, url.href))).status).toBe(401);
  });

  it('is passed to fetch in hono', async () => {
    const { url } = await mounted((handler) => {
      const app = new Hono();
      app.all('/mcp', async (c) => {
        const authInfo = await gate(c.req.raw);
        return authInfo instanceof Response ? authInfo : handler.fetch(c.req.raw, { authInfo });
      });
      return serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
    });
    const bob = await connect(url, 'modern', 'Bob', 'bob');
    expect(await call(bob, 'whoami')).toBe('bob in no session');
    expect((await fetch(post(initialize, {}, url.href))).status).toBe(401);
  });
});
