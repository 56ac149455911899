/** Tasks on a real Redis, which two servers share, each with a client of its own. */
import { redisStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { type RedisServer, startRedis } from '../../support/redis.js';
import { textOf } from '../../support/results.js';
import { INVOICE } from '../bank.js';
import { no, yes } from '../callers.js';
import { pollerOf, taskBank } from './poller.js';

let redis: RedisServer;
let clients: ReturnType<typeof createClient>[] = [];
let invoices = 0;

beforeAll(async () => {
  redis = await startRedis();
  clients = [createClient({ url: redis.url }), createClient({ url: redis.url })];
  for (const client of clients) await client.connect();
});

afterAll(async () => {
  for (const client of clients) client.destroy();
  await redis.stop();
});

/** Two processes of one bank, and a call that waits. */
async function waiting(user = 'ann') {
  const stores: RecordStore[] = clients.map((client) => redisStore(client));
  const banks = stores.map((store) => taskBank({}, { store, now: Date.now }));
  const pollers = banks.map(({ tool }) => pollerOf(tool, { user }));
  invoices += 1;
  const args = { ...INVOICE, invoice: `INV-${invoices}` };
  const handles = await Promise.all(
    Array.from({ length: 10 }, (_, at) => pollers[at % 2]!.call(args)),
  );
  const [{ taskId } = { taskId: '' }] = handles;
  expect(new Set(handles.map((handle) => handle.taskId))).toEqual(new Set([taskId]));
  const notified = banks.flatMap((bank) => bank.notified);
  expect(notified).toHaveLength(1);
  const polls = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, at) => pollers[at % 2]!.get(taskId)));
  return { banks, pollers, taskId, id: notified[0]!, polls, args };
}

it('T3 T6 T7 runs one body for polls of two processes while the approver decides', async () => {
  const { banks, polls, id } = await waiting();
  const before = polls(20);
  const decided = banks[1]!.desk.decide(id, yes('bob'));
  const during = polls(20);
  await Promise.all([before, decided, during]);
  // A poll on the other process works until the body of this one has ended.
  let answers = await polls(20);
  while (answers.some(({ status }) => status === 'working')) answers = await polls(20);
  for (const { status, result } of answers) {
    expect(status).toBe('completed');
    expect(textOf(result!)).toBe('Paid.');
  }
  expect(banks.flatMap(({ paid }) => paid)).toHaveLength(1);
});

it('T8 T9 T20 has one end if it is denied, cancelled, retried and polled at once', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { banks, pollers, polls, taskId, id, args } = await waiting();
    const [one, two] = [banks[0]!, banks[1]!];
    await one.desk.decide(id, yes('bob'));
    await Promise.all([
      polls(4),
      two.desk.decide(id, no('carol')),
      pollers[0]!.cancel(taskId),
      pollers[1]!.call(args),
    ]);
    const [end, ...same] = (await polls(6)).filter(({ status }) => status !== 'working');
    for (const other of same) expect(other).toEqual(end);
    const bodies = banks.flatMap(({ paid }) => paid).length;
    expect(bodies).toBeLessThanOrEqual(1);
    if (end?.status === 'cancelled') expect(bodies).toBe(0);
  }
});

it('T11 keeps a task from another principal in every process', async () => {
  const { banks, taskId } = await waiting();
  for (const { tool } of banks) {
    const eve = pollerOf(tool, { user: 'eve' });
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect(await eve.error(method, { taskId })).toEqual({
        code: -32_602,
        message: 'Unknown task',
      });
  }
});
