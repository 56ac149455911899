/** Bodies on their way in and out of Node: read once, in whatever pieces, and answered. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createDualEraHandler,
  type HttpServerHandle,
  serveHttp,
  type ServeHttpOptions,
} from 'mcp-resolve/node';

import { askingFactory } from './askingServer.js';
import { get, initialize, openSession, post, withSession } from './rawHttp.js';

let handle: HttpServerHandle | undefined;

afterEach(() => handle?.close({ timeoutMs: 0 }));

async function serving(options: ServeHttpOptions = {}): Promise<URL> {
  handle = await serveHttp(askingFactory().factory, options);
  return handle.url;
}

/** Sends a body in pieces, each when the one before is on its way. */
async function send(url: URL, pieces: readonly Buffer[]): Promise<IncomingMessage> {
  const outgoing = request(url, { method: 'POST', headers: Object.fromEntries(post('').headers) });
  for (const piece of pieces) await new Promise((resolve) => outgoing.write(piece, resolve));
  outgoing.end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return incoming;
}

/** Sends a request as it stands, in one packet, and gives what comes back. */
async function sendRaw({ hostname, port }: URL, head: string, body: Buffer): Promise<string> {
  const socket = connect(Number(port), hostname);
  const lines = ['POST /mcp HTTP/1.1', 'host: 127.0.0.1', 'connection: close', ...HEAD, head];
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]));
  return text(socket);
}

const HEAD = ['content-type: application/json', 'accept: application/json, text/event-stream'];

/** A piece of a body whose length is not announced. */
function chunked(piece: Buffer): Buffer[] {
  return [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')];
}

const END = Buffer.from('0\r\n\r\n');

const bytes = Buffer.from(JSON.stringify({ ...initialize, id: 'größer' }));

describe('a body', () => {
  it('may arrive byte by byte, in the middle of a letter', async () => {
    const pieces = [...bytes].map((byte) => Buffer.of(byte));
    const response = await send(await serving(), pieces);
    expect(await text(response)).toContain('"id":"größer"');
  });

  it('may begin with a byte order mark', async () => {
    const response = await send(await serving(), [Buffer.from('\uFEFF'), bytes]);
    expect(await text(response)).toContain('"id":"größer"');
  });

  it('may come in one packet with its head', async () => {
    const response = await sendRaw(await serving(), `content-length: ${bytes.length}`, bytes);
    expect(response).toMatch(/^HTTP\/1.1 200 OK/);
    expect(response).toContain('"id":"größer"');
  });

  it('may be listened to by somebody who came late', async () => {
    const handler = createDualEraHandler(askingFactory().factory);
    let heard = 0;
    let isFirst = true;
    const serveLate = async (
      incoming: IncomingMessage,
      response: ServerResponse,
    ): Promise<void> => {
      await new Promise(setImmediate);
      // With the first request the adapter is loaded, and what is heard meanwhile is gone.
      if (!isFirst) incoming.on('data', ({ length }: Buffer) => (heard += length));
      isFirst = false;
      handler.node(incoming, response);
    };
    const server = createServer((incoming, response) => void serveLate(incoming, response)).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    const body = Buffer.concat([
      ...chunked(bytes.subarray(0, 20)),
      ...chunked(bytes.subarray(20)),
      END,
    ]);
    const url = new URL(`http://127.0.0.1:${port}/mcp`);
    await sendRaw(url, 'transfer-encoding: chunked', body);
    expect(await sendRaw(url, 'transfer-encoding: chunked', body)).toContain('"id":"größer"');
    expect(heard).toBe(bytes.length);
    server.close();
    await handler.close({ timeoutMs: 0 });
  });

  it('is refused if it is too long, also if it was not announced and came with its head', async () => {
    const body = Buffer.concat([...chunked(bytes), END]);
    const url = await serving({ maxRequestBodySize: bytes.length - 1 });
    expect(await sendRaw(url, 'transfer-encoding: chunked', body)).toMatch(/^HTTP\/1.1 413/);
  });

  it('can be read by authenticate, which may have to check its signature', async () => {
    let seen = '';
    const url = await serving({
      authenticate: async (incoming) => {
        seen = await incoming.text();
        return { token: 'signed', clientId: 'ada', scopes: [] };
      },
    });
    expect((await send(url, [bytes])).statusCode).toBe(200);
    expect(seen).toBe(bytes.toString());
  });
});

describe('an answer', () => {
  it('in JSON names the mistake in a body', async () => {
    const response = await send(await serving(), [Buffer.from('{')]);
    const { message } = (JSON.parse(await text(response)) as { error: { message: string } }).error;
    expect(message).toBe('Parse error: the request body is not valid JSON');
  });

  it('that is a stream begins before it has anything to say', async () => {
    const url = await serving({ keepAliveMs: 0 });
    const there = { fetch: (original: Request) => fetch(new Request(url, original)) };
    const session = withSession(await openSession(there));
    const response = await fetch(get(session, url.href));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await response.body!.cancel();
  });
});
