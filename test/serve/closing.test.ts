/** The end of a handler and of a server. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { createDualEraHandler, serveHttp } from 'mcp-resolve/node';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { askingFactory, textResult } from './askingServer.js';
import { call, connect } from './clients.js';
import { newHandler, openQuestion, serve } from './handlers.js';
import {
  answer,
  at,
  get,
  initialize,
  openSession,
  post,
  refusalOf,
  remove,
  toolCall,
  withSession,
} from './rawHttp.js';

const shuttingDown = { status: 503, code: -32000, message: 'This server is shutting down.' };

describe('a closing handler', () => {
  it('lets a call finish if its question is answered', async () => {
    const { handler } = newHandler();
    const { session, messages, question } = await openQuestion(handler);
    const closing = handler.close();

    expect((await handler.fetch(post(answer(question, 'Ada'), session))).status).toBe(202);
    expect((await messages.next()).result?.content[0]?.text).toBe('Hello, Ada!');
    await closing;
    expect(handler.sessionCount).toBe(0);
  });

  it('refuses new requests with 503', async () => {
    const { handler } = newHandler();
    const { session, messages, question } = await openQuestion(handler);
    const closing = handler.close();

    for (const request of [
      post(initialize),
      post(toolCall('whoami', 3), session),
      post([answer(99, 'Ada'), toolCall('whoami', 3)], session),
      get(session),
    ]) {
      expect(await refusalOf(await handler.fetch(request))).toMatchObject(shuttingDown);
    }
    await handler.fetch(post(answer(question, 'Ada'), session));
    await messages.next();
    await closing;
  });

  it('is closed as soon as the client ends the last busy session', async () => {
    const { handler } = newHandler();
    const { session } = await openQuestion(handler);
    const closing = handler.close();
    expect((await handler.fetch(remove(session))).status).toBe(200);
    await closing;
  });

  it('aborts calls and ends streams after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { handler, observed } = newHandler();
    const session = withSession(await openSession(handler));
    const hanging = await handler.fetch(post(toolCall('hang'), session));
    const stream = await handler.fetch(get(session));
    const signal = await observed.hanging;

    const closing = handler.close();
    await vi.advanceTimersByTimeAsync(9_999);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    vi.useRealTimers();
    expect(signal.aborted).toBe(true);
    expect(await hanging.text()).toBe('');
    expect(await stream.text()).toBe('');
  });

  it('aborts calls at once after a second close() with timeoutMs: 0', async () => {
    const { handler, observed } = newHandler();
    const session = withSession(await openSession(handler));
    await handler.fetch(post(toolCall('hang'), session));
    const signal = await observed.hanging;
    const patient = handler.close({ timeoutMs: 2 ** 31 - 1 });
    await handler.close({ timeoutMs: 0 });
    expect(signal.aborted).toBe(true);
    await patient;
  });

  it('does not wait for clients that only listen', async () => {
    const { handler } = newHandler();
    const stream = await handler.fetch(get(withSession(await openSession(handler))));
    await handler.close({ timeoutMs: 2 ** 31 - 1 });
    expect(await stream.text()).toBe('');
  });

  it('refuses a session whose factory has not returned yet', async () => {
    const called = deferred();
    const gate = deferred();
    const { factory } = askingFactory();
    const handler = createDualEraHandler(async (context) => {
      called.resolve();
      await gate.promise;
      return factory(context);
    });
    const opening = handler.fetch(post(initialize));
    await called.promise;
    await handler.close();
    gate.resolve();
    expect((await opening).status).toBe(503);
    expect(handler.sessionCount).toBe(0);
  });

  it('refuses a timeoutMs that a timer cannot represent', async () => {
    const { handler } = newHandler();
    await expect(handler.close({ timeoutMs: Infinity })).rejects.toThrow(
      'close(): `timeoutMs` must be an integer from 0 to 2147483647, got Infinity.',
    );
  });
});

describe('a closed handler', () => {
  it('refuses every request with 503', async () => {
    const { handler } = newHandler();
    await handler.close();
    for (const request of [post(initialize), get(), remove(withSession('any'))]) {
      expect(await refusalOf(await handler.fetch(request))).toMatchObject({
        status: 503,
        message: 'This server has been closed.',
      });
    }
  });
});

it('a closed handler does not authenticate requests', async () => {
  const authenticate = vi.fn();
  const handler = createDualEraHandler(askingFactory().factory, { authenticate });
  const server = createServer(handler.node).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await handler.close();

  const responses = [
    await handler.fetch(post(initialize)),
    await fetch(post(initialize, {}, `http://127.0.0.1:${port}/mcp`)),
  ];
  server.close();
  expect(responses.map(({ status }) => status)).toEqual([503, 503]);
  expect(authenticate).not.toHaveBeenCalled();
});

describe('a closing server', () => {
  it.each(eras)(
    'lets the call of a %s client finish, and refuses new requests with 503',
    async (era) => {
      const entered = deferred();
      const gate = deferred();
      const { factory } = askingFactory();
      const handle = await serveHttp(async (context) => {
        const server = await factory(context);
        if ('registerTool' in server) {
          server.registerTool('slow', {}, async () => {
            entered.resolve();
            await gate.promise;
            return textResult('finished');
          });
        }
        return server;
      });
      const ada = await connect(handle.url, era);
      const slow = call(ada, 'slow');
      await entered.promise;

      const closing = handle.close();
      const refused = await fetch(post(initialize, {}, handle.url.href));
      expect(await refusalOf(refused)).toMatchObject(shuttingDown);
      gate.resolve();
      expect(await slow).toBe('finished');
      await closing;
      await expect(fetch(handle.url)).rejects.toThrow('fetch failed');
    },
  );

  it('accepts the answer to an open question', async () => {
    const handle = await serve();
    const asked = deferred();
    const answered = deferred<{ action: 'accept'; content: { name: string } }>();
    const ada = await connect(handle.url, 'legacy');
    ada.setRequestHandler('elicitation/create', () => {
      asked.resolve();
      return answered.promise;
    });
    const greeting = call(ada, 'greet', { greeting: 'Hello' });
    await asked.promise;

    const closing = handle.close();
    answered.resolve({ action: 'accept', content: { name: 'Ada' } });
    expect(await greeting).toBe('Hello, Ada!');
    await closing;
  });

  it('ends streams and calls of both eras at once with timeoutMs: 0, and frees the port', async () => {
    const { observed, ...handle } = await serve();
    const session = withSession(await openSession(at(handle.url)));
    const stream = await fetch(get(session, handle.url.href));
    const modern = await connect(handle.url, 'modern');
    const hanging = expect(modern.callTool({ name: 'hang' })).rejects.toThrow();
    const signal = await observed.hanging;

    await handle.close({ timeoutMs: 0 });
    expect(signal.aborted).toBe(true);
    expect(await stream.text()).toBe('');
    await hanging;
    const next = createServer().listen(handle.port, '127.0.0.1');
    await once(next, 'listening');
    next.close();
  });

  it('can be closed several times', async () => {
    const { server, close } = await serve();
    await Promise.all([close(), close()]);
    await close();
    expect(server.listening).toBe(false);
  });

  it('does not wait for the subscription of a modern client', async () => {
    const { url, close } = await serve();
    const ada = await connect(url, 'modern');
    const subscription = await ada.listen({ toolsListChanged: true });
    await close({ timeoutMs: 2 ** 31 - 1 });
    await subscription.close();
  });
});
