/** How a handler and a server end: what is finished, what is refused, what is aborted. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createDualEraHandler,
  type DualEraHandler,
  type HttpServerHandle,
  serveHttp,
} from 'mcp-resolve/node';

import { askingFactory, call, connect, deferred } from './askingServer.js';
import {
  answer,
  get,
  initialize,
  messagesOn,
  openSession,
  post,
  refusalOf,
  remove,
  toolCall,
  withSession,
} from './rawHttp.js';

const open: (HttpServerHandle | DualEraHandler)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close({ timeoutMs: 0 })));
});

function handlerOf() {
  const { factory, witness } = askingFactory();
  const handler = createDualEraHandler(factory);
  open.push(handler);
  return { handler, witness };
}

async function serve() {
  const { factory, witness } = askingFactory();
  const handle = await serveHttp(factory);
  open.push(handle);
  return { handle, witness };
}

/** A session in which a question is open, with the stream it was asked on. */
async function asking(handler: DualEraHandler) {
  const session = withSession(await openSession(handler));
  const greet = toolCall('greet', 2, { greeting: 'Hello' });
  const messages = messagesOn(await handler.fetch(post(greet, session)));
  const { id: question } = await messages.next();
  return { session, messages, question };
}

const shuttingDown = { status: 503, code: -32000, message: 'This server is shutting down.' };

describe('a closing handler', () => {
  it('lets a call finish whose question is answered meanwhile', async () => {
    const { handler } = handlerOf();
    const { session, messages, question } = await asking(handler);
    const closing = handler.close();

    expect((await handler.fetch(post(answer(question, 'Ada'), session))).status).toBe(202);
    expect((await messages.next()).result?.content[0]?.text).toBe('Hello, Ada!');
    await closing;
    expect(handler.sessionCount).toBe(0);
  });

  it('refuses everything new with 503', async () => {
    const { handler } = handlerOf();
    const { session, messages, question } = await asking(handler);
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

  it('is closed when the client ends the session that it waits for', async () => {
    const { handler } = handlerOf();
    const { session } = await asking(handler);
    const closing = handler.close();
    expect((await handler.fetch(remove(session))).status).toBe(200);
    await closing;
  });

  it('aborts what is not finished in time, its streams and its sessions', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { handler, witness } = handlerOf();
    const session = withSession(await openSession(handler));
    const hanging = await handler.fetch(post(toolCall('hang'), session));
    const stream = await handler.fetch(get(session));
    const signal = await witness.hanging;

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

  it('can be hurried', async () => {
    const { handler, witness } = handlerOf();
    const session = withSession(await openSession(handler));
    await handler.fetch(post(toolCall('hang'), session));
    const signal = await witness.hanging;
    const patient = handler.close({ timeoutMs: 2 ** 31 - 1 });
    await handler.close({ timeoutMs: 0 });
    expect(signal.aborted).toBe(true);
    await patient;
  });

  it('does not wait for clients that only listen', async () => {
    const { handler } = handlerOf();
    const stream = await handler.fetch(get(withSession(await openSession(handler))));
    await handler.close({ timeoutMs: 2 ** 31 - 1 });
    expect(await stream.text()).toBe('');
  });

  it('opens no session that was still waiting for its factory', async () => {
    const called = deferred<undefined>();
    const gate = deferred<undefined>();
    const { factory } = askingFactory();
    const handler = createDualEraHandler(async (context) => {
      called.resolve(undefined);
      await gate.promise;
      return factory(context);
    });
    const opening = handler.fetch(post(initialize));
    await called.promise;
    await handler.close();
    gate.resolve(undefined);
    expect((await opening).status).toBe(503);
    expect(handler.sessionCount).toBe(0);
  });

  it('wants a time that a timer can wait for', async () => {
    const { handler } = handlerOf();
    await expect(handler.close({ timeoutMs: Infinity })).rejects.toThrow(
      "The option 'timeoutMs' must be a whole number from 0 to 2147483647, not Infinity.",
    );
  });
});

describe('a closed handler', () => {
  it('refuses every request with 503', async () => {
    const { handler } = handlerOf();
    await handler.close();
    for (const request of [post(initialize), get(), remove(withSession('any'))]) {
      expect(await refusalOf(await handler.fetch(request))).toMatchObject({
        status: 503,
        message: 'This server has been closed.',
      });
    }
  });
});

it('a closed handler does not ask who sent a request', async () => {
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
  it.each(['legacy', 'modern'] as const)(
    'lets the call of a %s client finish, and tells others that it is closing',
    async (era) => {
      const entered = deferred<undefined>();
      const gate = deferred<undefined>();
      const { factory } = askingFactory();
      const handle = await serveHttp(async (context) => {
        const server = await factory(context);
        if ('registerTool' in server) {
          server.registerTool('slow', {}, async () => {
            entered.resolve(undefined);
            await gate.promise;
            return { content: [{ type: 'text', text: 'finished' }] };
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
      gate.resolve(undefined);
      expect(await slow).toBe('finished');
      await closing;
      await expect(fetch(handle.url)).rejects.toThrow('fetch failed');
      await ada.close();
    },
  );

  it('takes the answer of the person whom a call waits for', async () => {
    const { handle } = await serve();
    const asked = deferred<undefined>();
    const answered = deferred<{ action: 'accept'; content: { name: string } }>();
    const ada = await connect(handle.url, 'legacy');
    ada.setRequestHandler('elicitation/create', () => {
      asked.resolve(undefined);
      return answered.promise;
    });
    const greeting = call(ada, 'greet', { greeting: 'Hello' });
    await asked.promise;

    const closing = handle.close();
    answered.resolve({ action: 'accept', content: { name: 'Ada' } });
    expect(await greeting).toBe('Hello, Ada!');
    await closing;
    await ada.close();
  });

  it('ends open streams and calls of both eras at once when told, and frees the port', async () => {
    const { handle, witness } = await serve();
    const fetchThere = (request: Request) => fetch(new Request(handle.url, request));
    const session = withSession(await openSession({ fetch: fetchThere }));
    const stream = await fetch(get(session, handle.url.href));
    const modern = await connect(handle.url, 'modern');
    const hanging = expect(modern.callTool({ name: 'hang' })).rejects.toThrow();
    const signal = await witness.hanging;

    await handle.close({ timeoutMs: 0 });
    expect(signal.aborted).toBe(true);
    expect(await stream.text()).toBe('');
    await hanging;
    const next = createServer().listen(handle.port, '127.0.0.1');
    await once(next, 'listening');
    next.close();
    await modern.close();
  });

  it('may be closed twice', async () => {
    const { handle } = await serve();
    await Promise.all([handle.close(), handle.close()]);
    await handle.close();
    expect(handle.server.listening).toBe(false);
  });

  it('does not wait for the subscription of a 2026 client', async () => {
    const { handle } = await serve();
    const ada = await connect(handle.url, 'modern');
    const subscription = await ada.listen({ toolsListChanged: true });
    await handle.close({ timeoutMs: 2 ** 31 - 1 });
    await subscription.close();
    await ada.close();
  });
});
