/** Tests prompts and resources over real sockets and in another process. */
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type CallContext, definePrompt, defineResource, resolver } from 'mcp-resolve';
import type { Era } from 'mcp-resolve/testing';
import { serveHttp } from 'mcp-resolve/node';
import { describe, expect, test } from 'vitest';

import { deferred } from '../support/deferred.js';
import { eras, VERSION } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { closeAfterTest } from '../support/servers.js';
import { get, layers, read, serving, servingReported } from './library.js';
import { tripServer } from './tripServer.js';

const program = fileURLToPath(new URL('tripServer.ts', import.meta.url));

/** Creates a client whose user accepts every question, and records the questions. */
function acceptingClient(era: Era): { client: Client; asked: string[] } {
  const asked: string[] = [];
  const client = new Client(
    { name: 'traveller', version: '1.0.0' },
    {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { confirm: true } };
  });
  closeAfterTest(() => client.close());
  return { client, asked };
}

describe.each(layers)('prompts and resources on %s', (layer) => {
  test('J13: ask clients of both eras at one HTTP endpoint at the same time', async () => {
    const handle = await serveHttp(() => tripServer(layer));
    closeAfterTest(() => handle.close());
    const clients = await Promise.all(
      [...eras, ...eras].map(async (era, index) => {
        const one = acceptingClient(era);
        await one.client.connect(new StreamableHTTPClientTransport(handle.url));
        expect(one.client.getNegotiatedProtocolVersion()).toBe(VERSION[era]);
        return { ...one, city: `city-${index}` };
      }),
    );
    const trips = clients.map(async (one) => [
      await get(one, 'go', { city: one.city }),
      await read(one, `trips://${one.city}`),
    ]);

    for (const [index, trip] of (await Promise.all(trips)).entries()) {
      expect(trip).toEqual([`off to city-${index}`, `off to city-${index}`]);
      expect(clients[index]?.asked).toEqual(Array(2).fill(`Go to city-${index}?`));
    }
  });

  test.each(eras)('J13: ask over stdio from another process (%s)', async (era) => {
    const { client, asked } = acceptingClient(era);
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ['--import', 'tsx', program, layer],
        stderr: 'inherit',
      }),
    );

    expect(await get({ client }, 'go', { city: 'Lyon' })).toBe('off to Lyon');
    expect(await read({ client }, 'trips://Oslo')).toBe('off to Oslo');
    expect(asked).toEqual(['Go to Lyon?', 'Go to Oslo?']);
  });
});

describe.each(eras)('on the %s era', (era) => {
  describe.each(layers)('on %s', (layer) => {
    test.each<[string, SlowCall]>([
      ['prompt', (client, options) => client.getPrompt({ name: 'slow' }, options)],
      ['resource', (client, options) => client.readResource({ uri: 'slow://it' }, options)],
    ])('a cancelled %s stops and disposes of its values', async (_, start) => {
      const [started, ended] = [deferred(), deferred<string>()];
      const lease = resolver({}, () => 'lease', {
        dispose: (__, end) => {
          ended.resolve(end);
        },
      });
      const waitForAbort = (__: unknown, { signal }: CallContext) =>
        new Promise<string>((___, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
          started.resolve();
        });
      const { factory, reported } = servingReported(layer, [
        definePrompt('slow', { resolve: { lease } }, waitForAbort),
        defineResource('slow', 'slow://it', { resolve: { lease } }, waitForAbort),
      ]);
      const { client } = await connectClient(era, factory);
      const request = new AbortController();
      const rejected = expect(start(client, { signal: request.signal })).rejects.toThrow(
        'no longer wanted',
      );

      await started.promise;
      request.abort('no longer wanted');
      await rejected;
      expect(await ended.promise).toBe('cancelled');
      expect(reported).toEqual([]);
    });
  });
});

/** Starts a call that ends only when it is cancelled. */
type SlowCall = (client: Client, options: { signal: AbortSignal }) => Promise<unknown>;

test('prompts and resources without questions are served to both eras over HTTP', async () => {
  const handle = await serveHttp(
    serving('McpServer', [
      definePrompt('hello', {}, () => 'hello'),
      defineResource('hello', 'hello://it', {}, () => 'hello'),
    ]),
  );
  closeAfterTest(() => handle.close());
  for (const era of eras) {
    const { client, asked } = acceptingClient(era);
    await client.connect(new StreamableHTTPClientTransport(handle.url));
    expect(await get({ client }, 'hello')).toBe('hello');
    expect(await read({ client }, 'hello://it')).toBe('hello');
    expect(asked).toEqual([]);
  }
});
