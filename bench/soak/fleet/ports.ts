/** Finds ports that stay available during a restart. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Outgoing connections use a higher range, so they never take the port of a restarting process. */
const [LOWEST, HIGHEST] = [20_000, 29_999];

/** Finds free ports on loopback. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
