/**
 * One server in a process of its own. Its arguments are the way (`ours` or `byHand`), the tool
 * (`confirm` or `plain`) and the era of its clients. It reports its address, and then its CPU time
 * or its memory on request.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { serveHttp } from 'mcp-resolve/node';

import { KEEP_ALIVE, serveByHand, serveSessionsByHand } from '../http/byHand.js';
import { askingBySession, plainOurs } from '../http/tools.js';
import { idiomatic, ours, plain } from './confirm.js';

const [way, tool, era] = process.argv.slice(2);
const asks = tool === 'confirm';

/** One user gets a quarter, which is more sessions than the benchmark opens. */
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

/** Returns the memory after two garbage collections. The second frees what finalizers released. */
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
