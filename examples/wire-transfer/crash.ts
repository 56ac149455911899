/**
 * The end of the story: a server is killed in the middle of a transfer and started again, and its
 * client sends the approvals once more, also that of a transfer which was over before.
 *
 * With REDIS_URL the processes share a store and a key. Without, both die with the process.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/client';

import { type Connection, textOf } from '../support/connect.js';
import type { Telling } from '../support/story.js';
import { FAR_AWAY } from './bank.js';
import { begin, type OpenTransfer, ordersOf, takeUp } from './transfer.js';

type InNewProcess = NonNullable<Telling['inNewProcess']>;

const IN_PROGRESS =
  'Error executing tool wire_transfer: this call is already in progress, so it was not started again. Send the same request again to get its result.';
const UNKNOWN =
  'Error executing tool wire_transfer: the outcome of this call is unknown. It was started, but its end was never recorded, so it is not run again. Check what it did before you start a new call.';
const REFUSED = [-32602, 'Invalid or expired requestState', { reason: 'invalid_request_state' }];

/** Checks what becomes of transfers when their server is killed. */
export async function tellOfCrashes({ check, inNewProcess }: Telling): Promise<void> {
  if (inNewProcess === undefined) {
    console.log('A server that runs already is not killed: leave out --url to see that.');
    return;
  }
  if (process.env.REDIS_URL === undefined) {
    const crash = await crashing(inNewProcess, {});
    check('a restart refuses a transfer that was over', crash.over, REFUSED);
    check('and one that was cut: the key is gone with the process', crash.cut, REFUSED);
    check('the bank has one order of each', crash.orders, [1, 1]);
    return;
  }
  const REQUEST_STATE_KEY = randomBytes(32).toString('base64url');
  const [recent, longAgo] = await Promise.all([
    crashing(inNewProcess, { REQUEST_STATE_KEY, LEASE_MS: '600000' }),
    crashing(inNewProcess, { REQUEST_STATE_KEY, LEASE_MS: '1000' }),
  ]);
  check('after a restart, a transfer that was over gets its receipt', recent.over, recent.receipt);
  check('one that was cut counts as running until its lease ends', recent.cut, IN_PROGRESS);
  check('and then its outcome is unknown', longAgo.cut, UNKNOWN);
  const orders = [...recent.orders, ...longAgo.orders];
  check('the bank has one order of each', orders, [1, 1, 1, 1]);
}

/** How two transfers ended whose approvals were sent to a process that died, and to the next. */
interface Crash {
  /** What the first process answered before it died. */
  receipt: string;
  /** What the second one says of the same transfer. */
  over: unknown;
  /** What it says of the transfer in whose middle the first one died. */
  cut: unknown;
  /** How many orders the bank has of each. */
  orders: number[];
}

async function crashing(inNewProcess: InNewProcess, env: NodeJS.ProcessEnv): Promise<Crash> {
  const folder = await mkdtemp(join(tmpdir(), 'wire-transfer-'));
  const shared = { ...env, BANK_BOOK: join(folder, 'book.jsonl') };
  try {
    const before = await inNewProcess(shared, async (first) => {
      const over = await begin(first.client, 'Acme');
      const receipt = textOf(await over.yes());
      return { over, receipt, cut: await dieInTheMiddle(first) };
    });
    return await inNewProcess(shared, async (second) => {
      const over = await endOf(takeUp(second.client, before.over).yes());
      const cut = await endOf(takeUp(second.client, before.cut).yes());
      const orders = [await ordersOf(second, before.over), await ordersOf(second, before.cut)];
      return { receipt: before.receipt, over, cut, orders: orders.map(({ length }) => length) };
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Kills the server of a connection when an order has reached the bank, and waits for nothing. */
async function dieInTheMiddle(first: Connection): Promise<OpenTransfer> {
  const cut = await begin(first.client, FAR_AWAY);
  // Nobody will answer this.
  cut.yes().catch(() => undefined);
  for (;;) {
    const [order] = await ordersOf(first, cut);
    if (order !== undefined) {
      process.kill(order.process, 'SIGKILL');
      return cut;
    }
    await delay(20);
  }
}

/** The text of a result, or the error. */
async function endOf(result: Promise<CallToolResult>): Promise<unknown> {
  try {
    return textOf(await result);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return [error.code, error.message, error.data];
  }
}
