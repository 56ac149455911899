/** Lets a program tell the process that started it its address, and then its CPU time or memory. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** No timeout, so that connections stay open while other servers are measured. */
export const KEEP_ALIVE = 0;

/** Listens on a free port of the loopback address, and returns the URL. */
export async function listenOn(server: Server): Promise<string> {
  server.keepAliveTimeout = KEEP_ALIVE;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
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

/** Reports the address, and answers questions until the other process ends. */
export function report(url: string): void {
  process.on('message', (question) => void answer(question));
  process.on('disconnect', () => process.exit());
  process.send?.({ url });
}
