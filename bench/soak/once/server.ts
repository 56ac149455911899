/**
 * One process of the service. `processes.ts` starts it, and it runs until it is killed or its
 * parent exits. Its key and its Redis come from the environment, as in a deployment.
 */
import { requestStateSeal } from 'mcp-resolve';
import { serveHttp } from 'mcp-resolve/node';
import { redisStore } from 'mcp-resolve/store';
import { createClient } from 'redis';

import { Random } from '../tokens/random.js';
import { book } from './ledger.js';
import { serviceWith } from './service.js';
import { withLease } from '../../../test/once/calls/steps.js';
import { hesitating } from './stores.js';

const {
  REQUEST_STATE_KEY = '',
  REDIS_URL = '',
  LIFE_SECONDS,
  LEASE_MS,
  MORTAL,
  PORT,
} = process.env;

// Ctrl-C reaches every process of a terminal. This process leaves the reaction to its parent.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit());

const client = createClient({ url: REDIS_URL });
client.on('error', () => undefined);
await client.connect();

const life = Number(LIFE_SECONDS);
const seal = requestStateSeal({
  keys: [REQUEST_STATE_KEY],
  audience: 'soak-once',
  ttlSeconds: life,
  maxFlowSeconds: life,
  logger: { warn: () => undefined },
});
const redis = redisStore(client);
const leased = LEASE_MS === undefined ? redis : withLease(Number(LEASE_MS), redis);
const store = hesitating(leased, new Random(process.pid));

const factory = serviceWith({
  seal,
  store,
  mortal: MORTAL === 'yes',
  book: (entry) => book(client, entry),
});
const { port } = await serveHttp(factory, { port: Number(PORT) });
process.send?.({ port });
