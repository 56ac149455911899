/**
 * One process of the service. `processes.ts` starts it, and it runs until it is killed or its
 * parent exits. Its key and its databases come from the environment, as in a deployment.
 */
import { requestStateSeal } from 'mcp-resolve';
import { serveHttp } from 'mcp-resolve/node';

import { Random } from '../tokens/random.js';
import { book, noteBegin } from './ledger.js';
import { serviceWith } from './service.js';
import { withLease } from '../../../test/once/calls/steps.js';
import { connectRedis, hesitating, openStore } from './stores.js';

const {
  REQUEST_STATE_KEY = '',
  LEDGER_URL = '',
  LIFE_SECONDS,
  LEASE_MS,
  CLOCK_MS,
  MORTAL,
  PORT,
} = process.env;

// The clock of this process differs from that of the machine, which the ledger uses.
const machineTime = Date.now;
Date.now = () => machineTime() + Number(CLOCK_MS);

// Ctrl-C reaches every process of a terminal. This process leaves the reaction to its parent.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit());

const ledger = await connectRedis(LEDGER_URL);

const life = Number(LIFE_SECONDS);
const seal = requestStateSeal({
  keys: [REQUEST_STATE_KEY],
  audience: 'soak-once',
  ttlSeconds: life,
  maxFlowSeconds: life,
  logger: { warn: () => undefined },
});
const shared = await openStore();
const leased = LEASE_MS === undefined ? shared : withLease(Number(LEASE_MS), shared);
const store = hesitating(leased, new Random(process.pid));

const factory = serviceWith({
  seal,
  store,
  mortal: MORTAL === 'yes',
  noteBegin: (begin) => noteBegin(ledger, { ...begin, at: machineTime() }),
  book: (entry) => book(ledger, entry),
});
const { port } = await serveHttp(factory, { port: Number(PORT) });
process.send?.({ port });
