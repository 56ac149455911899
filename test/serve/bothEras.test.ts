/** One endpoint with clients of both eras. */
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { call, connect, newClient } from './clients.js';
import { eventually } from './eventually.js';
import { serve } from './handlers.js';

describe('one endpoint for both eras', () => {
  it('asks a legacy client during the call', async () => {
    const { url, observed } = await serve();
    const ada = await connect(url, 'legacy', 'Ada');

    expect(ada.getNegotiatedProtocolVersion()).toBe('2025-11-25');
    expect(await call(ada, 'greet', { greeting: 'Hello' })).toBe('Hello, Ada!');
    expect(observed.entered).toEqual(['greet legacy']);
  });

  it('J1: completes the call of a modern client in two rounds', async () => {
    const { url, observed } = await serve();
    const ada = await connect(url, 'modern', 'Ada');

    expect(ada.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(await call(ada, 'greet', { greeting: 'Hello' })).toBe('Hello, Ada!');
    expect(observed.entered).toEqual(['greet modern', 'greet modern']);
  });

  it('serves clients of both eras at the same time', async () => {
    const { url } = await serve();
    const clients = await Promise.all([
      connect(url, 'legacy', 'Ada'),
      connect(url, 'modern', 'Bob'),
      connect(url, 'legacy', 'Cyd'),
      connect(url, 'modern', 'Dan'),
    ]);

    const greetings = await Promise.all(
      clients.map((client) => call(client, 'greet', { greeting: 'Hello' })),
    );
    expect(greetings).toEqual(['Hello, Ada!', 'Hello, Bob!', 'Hello, Cyd!', 'Hello, Dan!']);
  });

  it('opens a session for each legacy client and none for modern clients', async () => {
    const { url } = await serve();
    const [ada, bob, cyd] = await Promise.all([
      connect(url, 'legacy', 'Ada'),
      connect(url, 'legacy', 'Bob'),
      connect(url, 'modern', 'Cyd'),
    ]);

    const [first, second, third] = await Promise.all([ada, bob, cyd].map((c) => call(c, 'whoami')));
    expect(first).toMatch(/^undefined in [0-9a-f-]{36}$/);
    expect(second).toMatch(/^undefined in [0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
    expect(third).toBe('undefined in no session');
  });

  it('keeps simultaneous questions of two legacy sessions apart', async () => {
    const { url } = await serve();
    const bothAsked = deferred();
    let asked = 0;
    const slow = async (name: string): Promise<Client> => {
      const client = await connect(url, 'legacy', name);
      client.setRequestHandler('elicitation/create', async () => {
        asked += 1;
        if (asked === 2) bothAsked.resolve();
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

  it.each(eras)('aborts the signal of a call that a %s client cancels', async (era) => {
    const { url, observed } = await serve();
    const ada = await connect(url, era, 'Ada');
    const cancelling = new AbortController();

    const hanging = ada.callTool({ name: 'hang' }, { signal: cancelling.signal });
    const failure = expect(hanging).rejects.toThrow('no longer needed');
    const signal = await observed.hanging;
    expect(signal.aborted).toBe(false);
    cancelling.abort('no longer needed');

    await failure;
    await eventually(() => {
      expect(signal.aborted).toBe(true);
    });
    expect(await call(ada, 'greet', { greeting: 'Still here' })).toBe('Still here, Ada!');
  });

  it('ends a legacy session if its client terminates it', async () => {
    const { url } = await serve();
    const ada = newClient('legacy');
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
  });
});
