/** The time that the body of a request has to arrive. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { deferred } from '../support/deferred.js';
import { newHandler, serve } from './handlers.js';
import { ENDPOINT, headersWith, initialize, post, refusalOf } from './rawHttp.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const limits = { maxRequestBodySize: 1000, maxBufferedBytes: 4000 };

const late = {
  status: 408,
  code: -32000,
  message:
    'Request Timeout: The request body did not arrive within 60 seconds. Send it again over a faster connection, or send less.',
  id: null,
};

/** A web-standard request whose body never ends. */
function endless() {
  const cancelled = deferred();
  const wanted = deferred();
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (own) => {
        controller = own;
      },
      pull: () => {
        wanted.resolve();
      },
      cancel: () => {
        cancelled.resolve();
      },
    },
    { highWaterMark: 0 },
  );
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
  return {
    incoming: new Request(ENDPOINT, { ...init, headers: headersWith({}) }),
    send: (bytes: number) => {
      controller.enqueue(new Uint8Array(bytes));
    },
    /** Resolves when the handler reads the body. */
    wanted: wanted.promise,
    /** Resolves when the handler no longer wants the body. */
    cancelled: cancelled.promise,
  };
}

describe('a body that does not arrive', () => {
  it('gets 408, and its bytes no longer count', async () => {
    const { handler } = newHandler(limits);
    for (let time = 0; time < 3; time += 1) {
      const { incoming, send, wanted, cancelled } = endless();
      const response = handler.fetch(incoming);
      await wanted;
      send(900);
      await vi.advanceTimersByTimeAsync(59_999);
      expect((await handler.fetch(post(initialize))).status).toBe(429);
      await vi.advanceTimersByTimeAsync(1);
      expect(await refusalOf(await response)).toEqual(late);
      expect((await handler.fetch(post(initialize))).status).toBe(200);
      await vi.advanceTimersByTimeAsync(1);
      await cancelled;
    }
  });

  it('does not get more time if a byte arrives every second', async () => {
    const { handler } = newHandler(limits);
    const { incoming, send, wanted } = endless();
    const response = handler.fetch(incoming);
    await wanted;
    for (let second = 0; second < 60; second += 1) {
      send(1);
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect((await response).status).toBe(408);
  });

  it.each([
    ['returns a token', () => ({ token: 'signed', clientId: 'ada', scopes: [] })],
    ['refuses', () => undefined],
    ['fails', () => Promise.reject(new Error('bad signature'))],
  ])('gets 408 if `authenticate` reads it, and then %s', async (_, decide) => {
    const { handler } = newHandler({
      ...limits,
      onerror: () => undefined,
      authenticate: async (incoming) => {
        await incoming.text().catch(() => '');
        return decide();
      },
    });
    const { incoming, send, wanted, cancelled } = endless();
    const response = handler.fetch(incoming);
    await wanted;
    send(900);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await refusalOf(await response)).toEqual(late);
    await vi.advanceTimersByTimeAsync(1);
    await cancelled;
  });

  it('is cancelled after its request has ended without it', async () => {
    const { handler } = newHandler({
      authenticate: (incoming) => {
        incoming.text().catch(() => undefined);
        return undefined;
      },
    });
    const { incoming, wanted, cancelled } = endless();
    expect((await handler.fetch(incoming)).status).toBe(401);
    await wanted;
    await vi.advanceTimersByTimeAsync(60_001);
    await cancelled;
  });

  it('leaves no timer if it arrives after all', async () => {
    const { handler } = newHandler();
    expect((await handler.fetch(post(initialize))).status).toBe(200);
    expect((await handler.fetch(post('{'))).status).toBe(400);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a body that does not arrive over node:http', () => {
  /** Waits until the handler reads a body. */
  async function reading(): Promise<void> {
    while (vi.getTimerCount() === 0) await new Promise(setImmediate);
  }

  it.each([
    ['declares its length', { 'content-length': '900' }],
    ['has chunks', { 'transfer-encoding': 'chunked' }],
    ['asks to close the connection', { 'content-length': '900', connection: 'close' }],
  ])('gets 408, and its connection is closed: it %s', async (_, headers) => {
    const { url } = await serve(limits);
    const agent = new Agent({ keepAlive: true });
    const outgoing = request(url, { method: 'POST', headers: headersWith(headers), agent });
    const [socket, answered] = [once(outgoing, 'socket'), once(outgoing, 'response')];
    outgoing.write('x'.repeat(800));
    await reading();
    const closed = once(((await socket) as [NodeJS.EventEmitter])[0], 'close');
    vi.advanceTimersByTime(60_000);
    const [incoming] = (await answered) as [IncomingMessage];
    expect(incoming.statusCode).toBe(408);
    expect(incoming.headers.connection).toBe('close');
    expect(JSON.parse(await text(incoming))).toMatchObject({ error: { message: late.message } });
    await closed;
    agent.destroy();
  });
});
