/** Messages for clients that do not read their streams. */
import { McpServer } from '@modelcontextprotocol/server';
import { createDualEraHandler } from 'mcp-resolve/node';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { relay } from '../../src/http/relay.js';
import { SharedLimit } from '../../src/http/sharedLimit.js';
import { deferred } from '../support/deferred.js';
import { closeAfterTest } from '../support/servers.js';
import { textResult } from './askingServer.js';
import { get, modernCall, openSession, post, toolCall, withSession } from './rawHttp.js';

const inputSchema = z.object({ times: z.number(), onGetStream: z.boolean().default(false) });

/** Serves `notify`, which sends 1,000 bytes several times and returns 10,000. */
function newHandler() {
  const finished = deferred<AbortSignal>();
  const handler = createDualEraHandler(
    () => {
      const server = new McpServer(
        { name: 'notifying', version: '1.0.0' },
        { capabilities: { logging: {} } },
      );
      server.registerTool('notify', { inputSchema }, async ({ times, onGetStream }, ctx) => {
        const params = { level: 'info', data: 'x'.repeat(1000) } as const;
        const message = { method: 'notifications/message', params } as const;
        try {
          for (let time = 0; time < times; time += 1) {
            await (onGetStream ? server.server.notification(message) : ctx.mcpReq.notify(message));
            await new Promise(setImmediate);
          }
        } finally {
          finished.resolve(ctx.mcpReq.signal);
        }
        return textResult('y'.repeat(10_000));
      });
      return server;
    },
    {
      maxRequestBodySize: 1000,
      maxBufferedBytes: 12_000,
      maxSessionBytes: 3000,
      maxTotalSessionBytes: 40_000,
    },
  );
  closeAfterTest(() => handler.close({ timeoutMs: 0 }));
  return { handler, finished: finished.promise };
}

const notRead = 'The client does not read its stream.';

/** Calls `notify`, in an era. */
async function notify(
  { handler }: ReturnType<typeof newHandler>,
  era: string,
  times: number,
): Promise<Response> {
  if (era === '2026') return handler.fetch(modernCall('notify', { times }));
  const session = withSession(await openSession(handler));
  return handler.fetch(post(toolCall('notify', 2, { times }), session));
}

describe.each(['2025', '2026'])('the stream of a %s call', (era) => {
  it('is ended if its client does not read it', async () => {
    const served = newHandler();
    const response = await notify(served, era, 20);
    expect((await served.finished).aborted).toBe(era === '2026');
    await expect(response.text()).rejects.toThrow(notRead);
  });

  it('has room for more than the limit if its client reads it', async () => {
    const text = await (await notify(newHandler(), era, 20)).text();
    expect(text.split('event: message')).toHaveLength(22);
    expect(text).toContain('y'.repeat(10_000));
  });

  it('has room for a long result, also after messages that wait', async () => {
    const served = newHandler();
    const response = await notify(served, era, 2);
    await served.finished;
    await new Promise(setImmediate);
    const text = await response.text();
    expect(text.split('event: message')).toHaveLength(4);
    expect(text).toContain('y'.repeat(10_000));
  });

  it('no longer counts when it is read, cancelled or ended', async () => {
    const served = newHandler();
    for (let time = 0; time < 5; time += 1) {
      await (await notify(served, era, 2)).text();
      await (await notify(served, era, 2)).body?.cancel();
      await expect((await notify(served, era, 20)).text()).resolves.toContain('yyy');
    }
  });
});

describe('the GET stream of a session', () => {
  it('is ended if its client does not read it, and the session continues', async () => {
    const served = newHandler();
    const { handler, finished } = served;
    const session = withSession(await openSession(handler));
    const stream = await handler.fetch(get(session));
    const args = { times: 20, onGetStream: true };
    const response = await handler.fetch(post(toolCall('notify', 2, args), session));
    await finished;
    await expect(stream.text()).rejects.toThrow(notRead);
    expect(await response.text()).toContain('yyy');
    expect((await handler.fetch(get(session))).status).toBe(200);
  });
});

describe('the bytes that a slow client takes', () => {
  /** Relays ten chunks of 1,000 bytes, of which nine count, and reads them at once. */
  async function takeAll() {
    const unread = new SharedLimit(40_000).shareOf(undefined);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let chunk = 0; chunk < 10; chunk += 1) controller.enqueue(new Uint8Array(1000));
        controller.close();
      },
    });
    const incoming = new Request('http://localhost/mcp');
    const relayed = relay(new Response(body), incoming, { onend: () => undefined, unread });
    await new Promise(setImmediate);
    const reader = relayed.body?.getReader();
    expect((await reader?.read())?.value).toHaveLength(10_000);
    return { unread, reader };
  }

  it('count until it asks for more', async () => {
    const { unread, reader } = await takeAll();
    expect(unread.hold(1001)).toBe('own');
    expect((await reader?.read())?.done).toBe(true);
    expect(unread.hold(10_000)).toBeUndefined();
  });

  it('no longer count when it leaves', async () => {
    const { unread, reader } = await takeAll();
    expect(unread.hold(1001)).toBe('own');
    await reader?.cancel();
    expect(unread.hold(10_000)).toBeUndefined();
  });
});
