/** Prompts and resources that ask, over real sockets and in a program of their own. */
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
import { get, layers, read, serving, servingHeard } from './library.js';
import { tripServer } from './tripServer.js';

const program = fileURLToPath(new URL('tripServer.ts', import.meta.url));

/** A client with a person who says yes, and keeps what they were asked. */
function traveller(era: Era): { client: Client; asked: string[] } {
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

describe.each(layers)('on %s', (layer) => {
  test('J13: clients of both eras ask at one HTTP endpoint, at the same time', async () => {
    const handle = await serveHttp(() => tripServer(layer));
    closeAfterTest(() => handle.close());
    const travellers = await Promise.all(
      [...eras, ...eras].map(async (era, index) => {
        const one = traveller(era);
        await one.client.connect(new StreamableHTTPClientTransport(handle.url));
        expect(one.client.getNegotiatedProtocolVersion()).toBe(VERSION[era]);
        return { ...one, city: `city-${index}` };
      }),
    );
    const trips = travellers.map(async (one) => [
      await get(one, 'go', { city: one.city }),
      await read(one, `trips://${one.city}`),
    ]);

    for (const [index, trip] of (await Promise.all(trips)).entries()) {
      expect(trip).toEqual([`off to city-${index}`, `off to city-${index}`]);
      expect(travellers[index]?.asked).toEqual(Array(2).fill(`Go to city-${index}?`));
    }
  });

  test.each(eras)('J13: a program of its own asks over stdio (%s)', async (era) => {
    const { client, asked } = traveller(era);
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

describe.each(eras)('a client of the %s era that cancels', (era) => {
  test.each(layers)('ends what runs for its prompt or its resource (%s)', async (layer) => {
    const started = { prompt: deferred(), resource: deferred() };
    const ended = { prompt: deferred<string>(), resource: deferred<string>() };
    const lease = (what: 'prompt' | 'resource') =>
      resolver({}, () => what, {
        dispose: (_, end) => {
          ended[what].resolve(end);
        },
      });
    const forever = ({ it }: { it: 'prompt' | 'resource' }, { signal }: CallContext) =>
      new Promise<string>((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
        started[it].resolve();
      });
    const { factory, heard } = servingHeard(layer, [
      definePrompt('slow', { resolve: { it: lease('prompt') } }, forever),
      defineResource('slow', 'slow://it', { resolve: { it: lease('resource') } }, forever),
    ]);
    const { client } = await connectClient(era, factory);

    const prompting = new AbortController();
    const prompt = client.getPrompt({ name: 'slow' }, { signal: prompting.signal });
    const noPrompt = expect(prompt).rejects.toThrow('no longer wanted');
    await started.prompt.promise;
    prompting.abort('no longer wanted');
    await noPrompt;
    expect(await ended.prompt.promise).toBe('cancelled');

    const reading = new AbortController();
    const resource = client.readResource({ uri: 'slow://it' }, { signal: reading.signal });
    const noResource = expect(resource).rejects.toThrow('no longer wanted');
    await started.resource.promise;
    reading.abort('no longer wanted');
    await noResource;
    expect(await ended.resource.promise).toBe('cancelled');
    expect(heard).toEqual([]);
  });
});

test('what is served is the same with nothing to ask', async () => {
  const handle = await serveHttp(
    serving('McpServer', [
      definePrompt('hello', {}, () => 'hello'),
      defineResource('hello', 'hello://it', {}, () => 'hello'),
    ]),
  );
  closeAfterTest(() => handle.close());
  for (const era of eras) {
    const { client, asked } = traveller(era);
    await client.connect(new StreamableHTTPClientTransport(handle.url));
    expect(await get({ client }, 'hello')).toBe('hello');
    expect(await read({ client }, 'hello://it')).toBe('hello');
    expect(asked).toEqual([]);
  }
});
