/**
 * One app per framework, with the framework's own bearer authentication. The handler receives the
 * token that the app has checked.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { serve as serveHono } from '@hono/node-server';
import type { AuthInfo } from '@modelcontextprotocol/server';
import express, { type RequestHandler } from 'express';
import fastify, { type preHandlerAsyncHookHandler } from 'fastify';
import { Hono } from 'hono';
import type { DualEraHandler } from 'mcp-resolve/node';

/** Mounts a handler at /mcp. @returns The server, listening on a free port. */
export type Mount = (handler: DualEraHandler) => Promise<Server>;

const users = ['alice', 'bob'];

/** Reads the token of a header. In these apps, a token is the name of its user. */
function authInfoOf(header: string | undefined): AuthInfo | undefined {
  const token = /^Bearer (\w+)$/.exec(header ?? '')?.[1];
  if (token === undefined || !users.includes(token)) return undefined;
  return { token, clientId: 'app', scopes: [], expiresAt: 4_000_000_000, extra: { sub: token } };
}

export const inHono: Mount = async (handler) => {
  const app = new Hono<{ Variables: { authInfo: AuthInfo } }>();
  app.use('/mcp', async (c, next) => {
    const authInfo = authInfoOf(c.req.header('authorization'));
    if (authInfo === undefined) return c.text('Who are you?', 401);
    c.set('authInfo', authInfo);
    return next();
  });
  app.all('/mcp', (c) => handler.fetch(c.req.raw, { authInfo: c.get('authInfo') }));
  return new Promise((resolve) => {
    const server = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => {
      resolve(server as Server);
    });
  });
};

export const inExpress: Mount = async (handler) => {
  const authenticate: RequestHandler = (request, response, next) => {
    const auth = authInfoOf(request.headers.authorization);
    if (auth === undefined) {
      response.status(401).send('Who are you?');
      return;
    }
    Object.assign(request, { auth });
    next();
  };
  const app = express();
  app.use(express.json());
  app.all('/mcp', authenticate, handler.node);
  return listening(createServer(app));
};

export const inFastify: Mount = async (handler) => {
  const preHandler: preHandlerAsyncHookHandler = async (request, reply) => {
    const auth = authInfoOf(request.headers.authorization);
    if (auth === undefined) return reply.status(401).send('Who are you?');
    const raw: IncomingMessage & { auth?: AuthInfo } = request.raw;
    raw.auth = auth;
  };
  const app = fastify();
  app.all('/mcp', { preHandler }, (request, reply) => {
    reply.hijack();
    handler.node(request.raw, reply.raw, request.body);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app.server;
};

async function listening(server: Server): Promise<Server> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(server);
    });
  });
}
