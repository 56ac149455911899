/** The round that a poll starts: what its body can reach, and how late it may run. */
import { confirm, defineTool, memoryStore, resolver } from 'mcp-resolve';
import { afterEach, expect, it, vi } from 'vitest';

import { deferred } from '../../support/deferred.js';
import { textOf } from '../../support/results.js';
import { INVOICE, PayInput, secondPair } from '../bank.js';
import { HOUR, testDesk, yes } from '../callers.js';
import { FORMS_AND_TASKS, pollerOf, taskBank } from './poller.js';

const YES = { action: 'accept', content: { confirm: true } };
const pair = secondPair();
const before = resolver({}, () => confirm('Are you sure?'), { asks: 'form' });
const afterwards = resolver({ pair }, () => confirm('Pay it now?'), { asks: 'form' });

afterEach(() => {
  vi.useRealTimers();
});

it('lets a body log and notify after the client of its poll has gone', async () => {
  const { desk, store, notified } = testDesk({ tasks: true });
  const [started, gone] = [deferred(), deferred()];
  const seen: unknown[] = [];
  const tool = defineTool(
    'pay',
    { inputSchema: PayInput, resolve: { pair }, approvals: desk, once: store },
    async (_, { mcpReq, signal }) => {
      seen.push(mcpReq._meta?.progressToken, signal.aborted);
      started.resolve();
      await gone.promise;
      const params = { progressToken: 'p', progress: 1 };
      await mcpReq.notify({
        method: 'notifications/progress',
        params,
      });
      await mcpReq.log('info', 'Paid.');
      seen.push(signal.aborted);
      return 'Paid.';
    },
  );
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  await desk.decide(notified[0]!, yes('bob'));
  const client = new AbortController();
  const params = { taskId, _meta: { progressToken: 'p' } };
  const left = poller.send('tasks/get', params, { signal: client.signal }).catch(() => undefined);
  await started.promise;
  client.abort();
  await left;
  const next = poller.get(taskId);
  gone.resolve();
  expect(textOf((await next).result!)).toBe('Paid.');
  expect(seen).toEqual([undefined, false, false]);
});

it('goes on with the answers of the caller when the sealed hour of its state is over', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const store = memoryStore();
  const { tool, desk, notified, paid } = taskBank(
    { resolve: { before, pair, afterwards } },
    { store, now: () => Date.now() },
  );
  const poller = pollerOf(tool, { capabilities: FORMS_AND_TASKS });
  const { requestState } = (await poller.call()) as { requestState?: string };
  const { body } = await poller.send('tools/call', {
    name: 'pay',
    arguments: INVOICE,
    requestState,
    inputResponses: { before: YES },
  });
  const { taskId } = body.result as { taskId: string };
  vi.setSystemTime(Date.now() + 9 * HOUR);
  await desk.decide(notified[0]!, yes('bob'));
  const [key = ''] = Object.keys((await poller.get(taskId)).inputRequests!);
  vi.setSystemTime(Date.now() + 9 * HOUR);
  await poller.update(taskId, { [key]: YES });
  expect((await poller.get(taskId)).status).toBe('completed');
  expect(paid).toMatchObject([{ before: true, afterwards: true }]);
});

it('never advises the model to repeat a call that has a handle', async () => {
  const { tool, desk, notified } = taskBank({
    resolve: { pair, second: secondPair({ by: 'acme/legal' }) },
  });
  const poller = pollerOf(tool);
  const handle = await poller.call();
  await desk.decide(notified[0]!, yes('bob'));
  const polled = await poller.get(handle.taskId);
  for (const { status, statusMessage } of [handle, polled]) {
    expect(status).toBe('working');
    expect(statusMessage).toContain('waits for approval');
    expect(statusMessage).not.toMatch(/same call/);
  }
  expect(polled.statusMessage).not.toBe(handle.statusMessage);
});
