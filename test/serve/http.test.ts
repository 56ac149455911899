/** `serveHttp` on a port: its address, allowed hosts and origins, authentication and streams. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { requireBearerAuth, type AuthInfo } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import { type HttpServerHandle, serveHttp } from 'mcp-resolve/node';

import { loadNodeAdapter } from '../../src/http/nodeListener.js';
import { eras } from '../support/eras.js';
import { askingFactory } from './askingServer.js';
import { call, connect } from './clients.js';
import { newHandler, serve } from './handlers.js';
import {
  at,
  get,
  handshakeStatus,
  initialize,
  openSession,
  post,
  refusalOf,
  toolCall,
  withSession,
} from './rawHttp.js';

function postTo({ url }: HttpServerHandle, body: unknown, headers = {}): Promise<Response> {
  return fetch(post(body, headers, url.href));
}

describe('the address of a server', () => {
  it('is a free port of the loopback address and the path /mcp by default', async () => {
    const handle = await serve();
    expect(handle.url.href).toBe(`http://127.0.0.1:${handle.port}/mcp`);
    expect(handle.port).toBeGreaterThan(0);
  });

  it('can have another path, and every other path is not found', async () => {
    const handle = await serve({ path: '/tools/v1' });
    expect(handle.url.pathname).toBe('/tools/v1');
    expect((await postTo(handle, initialize)).status).toBe(200);
    for (const path of ['/', '/mcp', '/tools/v1/', '/tools']) {
      const response = await fetch(new URL(path, handle.url), { method: 'POST' });
      expect(await refusalOf(response)).toMatchObject({ status: 404, message: 'Not found' });
    }
  });

  it('is part of the error if its port is in use', async () => {
    const { port } = await serve();
    await expect(serveHttp(askingFactory().factory, { port })).rejects.toThrow(
      `127.0.0.1:${port} is already in use. Choose another port, or use port 0 for any free port.`,
    );
  });

  it('is part of the error if the server cannot listen on it', async () => {
    const starting = serveHttp(askingFactory().factory, {
      host: 'no-such-host.invalid',
      allowedHosts: 'any',
    });
    await expect(starting).rejects.toThrow(/^Cannot listen on no-such-host\.invalid:0: /);
  });
});

describe('a request', () => {
  it('is refused if it names another host, which prevents DNS rebinding', async () => {
    const handle = await serve();
    expect(await handshakeStatus(handle.url, { host: 'evil.example' })).toBe(403);
    expect(await handshakeStatus(handle.url, { host: `localhost:${handle.port}` })).toBe(200);
  });

  it('is refused if it comes from a web page of another host', async () => {
    const handle = await serve();
    expect(await handshakeStatus(handle.url, { origin: 'https://evil.example' })).toBe(403);
    expect(await handshakeStatus(handle.url, { origin: 'null' })).toBe(403);
    expect(await handshakeStatus(handle.url, { origin: 'http://localhost:5173' })).toBe(200);
  });

  it('can name the hosts in allowedHosts, and come from their pages', async () => {
    const handle = await serve({ allowedHosts: ['MCP.example.com'] });
    const host = { host: 'mcp.example.com' };
    expect(await handshakeStatus(handle.url, host)).toBe(200);
    expect(await handshakeStatus(handle.url, { ...host, origin: 'https://mcp.example.com' })).toBe(
      200,
    );
    expect(await handshakeStatus(handle.url, { ...host, origin: 'http://localhost' })).toBe(403);
    expect(await handshakeStatus(handle.url, {})).toBe(403);
  });

  it("can name every host with allowedHosts: 'any', and come from allowedOrigins", async () => {
    const handle = await serve({ allowedHosts: 'any', allowedOrigins: ['app.example.com'] });
    const host = { host: 'whatever.example' };
    expect(await handshakeStatus(handle.url, host)).toBe(200);
    expect(await handshakeStatus(handle.url, { ...host, origin: 'https://app.example.com' })).toBe(
      200,
    );
    expect(await handshakeStatus(handle.url, { ...host, origin: 'https://whatever.example' })).toBe(
      403,
    );
  });

  it('is refused if it is longer than maxRequestBodySize', async () => {
    const handle = await serve({ maxRequestBodySize: 100 });
    expect((await postTo(handle, initialize)).status).toBe(413);
  });
});

it('an HTTP/2 request is refused if it names another authority', async () => {
  const { handler } = newHandler();
  const server = http2.createServer(handler.node as never).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const statusFor = async (authority: string): Promise<unknown> => {
    const request = client.request({
      ':method': 'POST',
      ':path': '/mcp',
      ':authority': authority,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    });
    request.end(JSON.stringify(initialize)).resume();
    const [headers] = (await once(request, 'response')) as [http2.IncomingHttpHeaders];
    return headers[':status'];
  };
  const statuses = [await statusFor('localhost'), await statusFor('evil.example')];
  client.close();
  server.close();
  expect(statuses).toEqual([200, 403]);
});

describe('authenticate', () => {
  const users: Record<string, AuthInfo> = Object.fromEntries(
    ['alice', 'bob'].map((sub) => [
      sub,
      { token: sub, clientId: 'app', scopes: [], expiresAt: 4_000_000_000, extra: { sub } },
    ]),
  );
  const byToken = (request: Request): AuthInfo | undefined =>
    users[request.headers.get('authorization')?.replace('Bearer ', '') ?? ''];

  it.each(eras)('identifies the caller for tools (%s)', async (era) => {
    const { url } = await serve({ authenticate: byToken });
    const alice = await connect(url, era, 'Alice', 'alice');
    const bob = await connect(url, era, 'Bob', 'bob');
    expect(await call(alice, 'whoami')).toMatch(/^alice in /);
    expect(await call(bob, 'whoami')).toMatch(/^bob in /);
    expect(await call(alice, 'greet', { greeting: 'Hello' })).toBe('Hello, Alice!');
  });

  it('keeps the session of one user from another', async () => {
    const handle = await serve({ authenticate: byToken });
    const as = (name: string) => ({ authorization: `Bearer ${name}` });
    const opened = await postTo(handle, initialize, as('alice'));
    const session = withSession(opened.headers.get('mcp-session-id')!);

    const bob = await postTo(handle, toolCall('whoami'), { ...session, ...as('bob') });
    expect(await refusalOf(bob)).toMatchObject({ status: 404, message: 'Session not found' });
    const alice = await postTo(handle, toolCall('whoami'), { ...session, ...as('alice') });
    expect(await alice.text()).toContain('alice in ');
  });

  it('refuses a request with a challenge if it returns undefined', async () => {
    const handle = await serve({ authenticate: byToken });
    const response = await postTo(handle, initialize, { authorization: 'Bearer mallory' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer error="invalid_token", error_description="A valid token is required"',
    );
  });

  it('can be requireBearerAuth of the SDK', async () => {
    const verifyAccessToken = async (token: string): Promise<AuthInfo> => users[token]!;
    const gate = requireBearerAuth({ verifier: { verifyAccessToken }, requiredScopes: ['mcp'] });
    const handle = await serve({ authenticate: gate });
    expect((await postTo(handle, initialize)).status).toBe(401);
    const response = await postTo(handle, initialize, { authorization: 'Bearer alice' });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toContain('scope="mcp"');
  });

  it('refuses the request and reports the error if it rejects', async () => {
    const errors: string[] = [];
    const handle = await serve({
      authenticate: () => Promise.reject(new Error('the key server is down')),
      onerror: ({ message }) => errors.push(message),
    });
    const response = await postTo(handle, initialize);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('key server');
    expect(errors).toEqual(['the key server is down']);
  });

  it.each([
    [null, 401],
    [false, 401],
    [true, 500],
    [0, 500],
    ['', 500],
    ['Bearer alice', 500],
    [{}, 500],
    [{ user: 'alice' }, 500],
  ])('refuses the request if it returns %j', async (returned, status) => {
    const errors: string[] = [];
    const handle = await serve({
      authenticate: () => returned as never,
      onerror: ({ message }) => errors.push(message),
    });
    expect((await postTo(handle, initialize)).status).toBe(status);
    const reported =
      '`authenticate` returned an invalid value. It must return a validated token with a `clientId`, a Response or undefined.';
    expect(errors).toEqual(status === 401 ? [] : [reported]);
  });

  it('can read the body', async () => {
    const seen: unknown[] = [];
    const handle = await serve({
      authenticate: async (request) => {
        seen.push(await request.json());
        return users.alice;
      },
    });
    expect((await postTo(handle, initialize)).status).toBe(200);
    expect(seen).toEqual([initialize]);
  });
});

describe('the response to a listening client', () => {
  it('begins before the server sends a message', async () => {
    const { url } = await serve({ keepAliveMs: 0 });
    const session = withSession(await openSession(at(url)));
    const stream = await fetch(get(session, url.href));
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    await stream.body!.cancel();
  });
});

describe('without the package @modelcontextprotocol/node', () => {
  it('the server throws an error with the command that installs it', async () => {
    const missing = Object.assign(new Error('Cannot find package'), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    await expect(loadNodeAdapter(() => Promise.reject(missing))).rejects.toThrow(
      "Serving HTTP on Node.js requires the package '@modelcontextprotocol/node'. Install it with `npm install @modelcontextprotocol/node`.",
    );
    const broken = new Error('a broken package');
    await expect(loadNodeAdapter(() => Promise.reject(broken))).rejects.toBe(broken);
  });

  it('the server throws an error with the remedy if the package requires a newer SDK', async () => {
    const newer = new SyntaxError('does not provide an export named');
    await expect(loadNodeAdapter(() => Promise.reject(newer))).rejects.toThrow(
      "The installed '@modelcontextprotocol/node' requires a newer '@modelcontextprotocol/server'. Update '@modelcontextprotocol/server', or install the '@modelcontextprotocol/node' that fits it: 2.0.0 for 2.0.",
    );
  });

  it('a mounted handler answers with an error and reports the cause', async () => {
    vi.doMock('@modelcontextprotocol/node', () => {
      throw new Error('missing');
    });
    const onerror = vi.fn();
    const { handler } = newHandler({ onerror });
    const server = createServer(handler.node).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(post(initialize, {}, `http://127.0.0.1:${port}/mcp`));
    expect(await refusalOf(response)).toMatchObject({ status: 500, code: -32603 });
    expect(onerror).toHaveBeenCalledOnce();
    server.close();
    vi.doUnmock('@modelcontextprotocol/node');
  });
});
