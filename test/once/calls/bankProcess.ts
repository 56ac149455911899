/**
 * One server process of a bank. Redis holds the records of `once` and the payments, and all
 * processes have the same `MCP_RESOLVE_KEYS`. The process ends with its parent.
 *
 * `pay` pays and returns. With `hold` it returns only after a release. `pay_patiently` is the same
 * tool with `waitMs`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import { serveHttp } from 'mcp-resolve/node';
import { redisStore } from 'mcp-resolve/store';
import { createClient } from 'redis';
import * as z from 'zod';

import { withLease } from './steps.js';

const { REDIS_URL = '', MCP_RESOLVE_KEYS = '', LEASE_MS = '30000', CLOCK_MS = '0' } = process.env;

// The clock of this process can differ from that of the machine.
const machineTime = Date.now;
Date.now = () => machineTime() + Number(CLOCK_MS);

const redis = createClient({
  url: REDIS_URL,
  disableOfflineQueue: true,
  socket: { reconnectStrategy: 50 },
});
redis.on('error', () => undefined);
await redis.connect();
const store = withLease(Number(LEASE_MS), redisStore(redis));

const PayInput = z.object({ to: z.string(), hold: z.boolean().default(false) });
const args = argsOf(PayInput);
const approved = resolver({ to: args.to }, ({ to }) => confirm(`Pay ${to}?`), { asks: 'form' });

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
  keys: [MCP_RESOLVE_KEYS],
  audience: 'bank',
  logger: { warn: () => undefined },
});

const handle = await serveHttp(
  () => {
    const server = new McpServer({ name: 'bank', version: '1.0.0' });
    install(server, tools, { seal, logger: { warn: () => undefined } });
    return server;
  },
  { port: 0 },
);
process.once('disconnect', () => process.exit());
process.send?.({ port: handle.port });
