/** Polls of a call that waits: what they run, and what they show. */
import { approval } from 'mcp-resolve/approvals';
import {
  confirm,
  defineTool,
  install,
  memoryStore,
  outcome,
  resolver,
  ToolError,
} from 'mcp-resolve';
import type { RecordStore } from 'mcp-resolve/store';
import { type McpServer, ProtocolError } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';

import { deferred } from '../../support/deferred.js';
import { errorTextOf, textOf } from '../../support/results.js';
import { SILENT } from '../../support/servers.js';
import { args, INVOICE, PayInput, secondPair, waitingOf } from '../bank.js';
import { DAY, no, testDesk, yes } from '../callers.js';
import { BY_HEADER, FORMS_AND_TASKS, pollerOf, taskBank, type TaskView } from './poller.js';

const YES = { action: 'accept', content: { confirm: true } };
const NO = { action: 'decline' };

const sure = resolver({}, () => confirm('Are you sure?'), { asks: 'form' });
const pair = secondPair();
/** Asks the caller once others have approved. */
const afterwards = resolver({ pair }, () => confirm('Pay it now?'), { asks: 'form', attempts: 2 });

afterEach(() => {
  vi.useRealTimers();
});

it('T4 asks the caller first, and a decline creates no task', async () => {
  const { tool, desk, notified, paid } = taskBank({ resolve: { sure, pair } });
  const poller = pollerOf(tool, { capabilities: FORMS_AND_TASKS });
  const asked = (await poller.call()) as { requestState?: string; resultType: string };
  expect(asked.resultType).toBe('input_required');
  const answer = (response: object) =>
    poller.send('tools/call', {
      name: 'pay',
      arguments: INVOICE,
      requestState: asked.requestState,
      inputResponses: { sure: response },
    });
  expect(errorTextOf((await answer(NO)).body.result as never)).toContain('decline');
  expect(notified).toEqual([]);
  const again = (await poller.call()) as { requestState?: string };
  const { body } = await poller.send('tools/call', {
    name: 'pay',
    arguments: INVOICE,
    requestState: again.requestState,
    inputResponses: { sure: YES },
  });
  expect(body.result).toMatchObject({ resultType: 'task', status: 'working' });
  expect(notified).toHaveLength(1);
  await desk.decide(notified[0]!, yes('bob'));
  const task = await poller.get((body.result as unknown as TaskView).taskId);
  expect(task).toMatchObject({ status: 'completed', result: { content: [{ text: 'Paid.' }] } });
  expect(paid).toHaveLength(1);
});

it('T7 runs one body for twenty polls on two processes', async () => {
  const { store, desk, notified } = testDesk();
  const at = [store, store].map((shared) => taskBank({}, { store: shared }));
  const pollers = at.map(({ tool }) => pollerOf(tool));
  const { taskId } = await pollers[0]!.call();
  const [id = ''] = at.flatMap((one) => one.notified);
  expect(notified).toEqual([]);
  await desk.decide(id, yes('bob'));
  const poll = () => Promise.all(Array.from({ length: 20 }, (_, n) => pollers[n % 2]!.get(taskId)));
  const statuses = (await poll()).map(({ status }) => status);
  expect(new Set([...statuses, 'working'])).toEqual(new Set(['working', 'completed']));
  for (const { status, result } of await poll()) {
    expect(status).toBe('completed');
    expect(textOf(result!)).toBe('Paid.');
  }
  expect(at.flatMap(({ paid }) => paid)).toHaveLength(1);
});

it('T8 shows a denial with its comment, and the same forever', async () => {
  const { tool, desk, notified, paid } = taskBank();
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  await desk.decide(notified[0]!, no('bob', 'Not this supplier.'));
  const task = await poller.get(taskId);
  expect(task).toMatchObject({ status: 'completed', result: { isError: true } });
  expect(errorTextOf(task.result!)).toContain('The approver wrote: "Not this supplier.".');
  expect(await poller.get(taskId)).toEqual(task);
  expect(paid).toEqual([]);
});

it('T8 T20 passes a denial to a tool that goes on with it, once', async () => {
  const seen: unknown[] = [];
  const verdict = resolver({ answer: outcome(pair) }, ({ answer }) => answer.action);
  const bank = taskBank({ resolve: { verdict }, body: () => seen.push('ran') });
  const poller = pollerOf(bank.tool);
  const { taskId } = await poller.call();
  await bank.desk.decide(bank.notified[0]!, no('bob'));
  await Promise.all([poller.get(taskId), poller.get(taskId), poller.call()]);
  const task = await poller.get(taskId);
  expect(task).toMatchObject({ status: 'completed' });
  expect(textOf(task.result!)).toBe('Paid.');
  expect(seen).toEqual(['ran']);
  expect(bank.paid).toMatchObject([{ verdict: 'decline' }]);
});

it('T9 is cancelled before the body, and the next call is new', async () => {
  const { tool, desk, notified, paid } = taskBank();
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  expect(await poller.cancel(taskId)).toMatchObject({ resultType: 'complete' });
  const task = await poller.get(taskId);
  expect(task.status).toBe('cancelled');
  for (const absent of ['result', 'error']) expect(task).not.toHaveProperty(absent);
  expect(await desk.decide(notified[0]!, yes('bob'))).toMatchObject({
    counted: false,
    why: 'over',
  });
  expect(await desk.pending({ by: 'acme/treasury' })).toEqual([]);
  const next = await poller.call();
  expect(next.taskId).not.toBe(taskId);
  expect(notified).toHaveLength(2);
  expect(paid).toEqual([]);
});

it('T9 is cancelled after the approval, while nobody has polled', async () => {
  const { tool, desk, notified, paid } = taskBank();
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  await desk.decide(notified[0]!, yes('bob'));
  await poller.cancel(taskId);
  expect((await poller.get(taskId)).status).toBe('cancelled');
  expect(paid).toEqual([]);
});

it.each(['cancelled', 'withdrawn'] as const)(
  'T9 makes no further request if it is %s while a poll looks for one',
  async (how) => {
    const [started, finish] = [deferred(), deferred()];
    const slow = resolver({ pair }, async () => {
      started.resolve();
      await finish.promise;
      return 'the board';
    });
    const second = resolver(
      { slow },
      () => approval('Pay abroad', { facts: {}, by: 'acme/board', requester: 'ann' }),
      { asks: 'approval' },
    );
    const { tool, desk, notified, paid } = taskBank({ resolve: { pair, second } });
    const poller = pollerOf(tool);
    const { taskId } = await poller.call();
    await desk.decide(notified[0]!, yes('bob'));
    const poll = poller.get(taskId);
    await started.promise;
    if (how === 'cancelled') await poller.cancel(taskId);
    else await desk.withdraw(notified[0]!, { who: 'ann' });
    finish.resolve();
    const end = await poll;
    expect(end.status).toBe(how === 'cancelled' ? 'cancelled' : 'completed');
    expect(await poller.get(taskId)).toEqual(end);
    expect(notified).toHaveLength(1);
    expect(paid).toEqual([]);
  },
);

it('T10 T16 goes on after a cancel and an aborted poll, because the body runs', async () => {
  const [started, finish] = [deferred(), deferred()];
  const { desk, store } = testDesk({ tasks: true });
  let id = '';
  const notifying = testDesk({ store, tasks: true, notify: (request) => void (id = request.id) });
  const signals: boolean[] = [];
  const tool = defineTool(
    'pay',
    { inputSchema: PayInput, resolve: { pair }, approvals: notifying.desk, once: store },
    async (_values, ctx) => {
      started.resolve();
      await finish.promise;
      // Reaches nobody: the client that polled has gone.
      await ctx.mcpReq.notify({
        method: 'notifications/message',
        params: { level: 'info', data: 'x' },
      });
      signals.push(ctx.signal.aborted);
      return 'Paid.';
    },
  );
  const reported: unknown[] = [];
  const poller = pollerOf(tool, { reported });
  const { taskId } = await poller.call();
  await desk.decide(id, yes('bob'));
  const gone = new AbortController();
  const aborted = poller.send('tasks/get', { taskId }, { signal: gone.signal }).catch(() => 'gone');
  await started.promise;
  gone.abort();
  await aborted;
  await poller.cancel(taskId);
  finish.resolve();
  const task = await vi.waitUntil(async () => {
    const now = await poller.get(taskId);
    return now.status === 'completed' && now;
  });
  expect(textOf(task.result!)).toBe('Paid.');
  expect(signals).toEqual([false]);
  await poller.cancel(taskId);
  expect(await poller.get(taskId)).toEqual(task);
});

it('T11 tells another principal that the id is unknown', async () => {
  const { tool, desk, notified, paid } = taskBank();
  const { taskId } = await pollerOf(tool).call();
  await desk.decide(notified[0]!, yes('bob'));
  const eve = pollerOf(tool, { user: 'eve' });
  const forged = `${taskId.slice(0, -1)}${taskId.endsWith('A') ? 'B' : 'A'}`;
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const unknown = await eve.error(method, { taskId: 'parked-nothing', inputResponses: {} });
    expect(unknown).toEqual({ code: -32_602, message: 'Unknown task' });
    expect(await eve.error(method, { taskId, inputResponses: {} })).toEqual(unknown);
    expect(await pollerOf(tool).error(method, { taskId: forged })).toEqual(unknown);
  }
  expect(paid).toEqual([]);
  expect((await pollerOf(tool).get(taskId)).status).toBe('completed');
});

describe('a question after the approval', () => {
  const asking = (more: object = {}) => taskBank({ resolve: { pair, afterwards }, ...more });

  it('T12 T13 is asked under a new key, and answered in any process', async () => {
    const { tool, desk, store, notified, paid } = asking();
    const poller = pollerOf(tool, { capabilities: FORMS_AND_TASKS });
    const second = pollerOf(taskBank({ resolve: { pair, afterwards } }, { store }).tool, {
      capabilities: FORMS_AND_TASKS,
    });
    const { taskId } = await poller.call();
    await desk.decide(notified[0]!, yes('bob'));
    const asked = await poller.get(taskId);
    expect(asked).toMatchObject({
      status: 'input_required',
      inputRequests: {
        'afterwards#1': { method: 'elicitation/create', params: { message: 'Pay it now?' } },
      },
    });
    expect(asked).not.toHaveProperty('requestState');
    expect(await second.get(taskId)).toEqual(asked);
    // Neither an unknown key nor a verdict counts.
    await second.update(taskId, { unknown: YES, pair: YES, afterwards: YES });
    expect((await poller.get(taskId)).status).toBe('input_required');
    await second.update(taskId, { 'afterwards#1': { action: 'accept', content: { confirm: 7 } } });
    const again = await poller.get(taskId);
    expect(Object.keys(again.inputRequests!)).toEqual(['afterwards#2']);
    // An answered key is ignored.
    await second.update(taskId, { 'afterwards#1': YES });
    expect((await poller.get(taskId)).status).toBe('input_required');
    await second.update(taskId, { 'afterwards#2': YES });
    const done = await poller.get(taskId);
    expect(textOf(done.result!)).toBe('Paid.');
    expect(paid).toMatchObject([{ afterwards: true }]);
  });

  it('T14 ends the task without the body if the caller declines', async () => {
    const { tool, desk, notified, paid } = asking();
    const poller = pollerOf(tool, { capabilities: FORMS_AND_TASKS });
    const { taskId } = await poller.call();
    await desk.decide(notified[0]!, yes('bob'));
    const [key = ''] = Object.keys((await poller.get(taskId)).inputRequests!);
    await poller.update(taskId, { [key]: NO });
    const task = await poller.get(taskId);
    expect(task).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(errorTextOf(task.result!)).toContain('decline');
    expect(await poller.get(taskId)).toEqual(task);
    expect(paid).toEqual([]);
    expect((await poller.call()).taskId).not.toBe(taskId);
  });

  it('T15 is refused to a client that cannot answer, and another client continues', async () => {
    const { tool, desk, notified, paid } = asking();
    const blind = pollerOf(tool);
    const { taskId } = await blind.call();
    await desk.decide(notified[0]!, yes('bob'));
    const refusal = {
      code: -32_021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    };
    expect(await blind.error('tasks/get', { taskId })).toMatchObject(refusal);
    const poller = pollerOf(tool, { capabilities: FORMS_AND_TASKS });
    const [key = ''] = Object.keys((await poller.get(taskId)).inputRequests!);
    expect(await blind.error('tasks/get', { taskId })).toMatchObject(refusal);
    await poller.update(taskId, { [key]: YES });
    expect((await poller.get(taskId)).status).toBe('completed');
    expect(paid).toHaveLength(1);
  });

  it('refuses answers that are too large or too deep', async () => {
    const { tool, desk, notified } = asking();
    const poller = pollerOf(tool, { capabilities: FORMS_AND_TASKS });
    const { taskId } = await poller.call();
    await desk.decide(notified[0]!, yes('bob'));
    const [key = ''] = Object.keys((await poller.get(taskId)).inputRequests!);
    const large = { action: 'accept', content: { confirm: 'x'.repeat(100_000) } };
    const inputResponses = { [key]: large };
    expect(await poller.error('tasks/update', { taskId, inputResponses })).toMatchObject({
      code: -32_602,
    });
    expect((await poller.get(taskId)).status).toBe('input_required');
  });
});

it('T17 shows a protocol error of the body as a failure, every time', async () => {
  const { tool, desk, notified, paid } = taskBank({
    body: () => {
      throw new ProtocolError(-32_000, 'The bank is closed', { until: 'Monday' });
    },
  });
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  await desk.decide(notified[0]!, yes('bob'));
  const task = await poller.get(taskId);
  expect(task).toMatchObject({
    status: 'failed',
    error: { code: -32_000, message: 'The bank is closed', data: { until: 'Monday' } },
  });
  expect(task).not.toHaveProperty('result');
  expect(await poller.get(taskId)).toEqual(task);
  expect(paid).toHaveLength(1);
});

/** A store of a process that dies: nothing reaches it any more. */
function mortal(store: RecordStore): RecordStore & { dead: boolean } {
  const never = () => new Promise<never>(() => undefined);
  return {
    dead: false,
    get(key) {
      return this.dead ? never() : store.get(key);
    },
    put(...step) {
      return this.dead ? never() : store.put(...step);
    },
  };
}

it('T18 T10 works until the lease of a killed process ends, and is never run again', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const shared = memoryStore();
  const store = mortal(shared);
  const started = deferred();
  const dying = taskBank(
    {
      body: () => {
        store.dead = true;
        started.resolve();
      },
    },
    { store, now: () => Date.now() },
  );
  const { taskId } = await pollerOf(dying.tool).call();
  const alive = taskBank({}, { store: shared, now: () => Date.now() });
  await alive.desk.decide(dying.notified[0]!, yes('bob'));
  const gone = new AbortController();
  const poll = pollerOf(dying.tool).send('tasks/get', { taskId }, { signal: gone.signal });
  await started.promise;
  const poller = pollerOf(alive.tool);
  expect((await poller.get(taskId)).status).toBe('working');
  await poller.cancel(taskId);
  expect((await poller.get(taskId)).status).toBe('working');
  vi.setSystemTime(Date.now() + 31_000);
  const task = await poller.get(taskId);
  expect(task).toMatchObject({ status: 'completed', result: { isError: true } });
  expect(task.result!._meta).toMatchObject({ 'mcp-resolve/once': 'outcome_unknown' });
  expect(await poller.get(taskId)).toEqual(task);
  expect(alive.paid).toEqual([]);
  gone.abort();
  await poll.catch(() => undefined);
});

it('announces a request that nobody was told of, a minute after the failure', async () => {
  let isDown = true;
  const tries: string[] = [];
  const notify = ({ id }: { readonly id: string }): void => {
    tries.push(id);
    if (isDown) throw new Error('The chat is down.');
  };
  const { tool, clock } = taskBank({}, { notify });
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  isDown = false;
  clock.now += 59_000;
  expect((await poller.get(taskId)).status).toBe('working');
  expect(tries).toHaveLength(1);
  clock.now += 1_000;
  expect((await poller.get(taskId)).status).toBe('working');
  expect((await poller.get(taskId)).status).toBe('working');
  expect(tries).toEqual([tries[0], tries[0]]);
});

it('T19 ends with the refusal of a guard, which spends nothing', async () => {
  let open = true;
  const isOpen = resolver({}, () => {
    if (!open) throw new ToolError('The bank is closed.');
    return true as const;
  });
  const { tool, desk, notified, paid } = taskBank({ guards: [isOpen] });
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  await desk.decide(notified[0]!, yes('bob'));
  open = false;
  const task = await poller.get(taskId);
  expect(errorTextOf(task.result!)).toContain('The bank is closed.');
  open = true;
  expect(await poller.get(taskId)).toEqual(task);
  expect(paid).toEqual([]);
  expect(textOf(await poller.call())).toBe('Paid.');
  expect(paid).toHaveLength(1);
  expect(await poller.get(taskId)).toEqual(task);
});

it('T20 completes with the body that a retry runs', async () => {
  const { tool, desk, notified, paid } = taskBank();
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  await desk.decide(notified[0]!, yes('bob'));
  expect(textOf(await pollerOf(tool, { capabilities: {} }).call())).toBe('Paid.');
  expect(textOf((await poller.get(taskId)).result!)).toBe('Paid.');
  expect(paid).toHaveLength(1);
});

it('T21 ends with `changed` if the arguments mean something else', async () => {
  const { desk, store, notified } = testDesk({ tasks: true });
  const paid: unknown[] = [];
  const tool = (currency: string) =>
    defineTool(
      'pay',
      {
        inputSchema: PayInput.extend({ currency: z.string().default(currency) }),
        resolve: { pair },
        approvals: desk,
        once: store,
      },
      (values) => {
        paid.push(values);
        return 'Paid.';
      },
    );
  const { taskId } = await pollerOf(tool('EUR')).call();
  await desk.decide(notified[0]!, yes('bob'));
  const later = pollerOf(tool('BTC'));
  const task = await later.get(taskId);
  expect(waitingOf(task.result!)).toMatchObject({ state: 'refused', why: 'changed' });
  expect((await pollerOf(tool('EUR')).get(taskId)).result).toEqual(task.result);
  expect(paid).toEqual([]);
});

it('T21 ends with `changed` if the tool has another desk', async () => {
  const { tool, desk, store, notified, paid } = taskBank();
  const { taskId } = await pollerOf(tool).call();
  await desk.decide(notified[0]!, yes('bob'));
  const moved = taskBank();
  // The desk still serves another tool of the server.
  const settle = defineTool('settle', { approvals: desk, once: store }, () => 'Settled.');
  const after = (server: McpServer) => {
    install(server, [settle], { seal: BY_HEADER, logger: SILENT });
  };
  const task = await pollerOf(moved.tool, { after }).get(taskId);
  expect(waitingOf(task.result!)).toMatchObject({ state: 'refused', why: 'changed' });
  expect((await pollerOf(tool).get(taskId)).result).toEqual(task.result);
  expect([...paid, ...moved.paid]).toEqual([]);
});

it('T21 ends with `changed` if a value of the body has changed', async () => {
  let iban = 'DE1';
  const account = resolver({ cents: args.cents }, () => ({ iban }));
  const { tool, desk, notified, paid } = taskBank({ resolve: { account, pair } });
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  await desk.decide(notified[0]!, yes('bob'));
  iban = 'DE2';
  const task = await poller.get(taskId);
  expect(waitingOf(task.result!)).toMatchObject({ state: 'refused', why: 'changed' });
  expect(await poller.get(taskId)).toEqual(task);
  expect(paid).toEqual([]);
});

/** A store whose steps fail while the test says so. */
function breakable() {
  const inner = memoryStore();
  const broken: { fails: (step: 'get' | 'put', key: string) => boolean } = { fails: () => false };
  const orFail = <T>(step: 'get' | 'put', key: string, run: () => Promise<T>): Promise<T> =>
    broken.fails(step, key) ? Promise.reject(new Error('connection lost')) : run();
  const store: RecordStore = {
    ...inner,
    get: (key) => orFail('get', key, () => inner.get(key)),
    put: (key, value, how) => orFail('put', key, () => inner.put(key, value, how)),
  };
  return { store, broken };
}

it('T22 fails while the store is unreachable, and the next poll continues', async () => {
  const { store, broken } = breakable();
  const reported: unknown[] = [];
  const { tool, desk, notified, paid } = taskBank({}, { store });
  const poller = pollerOf(tool, { reported });
  const { taskId } = await poller.call();
  await desk.decide(notified[0]!, yes('bob'));
  for (const failing of [/^call/, /^once/]) {
    broken.fails = (_, key) => failing.test(key);
    expect(await poller.error('tasks/get', { taskId })).toEqual({
      code: -32_603,
      message: 'Internal error',
    });
  }
  expect(reported.length).toBeGreaterThan(0);
  broken.fails = () => false;
  expect((await poller.get(taskId)).status).toBe('completed');
  expect(paid).toHaveLength(1);
});

it('T27 stays readable until an identical call gets a new handle', async () => {
  const { tool, desk, notified, clock } = taskBank();
  const poller = pollerOf(tool);
  const first = await poller.call();
  await desk.decide(notified[0]!, yes('bob'));
  const done = await poller.get(first.taskId);
  clock.now = Date.parse(done.createdAt) + done.ttlMs - 1;
  expect(await poller.get(first.taskId)).toEqual(done);
  // Another client asks for the same payment again. The old handle stays.
  expect(waitingOf(await pollerOf(tool, { capabilities: {} }).call()).state).toBe('pending');
  expect(await poller.get(first.taskId)).toEqual(done);
  const second = await poller.call();
  expect(second.taskId).not.toBe(first.taskId);
  expect(await poller.error('tasks/get', { taskId: first.taskId })).toMatchObject({
    code: -32_602,
  });
  expect((await poller.get(second.taskId)).status).toBe('working');
});

it('T27 keeps its result if a later call gives its claim back', async () => {
  const { store, broken } = breakable();
  const { tool, desk, notified, paid, clock } = taskBank({}, { store });
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  await desk.decide(notified[0]!, yes('bob'));
  const done = await poller.get(taskId);
  clock.now = Date.parse(done.createdAt) + done.ttlMs - 1;
  const retrying = pollerOf(tool, { capabilities: {} });
  await retrying.call();
  await desk.decide(notified[1]!, yes('bob'));
  broken.fails = (step, key) => step === 'put' && key.startsWith('once');
  expect(await retrying.call()).toMatchObject({ isError: true });
  broken.fails = () => false;
  expect(await poller.get(taskId)).toEqual(done);
  expect(textOf(await retrying.call())).toBe('Paid.');
  expect(paid).toHaveLength(2);
});

it('ends if the request expires or is withdrawn', async () => {
  const { tool, desk, notified, clock } = taskBank();
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  await desk.withdraw(notified[0]!, { who: 'ann' });
  const withdrawn = await poller.get(taskId);
  expect(waitingOf(withdrawn.result!)).toMatchObject({ state: 'refused', why: 'changed' });
  const next = await poller.call();
  clock.now += DAY;
  const expired = await poller.get(next.taskId);
  expect(waitingOf(expired.result!)).toMatchObject({ state: 'refused', why: 'changed' });
  expect(await poller.get(next.taskId)).toEqual(expired);
});

it('asks for a second approval that depends on the first', async () => {
  const second = resolver(
    { pair, cents: args.cents },
    () =>
      approval('Pay abroad', {
        facts: {},
        by: 'acme/board',
        requester: 'ann',
      }),
    { asks: 'approval' },
  );
  const { tool, desk, notified, paid } = taskBank({ resolve: { pair, second } });
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  await desk.decide(notified[0]!, yes('bob'));
  expect((await poller.get(taskId)).status).toBe('working');
  expect(notified).toHaveLength(2);
  await desk.decide(notified[1]!, yes('carol', ['acme/board']));
  expect((await poller.get(taskId)).status).toBe('completed');
  expect(paid).toHaveLength(1);
});
