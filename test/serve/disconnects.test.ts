/** Users who answer late, and clients that disconnect. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerOptions } from 'node:http';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { createDualEraHandler, type DualEraHandler } from 'mcp-resolve/node';

import { deferred } from '../support/deferred.js';
import { closeAfterTest } from '../support/servers.js';
import { textResult } from './askingServer.js';
import { call, connect } from './clients.js';
import { eventually } from './eventually.js';
import { newHandler, openQuestion, serve } from './handlers.js';
import {
  answer,
  get,
  headersWith,
  isOpen,
  openSession,
  post,
  remove,
  toolCall,
  withSession,
} from './rawHttp.js';

const HALF_AN_HOUR = 30 * 60_000;
const A_YEAR = 365 * 24 * 60 * 60_000;

/** Mounts a handler on a server of `node:http`. */
async function onNode(handler: DualEraHandler, options: ServerOptions = {}) {
  const server = createServer(options, handler.node).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAfterTest(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, url: new URL(`http://127.0.0.1:${port}/mcp`) };
}

const greet = toolCall('greet', 2, { greeting: 'Hello' });

/** Starts a call of `hang` in a new session. */
async function hangingCall() {
  const { handler, observed } = newHandler();
  const id = await openSession(handler);
  const response = await handler.fetch(post(toolCall('hang'), withSession(id)));
  return { handler, id, response, signal: await observed.hanging };
}

/** Calls `greet` over a new connection. */
async function stream(url: URL, session: Record<string, string>) {
  const headers = headersWith(session);
  const outgoing = request(url, { method: 'POST', headers, agent: false });
  outgoing.on('error', () => undefined);
  outgoing.end(JSON.stringify(greet));
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { outgoing, incoming };
}

/** Waits until the server would close one session after `ms`, so until it knows the client is gone. */
async function closedAfter(handler: DualEraHandler, ms: number): Promise<void> {
  await eventually(async () => {
    expect(await handler.closeIdleSessions(Date.now() + ms)).toBe(1);
  });
}

describe('a user who answers late', () => {
  it('can answer as long as the client is connected', async () => {
    const { handler } = newHandler();
    const { session, messages, question } = await openQuestion(handler);
    expect(await handler.closeIdleSessions(Date.now() + A_YEAR)).toBe(0);

    await handler.fetch(post(answer(question, 'Ada'), session));
    expect((await messages.next()).result?.content[0]?.text).toBe('Hello, Ada!');
  });

  it('can answer after the request timeouts of node:http', async () => {
    const { handler } = newHandler({ keepAliveMs: 0 });
    const { server, port, url } = await onNode(handler, {
      keepAliveTimeout: 1,
      connectionsCheckingInterval: 5,
    });
    const session = withSession(await openSession(handler));
    const { outgoing, incoming } = await stream(url, session);
    let received = '';
    incoming.on('data', (chunk: Buffer) => (received += chunk.toString()));
    await once(incoming, 'data');

    // From now on a request has 20 ms to arrive. Two incomplete requests time out.
    server.headersTimeout = 20;
    server.requestTimeout = 20;
    for (let round = 0; round < 2; round += 1) {
      const stalled = connectSocket(port, '127.0.0.1');
      const head = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json';
      stalled.write(`${head}\r\nContent-Length: 9\r\n\r\n{`);
      const [reply] = (await once(stalled, 'data')) as [Buffer];
      expect(reply.toString()).toMatch(/^HTTP\/1\.1 408 /);
      stalled.destroy();
    }
    await handler.fetch(post(answer(0, 'Ada'), session));
    await once(incoming, 'end');
    expect(received).toContain('Hello, Ada!');
    outgoing.destroy();
  });

  it('can answer over serveHttp, which has no timeout for idle connections', async () => {
    const { server } = await serve();
    expect(server.timeout).toBe(0);
  });

  it('has a client that receives keep-alive comments', async () => {
    const { handler } = newHandler({ keepAliveMs: 1 });
    const session = withSession(await openSession(handler));
    const response = await handler.fetch(post(greet, session));
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let received = '';
    while (!/elicitation[^]*: keepalive\n\n: keepalive\n\n/.test(received)) {
      const { value, done } = await reader.read();
      expect(done).toBe(false);
      received += value ?? '';
    }
    await reader.cancel();
  });
});

describe('a client that loses its connection', () => {
  it('keeps its call and its session', async () => {
    const { handler, id, response, signal } = await hangingCall();
    await response.body!.cancel();

    expect(await handler.closeIdleSessions(Date.now() + HALF_AN_HOUR - 60_000)).toBe(0);
    expect(signal.aborted).toBe(false);
    expect(await isOpen(handler, id)).toBe(true);
  });

  it('loses its session and its calls after the idle time', async () => {
    const { handler, response, signal } = await hangingCall();
    expect(await handler.closeIdleSessions(Date.now() + A_YEAR)).toBe(0);

    await response.body!.cancel();
    await closedAfter(handler, HALF_AN_HOUR);
    expect(signal.aborted).toBe(true);
    expect(handler.sessionCount).toBe(0);
  });

  it('ends its session at once with DELETE', async () => {
    const { handler, id, response, signal } = await hangingCall();
    await response.body!.cancel();
    await handler.fetch(remove(withSession(id)));
    expect(signal.aborted).toBe(true);
    expect(handler.sessionCount).toBe(0);
  });

  it('has one minute to reconnect if a question is open', async () => {
    const { handler } = newHandler();
    const { messages } = await openQuestion(handler);
    await messages.cancel();
    expect(await handler.closeIdleSessions(Date.now() + 50_000)).toBe(0);
    await closedAfter(handler, 60_000);
  });

  it('has disconnectGraceMs to reconnect if a question is open', async () => {
    const { handler } = newHandler({ disconnectGraceMs: 10_000 });
    const { messages } = await openQuestion(handler);
    await messages.cancel();
    await closedAfter(handler, 10_000);
  });

  it('keeps its question if it listens again, and can answer it', async () => {
    const { handler } = newHandler();
    const { session, messages, question } = await openQuestion(handler);
    await messages.cancel();
    const stream = await handler.fetch(get(session));
    expect(await handler.closeIdleSessions(Date.now() + A_YEAR)).toBe(0);

    expect((await handler.fetch(post(answer(question, 'Ada'), session))).status).toBe(202);
    await stream.body!.cancel();
    await closedAfter(handler, HALF_AN_HOUR);
  });

  it('fails its open question if it does not reconnect, so the call ends', async () => {
    const failed = deferred<string>();
    const asker: McpServerFactory = () => {
      const server = new McpServer({ name: 'asker', version: '1.0.0' });
      server.registerTool('greet', {}, async (ctx) => {
        const requestedSchema = { type: 'object', properties: {} } as const;
        const params = { mode: 'form', message: 'Well?', requestedSchema } as const;
        await ctx.mcpReq
          .send({ method: 'elicitation/create', params })
          .catch((error: unknown) => failed.resolve((error as Error).message));
        return textResult('over');
      });
      return server;
    };
    const handler = createDualEraHandler(asker);
    const { messages } = await openQuestion(handler);
    await messages.cancel();
    await closedAfter(handler, 60_000);
    expect(await failed.promise).toBe('Connection closed');
  });

  it('is noticed by node:http, also if the server writes nothing', async () => {
    const { handler } = newHandler({ keepAliveMs: 0 });
    const { url } = await onNode(handler);
    const session = withSession(await openSession(handler));
    const { outgoing, incoming } = await stream(url, session);
    await once(incoming, 'data');
    expect(await handler.closeIdleSessions(Date.now() + A_YEAR)).toBe(0);

    outgoing.destroy();
    await closedAfter(handler, 60_000);
  });

  it('aborts its call at once on the modern era', async () => {
    const { handler, observed } = newHandler();
    const { server, url } = await onNode(handler);
    const ada = await connect(url, 'modern');
    const hanging = expect(call(ada, 'hang')).rejects.toThrow();
    const signal = await observed.hanging;

    server.closeAllConnections();
    await hanging;
    await eventually(() => {
      expect(signal.aborted).toBe(true);
    });
  });
});
