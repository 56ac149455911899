/**
 * Checks a crash. A server finishes one transfer, starts another one and is killed. The client
 * sends both approvals again to a new process.
 *
 * With REDIS_URL the processes share a store and a key. Without it, a restart loses both.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Connection } from '../support/connect.js';
import { endOf, textOf } from '../support/results.js';
import type { StoryRun } from '../support/story.js';
import { FAR_AWAY } from './bank.js';
import { begin, type OpenTransfer, ordersOf, resume } from './transfer.js';

type InNewProcess = NonNullable<StoryRun['inNewProcess']>;

const IN_PROGRESS =
  'Error executing tool wire_transfer: this call is already in progress, so it was not started again. Send the same request again to get its result.';
const UNKNOWN =
  'Error executing tool wire_transfer: the outcome of this call is unknown. A request was about to run it, but its end was never recorded, so it is not run again. Check what it did before you start a new call.';
const REFUSED = [-32602, 'Invalid or expired requestState', { reason: 'invalid_request_state' }];

/** Checks how transfers end if their server is killed. */
export async function checkCrashes({ check, inNewProcess }: StoryRun): Promise<void> {
  if (inNewProcess === undefined) {
    console.log('Leave out --url and --command to check crashes as well.');
    return;
  }
  if (process.env.REDIS_URL === undefined) {
    const crash = await crashing(inNewProcess, {});
    check(
      'after a restart, the server refuses the approval of a finished transfer',
      crash.finished,
      REFUSED,
    );
    check('and that of an interrupted one, because the key is lost', crash.interrupted, REFUSED);
    check('the bank has one order for each transfer', crash.orders, [1, 1]);
    return;
  }
  const MCP_RESOLVE_KEYS = randomBytes(32).toString('base64url');
  const crash = await crashing(inNewProcess, { MCP_RESOLVE_KEYS });
  check('after a restart, a finished transfer returns its receipt', crash.finished, crash.receipt);
  check(
    'an interrupted transfer is in progress until its lease expires',
    crash.interrupted,
    IN_PROGRESS,
  );
  check('after that its outcome is unknown', crash.later, UNKNOWN);
  check('the bank has one order for each transfer', crash.orders, [1, 1]);
}

/** The ends of two transfers whose approvals were sent before a crash and again after it. */
interface Crash {
  /** The receipt of the first process. */
  receipt: string;
  /** The answer of the second process for the finished transfer. */
  finished: unknown;
  /** The answer of the second process for the interrupted transfer. */
  interrupted: unknown;
  /** The same, as soon as it is no longer in progress. */
  later: unknown;
  /** The number of orders that the bank has for each transfer. */
  orders: number[];
}

async function crashing(inNewProcess: InNewProcess, env: NodeJS.ProcessEnv): Promise<Crash> {
  const folder = await mkdtemp(join(tmpdir(), 'wire-transfer-'));
  const shared = { ...env, BANK_BOOK: join(folder, 'book.jsonl') };
  try {
    const before = await inNewProcess(shared, async (first) => {
      const finished = await begin(first.client, 'Acme');
      const receipt = textOf(await finished.approve());
      return { finished, receipt, interrupted: await killDuringTransfer(first) };
    });
    return await inNewProcess(shared, async (second) => {
      const finished = await endOf(resume(second.client, before.finished).approve());
      const interrupted = await endOf(resume(second.client, before.interrupted).approve());
      let later = interrupted;
      while (later === IN_PROGRESS) {
        await delay(500);
        later = await endOf(resume(second.client, before.interrupted).approve());
      }
      const orders = [
        await ordersOf(second, before.finished),
        await ordersOf(second, before.interrupted),
      ].map(({ length }) => length);
      return { receipt: before.receipt, finished, interrupted, later, orders };
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Kills the server as soon as the bank has the order of a transfer. */
async function killDuringTransfer(first: Connection): Promise<OpenTransfer> {
  const transfer = await begin(first.client, FAR_AWAY);
  // This request never receives an answer.
  transfer.approve().catch(() => undefined);
  for (;;) {
    const [order] = await ordersOf(first, transfer);
    if (order !== undefined) {
      process.kill(order.process, 'SIGKILL');
      return transfer;
    }
    await delay(20);
  }
}
