/**
 * Sends requests to a service through a load balancer. A restarting process answers with 503 or
 * refuses the connection. It has not handled the request then, so the request goes to the next
 * one.
 */
import { setTimeout as delay } from 'node:timers/promises';

/** Posts a request to some process of a service. */
export type Reach = (init: RequestInit) => Promise<Response>;

/** Counts the resent requests. */
export interface Resent {
  resent: number;
}

/** Sends requests to a load balancer, which also resends them to its own upstreams. */
export function through(url: string, counts: Resent): Reach {
  return untilServed(() => url, counts);
}

/** Sends requests to the processes in turn, as a load balancer does. */
export function inTurn(ports: () => readonly number[], counts: Resent): Reach {
  let turn = 0;
  return untilServed(() => {
    const all = ports();
    turn += 1;
    return `http://127.0.0.1:${String(all[turn % all.length])}/mcp`;
  }, counts);
}

const BUSY: readonly number[] = [502, 503, 504];
const MOST_TRIES = 200;
const PAUSE_MS = 50;

function untilServed(next: () => string, counts: Resent): Reach {
  return async (init) => {
    for (let tries = 1; ; tries += 1) {
      const served = await fetch(next(), init).catch((error: unknown) => unreachable(error));
      if (served !== undefined && !BUSY.includes(served.status)) return served;
      if (tries === MOST_TRIES) throw new Error('no process of the service is reachable');
      await served?.body?.cancel();
      counts.resent += 1;
      // The first retry goes to another process without a pause.
      if (tries > 1) await delay(PAUSE_MS);
    }
  };
}

/**
 * Returns undefined if a connection was refused or cut.
 *
 * @throws Every other error.
 */
function unreachable(error: unknown): undefined {
  const cause = error instanceof TypeError ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (!['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE'].includes(String(code)))
    throw error;
  return undefined;
}
