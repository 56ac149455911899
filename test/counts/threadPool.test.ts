/**
 * What a call asks of Node's thread pool: nothing. Where the pool is busy, with files or with
 * passwords, every job that a call put there would wait for all the others. So every thread is
 * blocked here, and calls have to go through.
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

/** Does something while every thread waits for somebody to write into a pipe. */
async function withBlockedPool<T>(work: () => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pool-'));
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const readers = Array.from({ length: THREADS }, () => open(pipe, 'r'));
  try {
    return await work();
  } finally {
    // Both ends at once, and not in the pool: this lets the readers go.
    const writer = openSync(pipe, constants.O_RDWR);
    for (const reader of await Promise.all(readers)) await reader.close();
    closeSync(writer);
    rmSync(folder, { recursive: true });
  }
}

/** What happens to some work while every thread is blocked. */
function fateOf(work: () => Promise<string>, patienceMs: number): Promise<string> {
  return withBlockedPool(() => {
    const over = new AbortController();
    const waits = setTimeout(patienceMs, 'waits for the pool', { signal: over.signal });
    waits.catch(() => undefined);
    return Promise.race([work(), waits]).finally(() => over.abort());
  });
}

const sure = resolver({}, () => confirm('Delete it?'));
const deletes = defineTool('delete', { resolve: { sure } }, () => 'deleted');
const yes = { action: 'accept' as const, content: { confirm: true } };

it('a call of two rounds, sealed, bound and opened again, does not wait for the pool', async () => {
  const sendRound = roundsOf(deletes);
  const call = async (): Promise<string> =>
    textOf(await sendRound(answering(await sendRound(), { sure: yes })));
  expect(await fateOf(call, 10_000)).toBe('deleted');
});

it.each(eras)('a call of an SDK client on the %s era does not wait for the pool', async (era) => {
  const { text } = await connectClient(era, serving(deletes), { elicit: [yes] });
  expect(await fateOf(() => text('delete'), 10_000)).toBe('deleted');
});

// So that the tests above can fail: WebCrypto works in the pool.
it('a token of the SDK waits for the pool', async () => {
  const codec = createRequestStateCodec<string>({ key: 'a key of the tests, 32 bytes or more' });
  await codec.mint('state');
  expect(await fateOf(() => codec.mint('state'), 200)).toBe('waits for the pool');
});
