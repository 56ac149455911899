/**
 * Tests that calls do not use Node's thread pool. In a busy pool, every job of a call would wait
 * for the other jobs. The tests block every thread of the pool while a call runs.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createRequestStateCodec } from '@modelcontextprotocol/server';
import { confirm, defineTool, resolver } from 'mcp-resolve';
import { expect, it } from 'vitest';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { textOf } from '../support/results.js';
import { answering, roundsOf, serving } from '../support/rounds.js';

const THREADS = Number(process.env.UV_THREADPOOL_SIZE ?? 4);

/** Runs a function while every thread of the pool waits for data in a pipe. */
async function withBlockedPool<T>(work: () => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pool-'));
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const readers = Array.from({ length: THREADS }, () => open(pipe, 'r'));
  try {
    return await work();
  } finally {
    // Opens both ends synchronously, outside the pool. This releases the readers.
    const writer = openSync(pipe, constants.O_RDWR);
    for (const reader of await Promise.all(readers)) await reader.close();
    closeSync(writer);
    rmSync(folder, { recursive: true });
  }
}

/** Returns the result of a function that runs while the pool is blocked, or reports that it waits. */
function runBlocked(work: () => Promise<string>, timeoutMs: number): Promise<string> {
  return withBlockedPool(() => {
    const over = new AbortController();
    const waits = setTimeout(timeoutMs, 'waits for the pool', { signal: over.signal });
    waits.catch(() => undefined);
    return Promise.race([work(), waits]).finally(() => over.abort());
  });
}

const sure = resolver({}, () => confirm('Delete it?'), { asks: 'form' });
const deletes = defineTool('delete', { resolve: { sure } }, () => 'deleted');
const yes = { action: 'accept' as const, content: { confirm: true } };

it('a call of two rounds with a sealed state does not wait for the thread pool', async () => {
  const sendRound = roundsOf(deletes);
  const call = async (): Promise<string> =>
    textOf(await sendRound(answering(await sendRound(), { sure: yes })));
  expect(await runBlocked(call, 10_000)).toBe('deleted');
});

it.each(eras)(
  'a call of an SDK client on the %s era does not wait for the thread pool',
  async (era) => {
    const { text } = await connectClient(era, serving(deletes), { elicit: [yes] });
    expect(await runBlocked(() => text('delete'), 10_000)).toBe('deleted');
  },
);

// Proves that the tests above can fail: WebCrypto uses the thread pool.
it("the SDK's state codec waits for the thread pool", async () => {
  const codec = createRequestStateCodec<string>({ key: 'a key of the tests, 32 bytes or more' });
  await codec.mint('state');
  expect(await runBlocked(() => codec.mint('state'), 200)).toBe('waits for the pool');
});
