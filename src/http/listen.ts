/**
 * The life of a `node:http` server: opening its port, its address, and an orderly end.
 *
 * The end is orderly when streams are finished, not cut: when the handler is closed, its last bytes
 * are given a moment to leave, and only what then still hangs is destroyed.
 */
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import type { HttpSettings } from './httpOptions.js';

type Endpoint = Pick<HttpSettings, 'port' | 'host' | 'path'>;

/**
 * Opens the port.
 *
 * @throws {Error} With a sentence, if it cannot be had.
 */
export async function listen(server: Server, { port, host }: Endpoint): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new Error(explain(cause, `${inUrl(host)}:${port}`), { cause });
  }
}

/** The address of a listening server, as a client on this machine writes it. */
export function addressOf(server: Server, { host, path }: Endpoint): { url: URL; port: number } {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { url: new URL(`http://${inUrl(host)}:${address.port}${path}`), port: address.port };
}

/** The responses of a server that are not finished yet, kept up to date. */
export function watchResponses(server: Server): ReadonlySet<ServerResponse> {
  const open = new Set<ServerResponse>();
  server.on('request', (_, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
  });
  return open;
}

/** Closes a server whose handler is closed; resolves when the port is free. */
export async function shutDown(server: Server, open: ReadonlySet<ServerResponse>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const finished = Promise.all([...open].map((response) => once(response, 'close')));
  const patience = new AbortController();
  await Promise.race([
    finished,
    delay(GRACE_MS, undefined, { signal: patience.signal }).catch(() => undefined),
  ]);
  patience.abort();
  server.closeAllConnections();
  await closed;
}

const GRACE_MS = 1000;

function explain(cause: unknown, where: string): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') {
    return `${where} is already in use. Choose another port, or port 0 for any free one.`;
  }
  return `Cannot listen on ${where}: ${cause instanceof Error ? cause.message : String(cause)}`;
}

/** A host as it stands in a URL; the wildcard addresses are no destination, loopback is. */
function inUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
