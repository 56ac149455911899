/** People who take their time, and clients that vanish: what waits for whom, and for how long. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerOptions } from 'node:http';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createDualEraHandler,
  type DualEraHandler,
  type DualEraHandlerOptions,
  serveHttp,
} from 'mcp-resolve/node';

import { askingFactory, call, connect, deferred, text } from './askingServer.js';
import { eventually } from './eventually.js';
import {
  answer,
  get,
  isOpen,
  messagesOn,
  openSession,
  post,
  remove,
  toolCall,
  withSession,
} from './rawHttp.js';

const HALF_AN_HOUR = 30 * 60_000;
const AN_AGE = 365 * 24 * 60 * 60_000;
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function handlerOf(options: DualEraHandlerOptions = {}) {
  const { factory, witness } = askingFactory();
  const handler = createDualEraHandler(factory, options);
  cleanups.push(() => handler.close({ timeoutMs: 0 }));
  return { handler, witness };
}

/** The handler on a server of Node's own, which an author has set up. */
async function onNode(handler: DualEraHandler, options: ServerOptions = {}) {
  const server = createServer(options, handler.node).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, url: new URL(`http://127.0.0.1:${port}/mcp`) };
}

const greet = toolCall('greet', 2, { greeting: 'Hello' });

/** A session in which a question is open, with the stream it was asked on. */
async function asking(handler: DualEraHandler) {
  const id = await openSession(handler);
  const messages = messagesOn(await handler.fetch(post(greet, withSession(id))));
  const { id: question } = await messages.next();
  return { id, session: withSession(id), messages, question };
}

/** Calls `greet` over a connection of its own. */
async function stream(url: URL, session: Record<string, string>) {
  const headers = Object.fromEntries(post('', session).headers);
  const outgoing = request(url, { method: 'POST', headers, agent: false });
  outgoing.on('error', () => undefined);
  outgoing.end(JSON.stringify(greet));
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { outgoing, incoming };
}

/** Waits until one session would be closed after `ms`: until the server knows who is gone. */
async function closedAfter(handler: DualEraHandler, ms: number): Promise<void> {
  await eventually(async () => {
    expect(await handler.closeIdleSessions(Date.now() + ms)).toBe(1);
  });
}

describe('a person who takes long to answer', () => {
  it('is waited for as long as the client is there', async () => {
    const { handler } = handlerOf();
    const { session, messages, question } = await asking(handler);
    expect(await handler.closeIdleSessions(Date.now() + AN_AGE)).toBe(0);

    await handler.fetch(post(answer(question, 'Ada'), session));
    expect((await messages.next()).result?.content[0]?.text).toBe('Hello, Ada!');
  });

  it('is waited for by a server of Node whose limits for requests have passed', async () => {
    const { handler } = handlerOf({ keepAliveMs: 0 });
    const { server, port, url } = await onNode(handler, {
      keepAliveTimeout: 1,
      connectionsCheckingInterval: 5,
    });
    const session = withSession(await openSession(handler));
    const { outgoing, incoming } = await stream(url, session);
    let heard = '';
    incoming.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    await once(incoming, 'data');

    // From now on a request has 20 ms to arrive. One that never does is cut, then another.
    server.headersTimeout = 20;
    server.requestTimeout = 20;
    for (let round = 0; round < 2; round += 1) {
      const stalled = connectSocket(port, '127.0.0.1');
      stalled.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{');
      const [reply] = (await once(stalled, 'data')) as [Buffer];
      expect(reply.toString()).toMatch(/^HTTP\/1\.1 408 /);
      stalled.destroy();
    }
    await handler.fetch(post(answer(0, 'Ada'), session));
    await once(incoming, 'end');
    expect(heard).toContain('Hello, Ada!');
    outgoing.destroy();
  });

  it('is waited for by serveHttp, which never cuts a silent connection', async () => {
    const { server, close } = await serveHttp(askingFactory().factory);
    expect(server.timeout).toBe(0);
    await close();
  });

  it('has a client which hears that the server is still there', async () => {
    const { handler } = handlerOf({ keepAliveMs: 1 });
    const session = withSession(await openSession(handler));
    const response = await handler.fetch(post(greet, session));
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let heard = '';
    while (!/elicitation[^]*: keepalive\n\n: keepalive\n\n/.test(heard)) {
      const { value, done } = await reader.read();
      expect(done).toBe(false);
      heard += value ?? '';
    }
    await reader.cancel();
  });
});

describe('a client that loses its connection', () => {
  it('has cancelled nothing, and may go on', async () => {
    const { handler, witness } = handlerOf();
    const id = await openSession(handler);
    const response = await handler.fetch(post(toolCall('hang'), withSession(id)));
    const signal = await witness.hanging;
    await response.body!.cancel();

    expect(await handler.closeIdleSessions(Date.now() + HALF_AN_HOUR - 60_000)).toBe(0);
    expect(signal.aborted).toBe(false);
    expect(await isOpen(handler, id)).toBe(true);
  });

  it('and never comes back frees its session and ends its calls after the idle time', async () => {
    const { handler, witness } = handlerOf();
    const id = await openSession(handler);
    const response = await handler.fetch(post(toolCall('hang'), withSession(id)));
    const signal = await witness.hanging;
    expect(await handler.closeIdleSessions(Date.now() + AN_AGE)).toBe(0);

    await response.body!.cancel();
    await closedAfter(handler, HALF_AN_HOUR);
    expect(signal.aborted).toBe(true);
    expect(handler.sessionCount).toBe(0);
  });

  it('frees its session at once by ending it', async () => {
    const { handler, witness } = handlerOf();
    const id = await openSession(handler);
    const response = await handler.fetch(post(toolCall('hang'), withSession(id)));
    const signal = await witness.hanging;
    await response.body!.cancel();
    await handler.fetch(remove(withSession(id)));
    expect(signal.aborted).toBe(true);
    expect(handler.sessionCount).toBe(0);
  });

  it('with a question open has a minute to come back', async () => {
    const { handler } = handlerOf();
    const { messages } = await asking(handler);
    await messages.cancel();
    expect(await handler.closeIdleSessions(Date.now() + 50_000)).toBe(0);
    await closedAfter(handler, 60_000);
  });

  it('with a question open has as long to come back as disconnectGraceMs says', async () => {
    const { handler } = handlerOf({ disconnectGraceMs: 10_000 });
    const { messages } = await asking(handler);
    await messages.cancel();
    await closedAfter(handler, 10_000);
  });

  it('keeps its question by listening again, and can answer it', async () => {
    const { handler } = handlerOf();
    const { session, messages, question } = await asking(handler);
    await messages.cancel();
    const stream = await handler.fetch(get(session));
    expect(await handler.closeIdleSessions(Date.now() + AN_AGE)).toBe(0);

    expect((await handler.fetch(post(answer(question, 'Ada'), session))).status).toBe(202);
    await stream.body!.cancel();
    await closedAfter(handler, HALF_AN_HOUR);
  });

  it('fails the question it left behind, so that the call ends', async () => {
    const failed = deferred<string>();
    const asker: McpServerFactory = () => {
      const server = new McpServer({ name: 'asker', version: '1.0.0' });
      server.registerTool('greet', {}, async (ctx) => {
        const requestedSchema = { type: 'object', properties: {} } as const;
        const params = { mode: 'form', message: 'Well?', requestedSchema } as const;
        await ctx.mcpReq
          .send({ method: 'elicitation/create', params })
          .catch((error: unknown) => failed.resolve((error as Error).message));
        return text('over');
      });
      return server;
    };
    const handler = createDualEraHandler(asker);
    const { messages } = await asking(handler);
    await messages.cancel();
    await closedAfter(handler, 60_000);
    expect(await failed.promise).toBe('Connection closed');
  });

  it('is missed by the server of Node even if nothing is written to it', async () => {
    const { handler } = handlerOf({ keepAliveMs: 0 });
    const { url } = await onNode(handler);
    const session = withSession(await openSession(handler));
    const { outgoing, incoming } = await stream(url, session);
    await once(incoming, 'data');
    expect(await handler.closeIdleSessions(Date.now() + AN_AGE)).toBe(0);

    outgoing.destroy();
    await closedAfter(handler, 60_000);
  });

  it('in the middle of a 2026 call has its call aborted at once', async () => {
    const { handler, witness } = handlerOf();
    const { server, url } = await onNode(handler);
    const ada = await connect(url, 'modern');
    cleanups.push(() => ada.close());
    const hanging = expect(call(ada, 'hang')).rejects.toThrow();
    const signal = await witness.hanging;

    server.closeAllConnections();
    await hanging;
    await eventually(() => {
      expect(signal.aborted).toBe(true);
    });
  });
});
