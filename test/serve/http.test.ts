/** `serveHttp` as a server on a port: who may reach it, who may use it, how it starts and ends. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { requireBearerAuth, type AuthInfo } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createDualEraHandler,
  type HttpServerHandle,
  serveHttp,
  type ServeHttpOptions,
} from 'mcp-resolve/node';

import { askingFactory, call, connect } from './askingServer.js';
import { initialize, openSession, post, refusalOf, toolCall, withSession } from './rawHttp.js';
import { loadNodeAdapter } from '../../src/http/nodeListener.js';

const open: HttpServerHandle[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((handle) => handle.close()));
});

async function serve(options: ServeHttpOptions = {}): Promise<HttpServerHandle> {
  const handle = await serveHttp(askingFactory().factory, options);
  open.push(handle);
  return handle;
}

/** Sends a handshake with headers which fetch would not let us set, and returns the status. */
function statusWith({ url }: HttpServerHandle, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: 'POST', headers: { ...json, ...headers } },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode!);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(initialize));
  });
}

const json = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

function postTo({ url }: HttpServerHandle, body: unknown, headers = {}): Promise<Response> {
  return fetch(post(body, headers, url.href));
}

describe('the address', () => {
  it('is a free port of the loopback address, and /mcp, by default', async () => {
    const handle = await serve();
    expect(handle.url.href).toBe(`http://127.0.0.1:${handle.port}/mcp`);
    expect(handle.port).toBeGreaterThan(0);
  });

  it('can be another path, and every other path is not found', async () => {
    const handle = await serve({ path: '/tools/v1' });
    expect(handle.url.pathname).toBe('/tools/v1');
    expect((await postTo(handle, initialize)).status).toBe(200);
    for (const path of ['/', '/mcp', '/tools/v1/', '/tools']) {
      const response = await fetch(new URL(path, handle.url), { method: 'POST' });
      expect(await refusalOf(response)).toMatchObject({ status: 404, message: 'Not found' });
    }
  });

  it('names the port that is already in use', async () => {
    const { port } = await serve();
    await expect(serveHttp(askingFactory().factory, { port })).rejects.toThrow(
      `127.0.0.1:${port} is already in use. Choose another port, or port 0 for any free one.`,
    );
  });

  it('says why it cannot be listened on', async () => {
    const starting = serveHttp(askingFactory().factory, {
      host: 'no-such-host.invalid',
      allowedHosts: 'any',
    });
    await expect(starting).rejects.toThrow(/^Cannot listen on no-such-host\.invalid:0: /);
  });
});

describe('a request', () => {
  it('addressed to another host is refused, as web pages that rebind their name send it', async () => {
    const handle = await serve();
    expect(await statusWith(handle, { host: 'evil.example' })).toBe(403);
    expect(await statusWith(handle, { host: `localhost:${handle.port}` })).toBe(200);
  });

  it('of a web page of another host is refused', async () => {
    const handle = await serve();
    expect(await statusWith(handle, { origin: 'https://evil.example' })).toBe(403);
    expect(await statusWith(handle, { origin: 'null' })).toBe(403);
    expect(await statusWith(handle, { origin: 'http://localhost:5173' })).toBe(200);
  });

  it('may be addressed to the hosts in allowedHosts and come from their pages', async () => {
    const handle = await serve({ allowedHosts: ['MCP.example.com'] });
    const host = { host: 'mcp.example.com' };
    expect(await statusWith(handle, host)).toBe(200);
    expect(await statusWith(handle, { ...host, origin: 'https://mcp.example.com' })).toBe(200);
    expect(await statusWith(handle, { ...host, origin: 'http://localhost' })).toBe(403);
    expect(await statusWith(handle, {})).toBe(403);
  });

  it('may be addressed to any host, and come from the pages in allowedOrigins', async () => {
    const handle = await serve({ allowedHosts: 'any', allowedOrigins: ['app.example.com'] });
    const host = { host: 'whatever.example' };
    expect(await statusWith(handle, host)).toBe(200);
    expect(await statusWith(handle, { ...host, origin: 'https://app.example.com' })).toBe(200);
    expect(await statusWith(handle, { ...host, origin: 'https://whatever.example' })).toBe(403);
  });

  it('longer than maxRequestBodySize is refused', async () => {
    const handle = await serve({ maxRequestBodySize: 100 });
    expect((await postTo(handle, initialize)).status).toBe(413);
  });
});

it('a request of HTTP/2 is refused if it is addressed to another authority', async () => {
  const handler = createDualEraHandler(askingFactory().factory);
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
  await handler.close({ timeoutMs: 0 });
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

  it.each(['legacy', 'modern'] as const)('tells tools who is asking, %s', async (era) => {
    const { url } = await serve({ authenticate: byToken });
    const alice = await connect(url, era, 'Alice', 'alice');
    const bob = await connect(url, era, 'Bob', 'bob');
    expect(await call(alice, 'whoami')).toMatch(/^alice in /);
    expect(await call(bob, 'whoami')).toMatch(/^bob in /);
    expect(await call(alice, 'greet', { greeting: 'Hello' })).toBe('Hello, Alice!');
    await Promise.all([alice.close(), bob.close()]);
  });

  it('refuses a session of alice to bob', async () => {
    const handle = await serve({ authenticate: byToken });
    const as = (name: string) => ({ authorization: `Bearer ${name}` });
    const opened = await postTo(handle, initialize, as('alice'));
    const session = withSession(opened.headers.get('mcp-session-id')!);

    const bob = await postTo(handle, toolCall('whoami'), { ...session, ...as('bob') });
    expect(await refusalOf(bob)).toMatchObject({ status: 404, message: 'Session not found' });
    const alice = await postTo(handle, toolCall('whoami'), { ...session, ...as('alice') });
    expect(await alice.text()).toContain('alice in ');
  });

  it('refuses a request with a challenge when it returns nothing', async () => {
    const handle = await serve({ authenticate: byToken });
    const response = await postTo(handle, initialize, { authorization: 'Bearer mallory' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer error="invalid_token", error_description="A valid token is required"',
    );
  });

  it('can be the gate of the SDK', async () => {
    const verifyAccessToken = async (token: string): Promise<AuthInfo> => users[token]!;
    const gate = requireBearerAuth({ verifier: { verifyAccessToken }, requiredScopes: ['mcp'] });
    const handle = await serve({ authenticate: gate });
    expect((await postTo(handle, initialize)).status).toBe(401);
    const response = await postTo(handle, initialize, { authorization: 'Bearer alice' });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toContain('scope="mcp"');
  });

  it('refuses the request when it fails, and the failure is reported', async () => {
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
  ])('lets nobody in by returning %j, as plain JavaScript can', async (returned, status) => {
    const errors: string[] = [];
    const handle = await serve({
      authenticate: () => returned as never,
      onerror: ({ message }) => errors.push(message),
    });
    expect((await postTo(handle, initialize)).status).toBe(status);
    const reported =
      "'authenticate' returned neither a validated token, which has a 'clientId', nor undefined, nor a Response.";
    expect(errors).toEqual(status === 401 ? [] : [reported]);
  });

  it('may read the body', async () => {
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

describe('an open stream', () => {
  it('is answered before anything is sent on it', async () => {
    const handle = await serve({ keepAliveMs: 0 });
    const id = await openSession({ fetch: (r) => fetch(addressedTo(handle, r)) });
    const stream = await fetch(handle.url, {
      headers: { accept: 'text/event-stream', ...withSession(id) },
    });
    expect(stream.status).toBe(200);
    await stream.body!.cancel();
  });
});

/** The same request, addressed to a running server. */
function addressedTo({ url }: HttpServerHandle, original: Request): Request {
  return new Request(url, original);
}

describe('without the package @modelcontextprotocol/node', () => {
  it('serving over HTTP says what to install', async () => {
    const missing = Object.assign(new Error('Cannot find package'), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    await expect(loadNodeAdapter(() => Promise.reject(missing))).rejects.toThrow(
      'Serving HTTP with Node needs the package @modelcontextprotocol/node. Install it: npm install @modelcontextprotocol/node',
    );
    const broken = new Error('a syntax error');
    await expect(loadNodeAdapter(() => Promise.reject(broken))).rejects.toBe(broken);
  });

  it('a mounted handler answers with an error, and says why to its author', async () => {
    vi.doMock('@modelcontextprotocol/node', () => {
      throw new Error('missing');
    });
    const onerror = vi.fn();
    const { node } = createDualEraHandler(askingFactory().factory, { onerror });
    const server = createServer(node).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(post(initialize, {}, `http://127.0.0.1:${port}/mcp`));
    expect(await refusalOf(response)).toMatchObject({ status: 500, code: -32603 });
    expect(onerror).toHaveBeenCalledOnce();
    server.close();
    vi.doUnmock('@modelcontextprotocol/node');
  });
});
