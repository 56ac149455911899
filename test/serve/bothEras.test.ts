/** One endpoint, clients of both eras: who is asked how, and that nothing mixes. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type HttpServerHandle, serveHttp } from 'mcp-resolve/node';

import {
  askingFactory,
  call,
  connect,
  deferred,
  type Era,
  personAt,
  type Witness,
} from './askingServer.js';
import { eventually } from './eventually.js';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(): Promise<HttpServerHandle & { witness: Witness }> {
  const { factory, witness } = askingFactory();
  const handle = await serveHttp(factory);
  cleanups.push(() => handle.close());
  return { ...handle, witness };
}

async function person(url: URL, era: Era, name: string): Promise<Client> {
  const client = await connect(url, era, name);
  cleanups.push(() => client.close());
  return client;
}

describe('one endpoint for both eras', () => {
  it('asks a 2025 client in the middle of the call', async () => {
    const { url, witness } = await serve();
    const ada = await person(url, 'legacy', 'Ada');

    expect(ada.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(await call(ada, 'greet', { greeting: 'Hello' })).toBe('Hello, Ada!');
    expect(witness.entered).toEqual(['greet legacy']);
  });

  it('J1: completes the call of a 2026 client in two rounds', async () => {
    const { url, witness } = await serve();
    const ada = await person(url, 'modern', 'Ada');

    expect(ada.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(await call(ada, 'greet', { greeting: 'Hello' })).toBe('Hello, Ada!');
    expect(witness.entered).toEqual(['greet modern', 'greet modern']);
  });

  it('serves clients of both eras at once', async () => {
    const { url } = await serve();
    const people = await Promise.all([
      person(url, 'legacy', 'Ada'),
      person(url, 'modern', 'Bob'),
      person(url, 'legacy', 'Cyd'),
      person(url, 'modern', 'Dan'),
    ]);

    const greetings = await Promise.all(
      people.map((one) => call(one, 'greet', { greeting: 'Hello' })),
    );
    expect(greetings).toEqual(['Hello, Ada!', 'Hello, Bob!', 'Hello, Cyd!', 'Hello, Dan!']);
  });

  it('gives each 2025 client a session of its own and a 2026 client none', async () => {
    const { url } = await serve();
    const [ada, bob, cyd] = await Promise.all([
      person(url, 'legacy', 'Ada'),
      person(url, 'legacy', 'Bob'),
      person(url, 'modern', 'Cyd'),
    ]);

    const [first, second, third] = await Promise.all([ada, bob, cyd].map((c) => call(c, 'whoami')));
    expect(first).toMatch(/^undefined in [0-9a-f-]{36}$/);
    expect(second).toMatch(/^undefined in [0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
    expect(third).toBe('undefined in no session');
  });

  it('does not mix the questions of two 2025 sessions that are asked at the same time', async () => {
    const { url } = await serve();
    const bothAsked = deferred<undefined>();
    let asked = 0;
    const slow = async (name: string): Promise<Client> => {
      const client = await person(url, 'legacy', name);
      client.setRequestHandler('elicitation/create', async () => {
        asked += 1;
        if (asked === 2) bothAsked.resolve(undefined);
        await bothAsked.promise;
        return { action: 'accept', content: { name } };
      });
      return client;
    };
    const [ada, bob] = await Promise.all([slow('Ada'), slow('Bob')]);

    const greetings = await Promise.all([
      call(ada, 'greet', { greeting: 'Hello' }),
      call(bob, 'greet', { greeting: 'Welcome' }),
    ]);
    expect(greetings).toEqual(['Hello, Ada!', 'Welcome, Bob!']);
  });

  it.each(['legacy', 'modern'] as const)(
    'aborts the signal of a call that its %s client cancels',
    async (era) => {
      const { url, witness } = await serve();
      const ada = await person(url, era, 'Ada');
      const cancelling = new AbortController();

      const hanging = ada.callTool({ name: 'hang' }, { signal: cancelling.signal });
      const failure = expect(hanging).rejects.toThrow('no longer needed');
      const signal = await witness.hanging;
      expect(signal.aborted).toBe(false);
      cancelling.abort('no longer needed');

      await failure;
      await eventually(() => {
        expect(signal.aborted).toBe(true);
      });
      expect(await call(ada, 'greet', { greeting: 'Still here' })).toBe('Still here, Ada!');
    },
  );

  it('ends a 2025 session when its client says so', async () => {
    const { url } = await serve();
    const ada = personAt('legacy', 'Ada');
    const transport = new StreamableHTTPClientTransport(url);
    await ada.connect(transport);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': transport.sessionId!,
    };

    await transport.terminateSession();
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/list' }),
    });
    expect(response.status).toBe(404);
    await ada.close();
  });
});
