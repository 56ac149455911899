/**
 * The service: a tool that pays an order at a price that the user has approved. It asks two
 * questions, so that a call has an older and a last token. The price is random and pinned.
 * Arguments set the duration of the body before and after its effect, and whether it kills its
 * process.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, elicit, install, resolver, ToolError } from 'mcp-resolve';
import type { RequestStateSeal } from 'mcp-resolve';
import type { RecordStore } from 'mcp-resolve/store';
import * as z from 'zod';

import type { Begin, Entry } from './ledger.js';

/** The options of a server process. */
export interface ServiceOptions {
  readonly seal: RequestStateSeal;
  readonly store: RecordStore;
  /** True if payments can kill this process. */
  readonly mortal: boolean;
  /** Notes that a body has begun. */
  readonly noteBegin: (begin: Omit<Begin, 'at'>) => Promise<void>;
  /** The effect: adds a payment to the ledger. */
  readonly book: (entry: Entry) => Promise<void>;
}

const PayInput = z.object({
  order: z.string(),
  beforeMs: z.number(),
  afterMs: z.number(),
  fails: z.boolean(),
  deadly: z.enum(['before', 'after', 'never']),
});
const Account = z.object({ account: z.string() });
const Price = z.object({ cents: z.int() });
const Receipt = z.object({
  call: z.string(),
  order: z.string(),
  cents: z.int(),
  run: z.string(),
});
const args = argsOf(PayInput);

const account = resolver(
  { order: args.order },
  ({ order }) => elicit(`Which account pays ${order}?`, Account),
  { asks: 'form' },
);

const price = resolver({ account }, () => ({ cents: randomInt(1, 2 ** 40) }), { pin: Price });

const approval = resolver(
  { order: args.order, price },
  (needs) => confirm(`Pay ${needs.price.cents} cents for ${needs.order}?`),
  { asks: 'form' },
);

/** The time that a second request waits before the client learns that the call is in progress. */
const WAIT_MS = 200;

/** Creates the server factory of a process. */
export function serviceWith({
  seal,
  store,
  mortal,
  noteBegin,
  book,
}: ServiceOptions): () => McpServer {
  const pay = defineTool(
    'pay',
    {
      inputSchema: PayInput,
      outputSchema: Receipt,
      resolve: { account, price, approval },
      once: { store, waitMs: WAIT_MS },
    },
    async ({ order, price: { cents }, ...how }, { callId: call }) => {
      const run = randomUUID();
      await noteBegin({ order, run });
      await delay(how.beforeMs);
      if (mortal && how.deadly === 'before') process.kill(process.pid, 'SIGKILL');
      await book({ call, order, cents, run, process: process.pid });
      if (mortal && how.deadly === 'after') process.kill(process.pid, 'SIGKILL');
      await delay(how.afterMs);
      if (how.fails)
        throw new ToolError(
          `${order} is paid with ${cents} cents by run ${run}, but has no receipt`,
        );
      return { call, order, cents, run };
    },
  );
  return () => {
    const server = new McpServer({ name: 'soak-once', version: '1.0.0' });
    install(server, [pay], { seal, logger: { warn: () => undefined } });
    return server;
  };
}
