/** `serveStdio` as a child process, spoken to by SDK clients of both eras. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';

import { call, type Era, personAt } from './askingServer.js';

const program = fileURLToPath(new URL('stdioServer.ts', import.meta.url));
const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function start(era: Era): Promise<{ ada: Client; transport: StdioClientTransport }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', 'tsx', program],
    stderr: 'pipe',
  });
  const ada = personAt(era, 'Ada');
  clients.push(ada);
  await ada.connect(transport);
  return { ada, transport };
}

/** Waits until the program has written a line to standard error. */
async function said(transport: StdioClientTransport, line: string): Promise<void> {
  let text = '';
  while (!text.includes(`${line}\n`)) {
    const [chunk] = (await once(transport.stderr!, 'data')) as [Buffer];
    text += chunk.toString();
  }
}

describe.each([
  ['legacy', '2025-11-25'],
  ['modern', '2026-07-28'],
] as const)('a %s client over stdio', (era, version) => {
  it('is asked and gets its answer', async () => {
    const { ada } = await start(era);
    expect(ada.getNegotiatedProtocolVersion()).toBe(version);
    expect(await call(ada, 'greet', { greeting: 'Hello' })).toBe('Hello, Ada!');
    expect(await call(ada, 'greet', { greeting: 'Hello again' })).toBe('Hello again, Ada!');
  });

  it('aborts a call by cancelling it', async () => {
    const { ada, transport } = await start(era);
    const cancelling = new AbortController();
    const hanging = ada.callTool({ name: 'hang' }, { signal: cancelling.signal });
    const failure = expect(hanging).rejects.toThrow('no longer needed');

    await said(transport, 'hanging');
    const aborted = said(transport, 'aborted');
    cancelling.abort('no longer needed');
    await Promise.all([failure, aborted]);
  });
});
