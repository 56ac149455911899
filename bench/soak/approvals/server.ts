/**
 * One process of the service: the MCP server at /mcp, the desk for the people at /desk, and its
 * clock at /clock. It runs until it is killed or its parent exits.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { requestStateSeal } from 'mcp-resolve';
import { approvalDesk } from 'mcp-resolve/approvals';
import type { GivenDecision } from 'mcp-resolve/approvals';
import { createDualEraHandler } from 'mcp-resolve/node';

import { connectRedis, hesitating, openStore } from '../once/stores.js';
import { Random } from '../tokens/random.js';
import { withPlant } from './faults.js';
import { noteBegin, priceOf } from './ledger.js';
import { GROUP, serviceWith } from './service.js';

const { REQUEST_STATE_KEY = '', LEDGER_URL = '', PLANT, PORT, CLOCK } = process.env;

// Ctrl-C reaches every process of a terminal. This process leaves the reaction to its parent.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit());

let aheadMs = Number(CLOCK ?? 0);
const ledger = await connectRedis(LEDGER_URL);
const store = hesitating(withPlant(PLANT, await openStore()), new Random(process.pid));
const desk = approvalDesk({ store, now: () => Date.now() + aheadMs, maxOpenPerRequester: 1000 });

const factory = serviceWith({
  desk,
  store,
  priceOf: (order) => priceOf(ledger, order),
  noteBegin: (begin) => noteBegin(ledger, begin),
  seal: requestStateSeal({
    keys: [REQUEST_STATE_KEY],
    audience: 'soak-approvals',
    principal: ({ http }) => http?.req?.headers.get('x-user') ?? undefined,
    logger: { warn: () => undefined },
  }),
});

/** The requests of people to the desk. */
type Asked =
  | { readonly act: 'pending' }
  | { readonly act: 'read'; readonly id: string }
  | { readonly act: 'withdraw'; readonly id: string; readonly who: string }
  | ({ readonly act: 'decide'; readonly id: string } & GivenDecision);

function answer(asked: Asked): Promise<unknown> {
  if (asked.act === 'pending') return desk.pending({ by: GROUP });
  if (asked.act === 'read') return desk.read(asked.id);
  if (asked.act === 'withdraw') return desk.withdraw(asked.id, { who: asked.who });
  const { id, who, verdict } = asked;
  const groups = PLANT === 'forger' ? [GROUP] : asked.groups;
  return desk.decide(id, { who, groups, verdict });
}

const handler = createDualEraHandler(factory);
const app = new Hono();
app.all('/mcp', (c) => handler.fetch(c.req.raw));
app.post('/desk', async (c) => {
  try {
    return c.json({ answer: await answer(await c.req.json<Asked>()) });
  } catch (error) {
    return c.json({ error: String(error) }, 503);
  }
});
app.post('/clock', async (c) => {
  aheadMs = (await c.req.json<{ aheadMs: number }>()).aheadMs;
  return c.body(null, 204);
});
const listener = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }) as Server;
await once(listener, 'listening');
process.send?.({ port: PORT });
