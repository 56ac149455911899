/**
 * How a request gets to a service: through a balancer in front of its processes. A process that
 * restarts refuses with 503, or not at all because nobody listens; either way nothing was done, and
 * the next one is asked.
 */
import { setTimeout as delay } from 'node:timers/promises';

/** Posts a request to some process of a service. */
export type Reach = (init: RequestInit) => Promise<Response>;

/** Counts the requests that had to be sent again. */
export interface Resent {
  resent: number;
}

/** Through a balancer at this address, which does the same for its own upstreams. */
export function through(url: string, counts: Resent): Reach {
  return untilServed(() => url, counts);
}

/** As a balancer would: to one process after the other, at every request the next. */
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
      if (tries === MOST_TRIES) throw new Error('no process of the service can be reached');
      await served?.body?.cancel();
      counts.resent += 1;
      // The first other process is asked at once.
      if (tries > 1) await delay(PAUSE_MS);
    }
  };
}

/** A connection that was refused or cut; everything else is an error. */
function unreachable(error: unknown): undefined {
  const cause = error instanceof TypeError ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (!['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE'].includes(String(code)))
    throw error;
  return undefined;
}
