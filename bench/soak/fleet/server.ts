/**
 * One process of a service, started and stopped by `fleet.ts`. Its keys and its audience come from
 * the environment, as in a deployment; the bearer token names the user. Every response names its
 * process.
 */
import { requestStateSeal } from 'mcp-resolve';
import { serveHttp } from 'mcp-resolve/node';

import type { Report } from './fleet.js';
import { buildServer } from './service.js';

const { REQUEST_STATE_KEYS = '', AUDIENCE = '', TTL_SECONDS = '600', PORT = '0' } = process.env;

const rejections: Record<string, number> = {};
const seal = requestStateSeal({
  keys: REQUEST_STATE_KEYS.split(' '),
  audience: AUDIENCE,
  ttlSeconds: Number(TTL_SECONDS),
  onReject: ({ reason }) => {
    rejections[reason] = (rejections[reason] ?? 0) + 1;
  },
  logger: { warn: () => undefined },
});

const handle = await serveHttp(() => buildServer(AUDIENCE, seal), {
  port: Number(PORT),
  authenticate: ({ headers }) => {
    const [, sub] = /^Bearer (\w+)$/.exec(headers.get('authorization') ?? '') ?? [];
    if (sub === undefined) return undefined;
    return { token: sub, clientId: 'soak', scopes: [], extra: { sub } };
  },
});
handle.server.prependListener('request', (_, response) => {
  response.setHeader('x-served-by', String(process.pid));
});

process.once('message', () => void stop());
process.once('disconnect', () => process.exit());
report({ port: handle.port });

/** Finishes the requests in flight, and reports the refusals of this process. */
async function stop(): Promise<void> {
  await handle.close();
  report({ rejections });
}

function report(message: Report): void {
  process.send?.(message);
}
