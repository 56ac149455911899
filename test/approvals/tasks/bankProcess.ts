/**
 * One server process of a bank that gives handles. Redis holds the parked calls, the records of
 * `once` and the payments. The process ends with its parent.
 *
 * `pay` pays and returns. With `hold` it returns only after a release. `pay_asked` asks the caller
 * once the treasury has approved.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import { approval, approvalDesk } from 'mcp-resolve/approvals';
import { serveHttp } from 'mcp-resolve/node';
import { redisStore } from 'mcp-resolve/store';
import { createClient } from 'redis';
import * as z from 'zod';

const { REDIS_URL = '', MCP_RESOLVE_KEYS = '', CLOCK_MS = '0' } = process.env;

// The clock of this process can differ from that of the machine.
const machineTime = Date.now;
Date.now = () => machineTime() + Number(CLOCK_MS);

const redis = createClient({ url: REDIS_URL });
redis.on('error', () => undefined);
await redis.connect();
const store = redisStore(redis);
const desk = approvalDesk({ store, tasks: true, notify: () => undefined });

const PayInput = z.object({ to: z.string(), hold: z.boolean().default(false) });
const pair = resolver(
  { to: argsOf(PayInput).to },
  ({ to }) => approval('Pay', { facts: { to }, by: 'acme/treasury', requester: 'ann' }),
  { asks: 'approval' },
);
const afterwards = resolver({ pair }, () => confirm('Pay it now?'), { asks: 'form' });

function payTool(name: string, resolve: { pair: typeof pair; afterwards?: typeof afterwards }) {
  const config = { inputSchema: PayInput, resolve, approvals: desk, once: store };
  return defineTool(name, config, async ({ to, hold }) => {
    const payments = await redis.rPush(`paid to ${to}`, String(process.pid));
    while (hold && (await redis.get(`release ${to}`)) === null) await delay(20);
    return `Paid ${to}: number ${payments}, by process ${process.pid}.`;
  });
}

const tools = [payTool('pay', { pair }), payTool('pay_asked', { pair, afterwards })];
const logger = { warn: () => undefined };
const seal = requestStateSeal({
  keys: [MCP_RESOLVE_KEYS],
  audience: 'bank',
  principal: () => 'ann',
  logger,
});

const { port } = await serveHttp(() => {
  const server = new McpServer({ name: 'bank', version: '1.0.0' });
  install(server, tools, { seal, logger });
  return server;
});
process.once('disconnect', () => process.exit());
process.send?.({ port });
