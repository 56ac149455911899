/**
 * Load from autocannon, which sends one request at a time per connection: the 2026-07-28 confirm
 * flow, whose second request carries the state of the first response, and calls without a
 * question.
 */
import { performance } from 'node:perf_hooks';
import autocannon, { type Client, type Request, type Result } from 'autocannon';

import { callOf, checkDeleted, headersOf, CONNECTIONS, type Load, type Sent, YES } from './load.js';
import { openSession } from './sessions.js';

/** Sends the two requests of a flow one after the other on each connection. */
export function confirmLoad(url: string): Load {
  const ask: Request = {
    body: callOf('2026-07-28', 1),
    onResponse: (_, body, context) => {
      const { result } = JSON.parse(body) as { result?: { requestState?: string } };
      if (result?.requestState === undefined) throw new Error(`nothing was asked: ${body}`);
      Object.assign(context, { requestState: result.requestState });
    },
  };
  const confirm: Request = {
    setupRequest: (request, context) => {
      const body = callOf('2026-07-28', 2, { ...context, inputResponses: { sure: YES } });
      return { ...request, body };
    },
    onResponse: (_, body) => checkDeleted(body),
  };
  const headers = headersOf('2026-07-28');
  return (flows) => fire({ url, headers, requests: [ask, confirm] }, flows);
}

const plainRequest = (setupRequest: Request['setupRequest']): Request => ({
  setupRequest,
  onResponse: (_, body) => checkDeleted(body),
});

/** Sends one 2026-07-28 call at a time on each connection. */
export function plainLoad(url: string): Load {
  const body = callOf('2026-07-28', 1);
  const request = plainRequest((request) => ({ ...request, body }));
  return (flows) => fire({ url, headers: headersOf('2026-07-28'), requests: [request] }, flows);
}

/** Sends one 2025-11-25 call at a time on each connection. Each connection has its own session. */
export async function plainSessionLoad(url: string): Promise<Load> {
  const sessions = await Promise.all(Array.from({ length: CONNECTIONS }, () => openSession(url)));
  let id = 0;
  const request = plainRequest((request) => ({
    ...request,
    body: callOf('2025-11-25', (id += 1)),
  }));
  return (flows) => {
    let connection = 0;
    const setupClient = (client: Client): void => {
      client.setHeaders(headersOf('2025-11-25', sessions[connection]));
      connection += 1;
    };
    return fire({ url, requests: [request], setupClient }, flows);
  };
}

type Fired = Pick<autocannon.Options, 'url' | 'headers' | 'setupClient'> & {
  readonly requests: Request[];
};

/** Sends at least this many flows, equally many on each connection. */
async function fire({ requests, ...options }: Fired, atLeast: number): Promise<Sent> {
  const flows = Math.ceil(atLeast / CONNECTIONS) * CONNECTIONS;
  const timesOf = new Map<Client, number[]>();
  const begun = performance.now();
  let ended = begun;
  const { errors, non2xx } = await new Promise<Result>((resolve, reject) => {
    const run = autocannon(
      {
        ...options,
        requests,
        method: 'POST',
        connections: CONNECTIONS,
        amount: flows * requests.length,
        // autocannon notices the end of a run only when it takes a sample.
        sampleInt: 20,
      },
      (error: Error | null, result) => {
        if (error === null) resolve(result);
        else reject(error);
      },
    );
    // autocannon's own histogram counts requests, not flows, in whole milliseconds.
    run.on('response', (client, _status, _bytes, ms) => {
      ended = performance.now();
      const times = timesOf.get(client) ?? [];
      times.push(ms);
      timesOf.set(client, times);
    });
  });
  if (errors > 0 || non2xx > 0)
    throw new Error(`${errors} errors, ${non2xx} responses that are not 2xx`);
  const took = [...timesOf.values()].flatMap((times) => sums(times, requests.length).slice(1));
  return { seconds: (ended - begun) / 1000, flows, took };
}

/** Returns the sum of each group of `size` neighbours. */
function sums(times: readonly number[], size: number): number[] {
  const starts = [...times.keys()].filter((index) => index % size === 0);
  return starts.map((from) => times.slice(from, from + size).reduce((sum, ms) => sum + ms));
}
