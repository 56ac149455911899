/** Request bodies and responses over `node:http`. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

import { newHandler, serve } from './handlers.js';
import { headersWith, initialize } from './rawHttp.js';

/** Sends a body in pieces, each after the one before was sent. */
async function send({ url }: { url: URL }, pieces: readonly Buffer[]): Promise<IncomingMessage> {
  const outgoing = request(url, { method: 'POST', headers: headersWith({}) });
  for (const piece of pieces) await new Promise((resolve) => outgoing.write(piece, resolve));
  outgoing.end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return incoming;
}

/** Sends a raw request in one packet and returns the raw response. */
async function sendRaw({ hostname, port }: URL, head: string, body: Buffer): Promise<string> {
  const socket = connect(Number(port), hostname);
  const lines = ['POST /mcp HTTP/1.1', 'host: 127.0.0.1', 'connection: close', ...HEAD, head];
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]));
  return text(socket);
}

const HEAD = ['content-type: application/json', 'accept: application/json, text/event-stream'];

/** Encodes a piece of a body with chunked transfer encoding. */
function chunked(piece: Buffer): Buffer[] {
  return [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')];
}

const END = Buffer.from('0\r\n\r\n');

const bytes = Buffer.from(JSON.stringify({ ...initialize, id: 'größer' }));

describe('a body', () => {
  it('can arrive byte by byte, also inside a character', async () => {
    const pieces = [...bytes].map((byte) => Buffer.of(byte));
    const response = await send(await serve(), pieces);
    expect(await text(response)).toContain('"id":"größer"');
  });

  it('can begin with a byte order mark', async () => {
    const response = await send(await serve(), [Buffer.from('\uFEFF'), bytes]);
    expect(await text(response)).toContain('"id":"größer"');
  });

  it('can arrive in one packet with its head', async () => {
    const { url } = await serve();
    const response = await sendRaw(url, `content-length: ${bytes.length}`, bytes);
    expect(response).toMatch(/^HTTP\/1.1 200 OK/);
    expect(response).toContain('"id":"größer"');
  });

  it('can have another listener', async () => {
    const { handler } = newHandler();
    let received = 0;
    let isFirst = true;
    const serveLate = async (
      incoming: IncomingMessage,
      response: ServerResponse,
    ): Promise<void> => {
      await new Promise(setImmediate);
      // The first request loads the adapter, and a listener would miss the body meanwhile.
      if (!isFirst) incoming.on('data', ({ length }: Buffer) => (received += length));
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
    expect(received).toBe(bytes.length);
    server.close();
  });

  it('is refused if it is too long, also in chunks and in one packet with its head', async () => {
    const body = Buffer.concat([...chunked(bytes), END]);
    const { url } = await serve({ maxRequestBodySize: bytes.length - 1 });
    expect(await sendRaw(url, 'transfer-encoding: chunked', body)).toMatch(/^HTTP\/1.1 413/);
  });

  it('can be read by authenticate, for example to check a signature', async () => {
    let seen = '';
    const server = await serve({
      authenticate: async (incoming) => {
        seen = await incoming.text();
        return { token: 'signed', clientId: 'ada', scopes: [] };
      },
    });
    expect((await send(server, [bytes])).statusCode).toBe(200);
    expect(seen).toBe(bytes.toString());
  });
});

describe('a response', () => {
  it('names the mistake in a body', async () => {
    const response = await send(await serve(), [Buffer.from('{')]);
    const { message } = (JSON.parse(await text(response)) as { error: { message: string } }).error;
    expect(message).toBe('Parse error: the request body is not valid JSON');
  });
});
