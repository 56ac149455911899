/** Malformed and hostile requests. The server refuses each of them and serves the next request. */
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDualEraHandler, type HttpServerHandle, serveHttp } from 'mcp-resolve/node';

import { askingFactory } from './askingServer.js';
import { newHandler } from './handlers.js';
import {
  at,
  ENDPOINT,
  initialize,
  openSession,
  post,
  refusalOf,
  toolCall,
  withSession,
} from './rawHttp.js';

let handle: HttpServerHandle;
const errors: Error[] = [];

beforeAll(async () => {
  handle = await serveHttp(askingFactory().factory, {
    allowedHosts: 'any',
    maxRequestBodySize: 200_000,
    onerror: (error) => errors.push(error),
  });
});

afterAll(async () => {
  // The server still works after all of these requests.
  expect((await fetch(post(initialize, {}, handle.url.href))).status).toBe(200);
  await handle.close({ timeoutMs: 0 });
});

/** Writes bytes to the server, and returns its reply when the connection has ended. */
async function exchange(bytes: string | Buffer): Promise<string> {
  const socket = connectSocket(handle.port, '127.0.0.1');
  let reply = '';
  socket.on('data', (chunk: Buffer) => (reply += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return reply;
}

/** Creates a raw request that closes the connection. */
function wire(head: string, body = ''): string {
  const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${head}\r\nConnection: close\r\n${length}\r\n${body}`;
}

/** Returns the status line, the headers and the JSON-RPC error of a raw response. */
function parsed(reply: string): { status: string; headers: string; error: unknown } {
  const [head = '', body = ''] = reply.split('\r\n\r\n', 2);
  const json = /\{.*\}/s.exec(body)?.[0];
  const { error } = (json === undefined ? {} : JSON.parse(json)) as { error?: unknown };
  return { status: head.split('\r\n', 1)[0]!, headers: head.toLowerCase(), error };
}

const HOST = 'Host: localhost';
const JSON_HEADERS = `${HOST}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream`;

describe('a request line', () => {
  it.each(['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    'with the method %s is refused',
    async (method) => {
      const reply = parsed(await exchange(wire(`${method} /mcp HTTP/1.1\r\n${HOST}`)));
      expect(reply.status).toBe('HTTP/1.1 405 Method Not Allowed');
      expect(reply.headers).toContain('\r\nallow: get, post, delete');
      expect(reply.error).toEqual({ code: -32000, message: 'Method not allowed.' });
    },
  );

  it('with the method HEAD is refused without a body', async () => {
    const reply = await exchange(wire(`HEAD /mcp HTTP/1.1\r\n${HOST}`));
    expect(reply).toMatch(/^HTTP\/1\.1 405 [^]*\r\n\r\n$/);
  });

  it('with the method CONNECT ends the connection', async () => {
    expect(await exchange(wire(`CONNECT evil.example:443 HTTP/1.1\r\n${HOST}`))).toBe('');
  });

  it.each(['/', '/mcp/', '/mcp%2f', '/../mcp', '//mcp', 'http://evil.example/mcp', '*'])(
    'with the target %s is not found',
    async (target) => {
      const reply = parsed(await exchange(wire(`GET ${target} HTTP/1.1\r\n${HOST}`)));
      expect(reply.status).toBe('HTTP/1.1 404 Not Found');
      expect(reply.error).toEqual({ code: -32000, message: 'Not found' });
    },
  );

  it('that is not HTTP is refused', async () => {
    expect(await exchange('hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });
});

describe('headers', () => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const withHeader = (header: string): Promise<string> =>
    exchange(wire(`POST /mcp HTTP/1.1\r\n${JSON_HEADERS}\r\n${header}`, ping));

  it.each(['a b<c>', 'a@localhost', 'a:b@localhost', 'localhost@evil.test', 'localhost/x', 'a\\b'])(
    'with the invalid host %s are refused',
    async (host) => {
      const head = `POST /mcp HTTP/1.1\r\n${JSON_HEADERS.replace('localhost', host)}`;
      const reply = parsed(await exchange(wire(head, ping)));
      expect(reply.status).toBe('HTTP/1.1 400 Bad Request');
      expect(reply.error).toEqual({
        code: -32600,
        message: 'Bad Request: the Host header is not valid',
      });
    },
  );

  it('with a user name before the host are refused in web-standard requests, too', async () => {
    const { handler } = newHandler({ allowedHosts: 'any' });
    const response = await handler.fetch(post(initialize, { host: 'a@localhost' }));
    expect(response.status).toBe(400);
  });

  it.each([
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['non-ASCII', '\xe9\xff'],
    ['sent twice', 'a\r\nMcp-Session-Id: b'],
    ['8000 characters long', 'x'.repeat(8000)],
  ])('with a session id that is %s find no session', async (_, id) => {
    const reply = parsed(await withHeader(`Mcp-Session-Id: ${id}`));
    expect(reply.status).toBe('HTTP/1.1 404 Not Found');
    expect(reply.error).toEqual({ code: -32001, message: 'Session not found' });
  });

  it('cannot inject a header into the response', async () => {
    const opened = await fetch(post(initialize, {}, handle.url.href));
    const session = `Mcp-Session-Id: ${opened.headers.get('mcp-session-id')!}`;
    for (const value of ['1%0d%0aSet-Cookie: a=b', '1\r\n Set-Cookie: a=b', '1\rSet-Cookie: a=b']) {
      const reply = await withHeader(`${session}\r\nMcp-Protocol-Version: ${value}`);
      expect(reply).toMatch(/^HTTP\/1\.1 400 /);
      expect(parsed(reply).headers).not.toContain('\r\nset-cookie');
    }
  });

  it('of 100,000 characters are refused', async () => {
    expect(await withHeader(`X-Long: ${'x'.repeat(100_000)}`)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('with two different lengths of the body are refused', async () => {
    const smuggled = `POST /mcp HTTP/1.1\r\n${JSON_HEADERS}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect(await exchange(smuggled)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });
});

describe('a media type', () => {
  it.each([
    '',
    'text/plain',
    'text/plain; application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=application/json',
    'application/json-patch+json',
    '\xff\xfe',
  ])('of %j is refused', async (type) => {
    const head = `POST /mcp HTTP/1.1\r\n${JSON_HEADERS.replace('application/json', type)}`;
    const reply = parsed(await exchange(Buffer.from(wire(head, '{}'), 'latin1')));
    expect(reply.status).toBe('HTTP/1.1 415 Unsupported Media Type');
    expect(reply.error).toMatchObject({ code: -32000 });
  });
});

describe('a body', () => {
  const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const bodies: [string, string, number, number][] = [
    ['empty', '', 400, -32700],
    ['truncated', '{"jsonrpc":"2.0"', 400, -32700],
    ['two values', '{} {}', 400, -32700],
    ['null', 'null', 400, -32600],
    ['a number', '5', 400, -32600],
    ['an empty object', '{}', 400, -32600],
    ['an empty batch', '[]', 400, -32600],
    ['a batch without messages', '[null, [], 5]', 400, -32600],
    ['a batch in a batch', JSON.stringify([[toolCall('whoami')]]), 400, -32600],
    [
      'a batch of 101',
      JSON.stringify(Array.from({ length: 101 }, (_, id) => toolCall('whoami', id + 2))),
      400,
      -32600,
    ],
    ['a second handshake', JSON.stringify(initialize), 400, -32600],
    ['a message with an object as id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
    ['a message of JSON-RPC 1.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
    ['nested 50,000 levels deep', deep(50_000), 400, -32600],
    ['too long', JSON.stringify('x'.repeat(300_000)), 413, -32000],
  ];

  it.each(bodies)('that is %s is refused in a session', async (_, body, status, code) => {
    const session = withSession(await openSession(at(handle.url)));
    const response = await fetch(post(body, session, handle.url.href));
    expect(await refusalOf(response)).toMatchObject({ status, code });
  });

  it.each(bodies.filter(([what]) => what !== 'a second handshake'))(
    'that is %s is refused without a session',
    async (_, body, status) => {
      const { status: got, code } = await refusalOf(await fetch(post(body, {}, handle.url.href)));
      expect(got).toBe(status);
      expect(code).toBeLessThan(0);
    },
  );

  it('that is too long is refused, also if it arrives in chunks', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const head = `POST /mcp HTTP/1.1\r\n${JSON_HEADERS}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const reply = parsed(await exchange(`${head}${chunk.repeat(4)}`));
    expect(reply.status).toBe('HTTP/1.1 413 Payload Too Large');
    expect(reply.error).toEqual({
      code: -32000,
      message: 'Payload Too Large: Request body must not exceed 200000 bytes',
    });
  });

  it('that is not UTF-8 is refused', async () => {
    const head = `POST /mcp HTTP/1.1\r\n${JSON_HEADERS}\r\nContent-Length: 3\r\nConnection: close\r\n\r\n`;
    const bytes = Buffer.concat([Buffer.from(head), Buffer.from([0x22, 0xff, 0x7b])]);
    expect(parsed(await exchange(bytes)).status).toBe('HTTP/1.1 400 Bad Request');
  });

  it('that ends early is reported', async () => {
    const before = errors.length;
    const socket = connectSocket(handle.port, '127.0.0.1');
    const arrived = once(handle.server, 'request');
    socket.write(`POST /mcp HTTP/1.1\r\n${JSON_HEADERS}\r\nContent-Length: 900\r\n\r\n{"json`);
    await arrived;
    socket.destroy();
    await expect.poll(() => errors.length, { timeout: 10_000 }).toBe(before + 1);
  });
});

describe('a handler', () => {
  it('answers every JSON body', async () => {
    const handler = createDualEraHandler(askingFactory().factory);
    const session = withSession(await openSession(handler));
    const property = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom('2.0', 'ping', 1, null),
    );
    const message = fc.record(
      {
        jsonrpc: property,
        id: property,
        method: property,
        params: property,
        result: property,
      },
      { requiredKeys: [] },
    );
    const body = fc.oneof(fc.jsonValue(), message, fc.array(message, { maxLength: 3 }));
    const headers = fc.constantFrom({}, session, { 'mcp-protocol-version': '2026-07-28' });
    await fc.assert(
      fc.asyncProperty(body, headers, async (value, more) => {
        const response = await handler.fetch(post(value, more));
        const accepted = response.status === 200 || response.status === 202;
        if (!accepted) expect((await refusalOf(response)).code).toBeLessThan(0);
        else await response.body?.cancel();
      }),
      { numRuns: 300 },
    );
    await handler.close({ timeoutMs: 0 });
  });

  it('answers a request whose body fails while it is read', async () => {
    const handler = createDualEraHandler(askingFactory().factory);
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) });
    const headers = { 'content-type': 'application/json' };
    const broken = new Request(ENDPOINT, { method: 'POST', headers, body, duplex: 'half' });
    expect(await refusalOf(await handler.fetch(broken))).toMatchObject({
      status: 400,
      code: -32700,
    });
  });

  it('answers a parsed body that JSON cannot express', async () => {
    const handler = createDualEraHandler(askingFactory().factory);
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    for (const parsedBody of [circular, Symbol('x'), 5n, new Map()]) {
      const response = await handler.fetch(post(''), { parsedBody });
      expect(response.status).toBe(400);
    }
  });
});
