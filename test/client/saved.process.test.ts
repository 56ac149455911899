/** Tests saved calls that another process finishes. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { accept, type Answers, startCall } from 'mcp-resolve/client';
import { type HttpServerHandle, serveHttp } from 'mcp-resolve/node';
import { describe, expect, it } from 'vitest';

import { closeAfterTest } from '../support/servers.js';
import { capabilities, expectOpen, refund, scratchFile } from './byHand.js';
import { refundDesk } from './servers.js';

const run = promisify(execFile);
const program = fileURLToPath(new URL('finishSavedCall.ts', import.meta.url));

async function serveRefundDesk(): Promise<HttpServerHandle> {
  const handle = await serveHttp(refundDesk);
  closeAfterTest(() => handle.close());
  return handle;
}

async function connectOverHttp(url: URL): Promise<Client> {
  const client = new Client(
    { name: 'first process', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: 'auto' } },
  );
  closeAfterTest(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(url));
  return client;
}

/** Finishes a saved call in a new process, with the answers of its rounds. */
async function finishElsewhere(url: URL, file: string, ...rounds: Answers[]) {
  const texts = rounds.map((answers) => JSON.stringify(answers));
  const argv = ['--import', 'tsx', program, url.href, file, ...texts];
  const { stdout } = await run(process.execPath, argv);
  return JSON.parse(stdout) as { done: boolean; result: CallToolResult };
}

describe('J12: a saved call', () => {
  it('is read from a file and finished by another process', async () => {
    const { url } = await serveRefundDesk();
    const first = expectOpen(await startCall(await connectOverHttp(url), refund));
    const second = expectOpen(await first.answer({ scope: accept({ full: true }) }));
    const file = await scratchFile();
    await writeFile(file, JSON.stringify(second));

    const call = await finishElsewhere(url, file, { approval: accept({ by: 'Ada' }) });
    expect(call.result.structuredContent).toEqual({
      order_id: 'ORD-7',
      full: true,
      approved_by: 'Ada',
    });
  });

  it('is finished by another process in several rounds after a restart of the server', async () => {
    const before = await serveRefundDesk();
    const client = await connectOverHttp(before.url);
    const file = await scratchFile();
    await writeFile(file, JSON.stringify(await startCall(client, refund)));
    await client.close();
    await before.close();

    const { url } = await serveRefundDesk();
    const answers = [{ scope: accept({ full: false }) }, { approval: accept({ by: 'Bob' }) }];
    const { result } = await finishElsewhere(url, file, ...answers);
    expect(result.structuredContent).toMatchObject({ full: false, approved_by: 'Bob' });
  });
});
