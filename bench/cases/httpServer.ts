/**
 * One server in a process of its own: `ours` or `byHand`, and which of its two tools, to clients of
 * which era. It tells its address, and then what it is asked for: its processor time or its
 * memory.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { serveHttp } from 'mcp-resolve/node';

import { KEEP_ALIVE, serveByHand, serveSessionsByHand } from '../http/byHand.js';
import { askingBySession, plainOurs } from '../http/tools.js';
import { idiomatic, ours, plain } from './confirm.js';

const [way, tool, era] = process.argv.slice(2);
const asks = tool === 'confirm';

/** One user gets a quarter, which is more sessions than the bench opens. */
const maxSessions = 40_000;

async function serve(): Promise<string> {
  if (way === 'ours') {
    const { url, server } = await serveHttp(asks ? ours : plainOurs, { maxSessions });
    server.keepAliveTimeout = KEEP_ALIVE;
    return String(url);
  }
  return era === '2026-07-28'
    ? serveByHand(asks ? idiomatic : plain)
    : serveSessionsByHand(asks ? askingBySession : plain);
}

/** What is left after collecting, twice: what finalizers let go of is gone only then. */
async function memory(): Promise<{ readonly heap: number; readonly rss: number }> {
  for (let time = 0; time < 2; time += 1) {
    await wait(100);
    globalThis.gc?.();
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, rss };
}

async function answer(question: unknown): Promise<void> {
  const { user, system } = process.cpuUsage();
  process.send?.(question === 'memory' ? await memory() : { cpu: user + system });
}

process.on('message', (question) => void answer(question));
process.on('disconnect', () => process.exit());
process.send?.({ url: await serve() });
