/** Tasks of server processes that share a Redis, also if a process is killed during the body. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { approvalDesk } from 'mcp-resolve/approvals';
import { redisStore } from 'mcp-resolve/store';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { endProcess } from '../../support/processTree.js';
import { type RedisServer, startRedis } from '../../support/redis.js';
import { textOf } from '../../support/results.js';
import { post } from '../../support/wire.js';
import { yes } from '../callers.js';
import { FORMS_AND_TASKS, type TaskView } from './poller.js';

const PROGRAM = fileURLToPath(new URL('bankProcess.ts', import.meta.url));
/** Longer than a lease. */
const LATER_MS = 31_000;

/** The functions that close what the tests opened. They run in reverse order. */
const open: (() => unknown)[] = [];

let redis: RedisServer;
let client: ReturnType<typeof createClient>;
let one: BankProcess;
let two: BankProcess;

beforeAll(async () => {
  redis = await startRedis();
  open.push(redis.stop);
  client = createClient({ url: redis.url });
  await client.connect();
  open.push(() => client.destroy());
  [one, two] = await Promise.all([startBank(), startBank()]);
}, 60_000);

afterAll(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A process of the bank. */
interface BankProcess {
  readonly pid: number;
  readonly send: (method: string, params: Record<string, unknown>) => Promise<TaskView>;
  readonly get: (taskId: string) => Promise<TaskView>;
  readonly kill: () => Promise<void>;
}

async function startBank(env: Readonly<Record<string, string>> = {}): Promise<BankProcess> {
  const keys = { MCP_RESOLVE_KEYS: 'a key of the tests, 32 bytes or more' };
  const child = fork(PROGRAM, [], {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, REDIS_URL: redis.url, ...keys, ...env },
  });
  const kill = () => endProcess(child, 'SIGKILL');
  open.push(kill);
  const url = `http://127.0.0.1:${await portOf(child)}/mcp`;
  const fetchThere = (request: Request) => fetch(new Request(url, request));
  const send: BankProcess['send'] = async (method, params) => {
    const options = { capabilities: FORMS_AND_TASKS };
    const { body } = await post({ fetch: fetchThere }, method, params, options);
    if (body.result === undefined) throw new Error(`expected a result: ${JSON.stringify(body)}`);
    return body.result as unknown as TaskView;
  };
  return { pid: child.pid!, send, get: (taskId) => send('tasks/get', { taskId }), kill };
}

/** Returns the port of a process when it is ready. Throws if the process ends before that. */
async function portOf(child: ChildProcess): Promise<number> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a process of the bank ended with code ${String(code)}`);
  });
  const ready = once(child, 'message').then(([report]) => (report as { port: number }).port);
  ended.catch(() => undefined);
  return Promise.race([ready, ended]);
}

/** Makes a call that waits, and returns what a test needs of it. */
async function waitingAt(bank: BankProcess, { name = 'pay', hold = false } = {}) {
  const to = `payee ${randomUUID()}`;
  const handle = await bank.send('tools/call', { name, arguments: { to, hold } });
  expect(handle).toMatchObject({ resultType: 'task', status: 'working' });
  const meta = handle._meta!['mcp-resolve/approvals'] as { requests: { id: string }[] };
  const payments = () => client.lRange(`paid to ${to}`, 0, -1);
  return {
    taskId: handle.taskId,
    payments,
    approve: async () => {
      const desk = approvalDesk({ store: redisStore(client), notify: () => undefined });
      await desk.decide(meta.requests[0]!.id, yes('bob'));
    },
    /** Waits for a payment whose body has not returned yet. */
    isPaid: () =>
      vi.waitFor(async () => expect(await payments()).toHaveLength(1), { timeout: 15_000 }),
    release: () => client.set(`release ${to}`, 'now'),
  };
}

test('T6 T18 completes in another process if the one that gave the handle was killed', async () => {
  const doomed = await startBank();
  const { taskId, approve, payments } = await waitingAt(doomed);
  await doomed.kill();
  expect((await one.get(taskId)).status).toBe('working');
  await approve();
  const task = await two.get(taskId);
  expect(task.status).toBe('completed');
  expect(textOf(task.result!)).toContain(`number 1, by process ${two.pid}`);
  expect(await one.get(taskId)).toEqual(task);
  expect(await payments()).toEqual([String(two.pid)]);
}, 60_000);

test('T7 runs one body for twenty polls, and both processes show its result', async () => {
  const { taskId, approve, payments } = await waitingAt(one);
  await approve();
  const polls = await Promise.all(
    Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : two).get(taskId)),
  );
  const end = await one.get(taskId);
  expect(end.status).toBe('completed');
  expect(await two.get(taskId)).toEqual(end);
  for (const { status, result } of polls)
    if (status !== 'working') expect(result).toEqual(end.result);
  expect(await payments()).toHaveLength(1);
});

test('T7 shows in one process that the body runs in the other', async () => {
  const { taskId, approve, isPaid, release } = await waitingAt(one, { hold: true });
  await approve();
  const running = one.get(taskId);
  await isPaid();
  expect((await two.get(taskId)).status).toBe('working');
  await release();
  expect((await running).status).toBe('completed');
  expect(await two.get(taskId)).toEqual(await running);
});

test('T13 T18 takes the answer to a question of a killed process', async () => {
  const doomed = await startBank();
  const { taskId, approve, payments } = await waitingAt(doomed, { name: 'pay_asked' });
  await approve();
  const asked = await doomed.get(taskId);
  expect(asked.status).toBe('input_required');
  await doomed.kill();
  expect(await one.get(taskId)).toEqual(asked);
  const [key = ''] = Object.keys(asked.inputRequests!);
  const confirmed = { action: 'accept', content: { confirm: true } };
  await one.send('tasks/update', { taskId, inputResponses: { unknown: confirmed } });
  expect((await two.get(taskId)).status).toBe('input_required');
  await one.send('tasks/update', { taskId, inputResponses: { [key]: confirmed } });
  expect((await two.get(taskId)).status).toBe('completed');
  expect(await payments()).toEqual([String(two.pid)]);
}, 60_000);

test('T18 does not run again what a killed process ran, and says so after its lease', async () => {
  const doomed = await startBank();
  const { taskId, approve, isPaid, payments, release } = await waitingAt(one, { hold: true });
  await approve();
  const lost = expect(doomed.get(taskId)).rejects.toThrow();
  await isPaid();
  await doomed.kill();
  await lost;
  await release();
  expect((await one.get(taskId)).status).toBe('working');
  await one.send('tasks/cancel', { taskId });
  expect((await two.get(taskId)).status).toBe('working');

  const later = await startBank({ CLOCK_MS: String(LATER_MS) });
  const end = await later.get(taskId);
  expect(end).toMatchObject({ status: 'completed', result: { isError: true } });
  expect(end.result!._meta).toMatchObject({ 'mcp-resolve/once': 'outcome_unknown' });
  for (const bank of [one, two, later]) expect(await bank.get(taskId)).toEqual(end);
  expect(await payments()).toEqual([String(doomed.pid)]);
}, 60_000);
