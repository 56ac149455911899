/** Handles of calls that wait: who gets one, and how it ends. */
import { memoryStore, resolver } from 'mcp-resolve';
import { expect, it } from 'vitest';

import { INVOICE, secondPair, waitingOf } from '../bank.js';
import { DAY, yes } from '../callers.js';
import { pollerOf, taskBank } from './poller.js';

it('T1 gives a handle to a client that declares tasks', async () => {
  const { tool, notified, clock } = taskBank();
  const handle = await pollerOf(tool).call();
  expect(handle).toMatchObject({
    resultType: 'task',
    taskId: expect.stringMatching(/^parked-[\w-]{43}-[\w-]{22}$/) as string,
    status: 'working',
    createdAt: new Date(clock.now).toISOString(),
    lastUpdatedAt: new Date(clock.now).toISOString(),
    ttlMs: DAY,
    pollIntervalMs: 5000,
    statusMessage: `This call waits for approval ${notified[0]} by acme/treasury (0 of 1 given), until 2026-11-20T00:00:00.000Z at most. Nothing has been done yet.`,
  });
  for (const absent of ['content', 'isError', 'requestState', 'inputRequests'])
    expect(handle).not.toHaveProperty(absent);
});

it('T2 gives the retry text to a client that does not declare tasks', async () => {
  const { tool } = taskBank();
  const waiting = waitingOf(await pollerOf(tool, { capabilities: {} }).call());
  expect(waiting.text).toContain('Make the same call again later');
});

it('T3 gives one handle and notifies once for ten first calls', async () => {
  const { tool, notified } = taskBank();
  const poller = pollerOf(tool);
  const handles = await Promise.all(Array.from({ length: 10 }, () => poller.call()));
  expect(new Set(handles.map(({ taskId }) => taskId)).size).toBe(1);
  expect(notified).toHaveLength(1);
});

it('T5 reads the store once for an undecided poll, and runs nothing', async () => {
  const steps: string[] = [];
  let resolvers = 0;
  const inner = memoryStore();
  const store = {
    ...inner,
    get: (key: string) => {
      steps.push(`get ${key.split('/')[0]}`);
      return inner.get(key);
    },
    put: (...step: Parameters<typeof inner.put>) => {
      steps.push('put');
      return inner.put(...step);
    },
  };
  const counted = resolver({}, () => (resolvers += 1));
  const { tool } = taskBank(
    { guards: [], resolve: { counted, secondPair: secondPair() } },
    { store },
  );
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  steps.length = 0;
  resolvers = 0;
  expect(await poller.get(taskId)).toMatchObject({
    resultType: 'complete',
    taskId,
    status: 'working',
  });
  expect(steps).toEqual(['get call']);
  expect(resolvers).toBe(0);
});

it('T6 runs the body in the poll after the approval', async () => {
  const { tool, desk, notified, paid } = taskBank();
  const poller = pollerOf(tool);
  const { taskId } = await poller.call();
  expect(await desk.decide(notified[0]!, yes('bob'))).toMatchObject({ counted: true });
  const task = await poller.get(taskId);
  expect(task).toMatchObject({
    resultType: 'complete',
    taskId,
    status: 'completed',
    result: { resultType: 'complete', content: [{ type: 'text', text: 'Paid.' }] },
  });
  expect(paid).toMatchObject([INVOICE]);
  expect(await poller.get(taskId)).toEqual(task);
  expect(paid).toHaveLength(1);
});

it('requires `once` on a tool whose desk gives handles', () => {
  expect(() => taskBank({ once: undefined as never })).toThrow(
    new TypeError(
      "Tool 'pay': its desk has `tasks: true`, so clients poll for the result of an approved call, and `once` keeps it. Add `once: store`.",
    ),
  );
});
