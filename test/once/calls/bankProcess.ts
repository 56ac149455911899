/**
 * One server process of a bank, as a program of its own: Redis knows which calls have run and keeps
 * the ledger, and `REQUEST_STATE_KEY` is the same for all processes. It ends with the process that
 * started it.
 *
 * `pay` pays and answers; with `hold` it pays and does not answer before it is released.
 * `pay_patiently` is the same, for requests that wait for one that is in progress.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import { serveHttp } from 'mcp-resolve/node';
import { redisOnceStore } from 'mcp-resolve/once';
import { createClient } from 'redis';
import * as z from 'zod';

import { withLease } from './withLease.js';

const { REDIS_URL = '', REQUEST_STATE_KEY = '', LEASE_MS = '30000' } = process.env;

const redis = createClient({
  url: REDIS_URL,
  disableOfflineQueue: true,
  socket: { reconnectStrategy: 50 },
});
redis.on('error', () => undefined);
await redis.connect();
const store = withLease(Number(LEASE_MS), redisOnceStore(redis));

const PayInput = z.object({ to: z.string(), hold: z.boolean().default(false) });
const args = argsOf(PayInput);
const approved = resolver({ to: args.to }, ({ to }) => confirm(`Pay ${to}?`));

function payTool(name: string, waitMs: number) {
  const config = { inputSchema: PayInput, resolve: { approved }, once: { store, waitMs } };
  return defineTool(name, config, async ({ to, hold }, { callId }) => {
    const payments = await redis.rPush(`paid to ${to}`, callId);
    while (hold && (await redis.get(`release ${to}`)) === null) await delay(20);
    return `Paid ${to}: number ${payments}, by process ${process.pid}.`;
  });
}

const tools = [payTool('pay', 0), payTool('pay_patiently', 15_000)];
const seal = requestStateSeal({
  keys: [REQUEST_STATE_KEY],
  audience: 'bank',
  logger: { warn: () => undefined },
});

const handle = await serveHttp(
  () => {
    const server = new McpServer({ name: 'bank', version: '1.0.0' });
    install(server, tools, { seal });
    return server;
  },
  { port: 0 },
);
process.once('disconnect', () => process.exit());
process.send?.({ port: handle.port });
