/** `serveStdio` in a child process, called by SDK clients of both eras. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Era } from 'mcp-resolve/testing';
import { describe, expect, it } from 'vitest';

import { eras, VERSION } from '../support/eras.js';
import { call, newClient } from './clients.js';

const program = fileURLToPath(new URL('stdioServer.ts', import.meta.url));

async function start(era: Era): Promise<{ ada: Client; transport: StdioClientTransport }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', 'tsx', program],
    stderr: 'pipe',
  });
  const ada = newClient(era);
  await ada.connect(transport);
  return { ada, transport };
}

/** Waits until the program has written a line to standard error. */
async function printed(transport: StdioClientTransport, line: string): Promise<void> {
  let text = '';
  while (!text.includes(`${line}\n`)) {
    const [chunk] = (await once(transport.stderr!, 'data')) as [Buffer];
    text += chunk.toString();
  }
}

describe.each(eras)('a %s client over stdio', (era) => {
  it('answers a question and receives the result', async () => {
    const { ada } = await start(era);
    expect(ada.getNegotiatedProtocolVersion()).toBe(VERSION[era]);
    expect(await call(ada, 'greet', { greeting: 'Hello' })).toBe('Hello, Ada!');
    expect(await call(ada, 'greet', { greeting: 'Hello again' })).toBe('Hello again, Ada!');
  });

  it('aborts a call by cancelling it', async () => {
    const { ada, transport } = await start(era);
    // The first call of a modern client has the id 0. SDK 2.0 ignores its cancellation.
    await call(ada, 'greet', { greeting: 'Hello' });
    const cancelling = new AbortController();
    const hanging = ada.callTool({ name: 'hang' }, { signal: cancelling.signal });
    const failure = expect(hanging).rejects.toThrow('no longer needed');

    await printed(transport, 'hanging');
    const aborted = printed(transport, 'aborted');
    cancelling.abort('no longer needed');
    await Promise.all([failure, aborted]);
  });
});
