/** Tests calls that wait for an approval with the client of the Tasks extension, over HTTP. */
import { memoryStore } from 'mcp-resolve';
import type { RecordStore } from 'mcp-resolve/store';
import { afterAll, describe, expect, it } from 'vitest';

import { INVOICE, type PayOptions } from '../../test/approvals/bank.js';
import { no, yes } from '../../test/approvals/callers.js';
import { countsOf } from '../support/counts.js';
import { versionOf, writeReport } from '../support/report.js';
import { ASKS_AFTERWARDS, FAILS, serveTasks } from '../support/taskBank.js';
import type { OpenTaskSession, TaskSessionOptions } from './taskSession.js';

const SUITE = '@modelcontextprotocol/ext-tasks';

const accepting = () => ({ action: 'accept', content: { confirm: true } }) as const;
const paidText = { content: [{ type: 'text', text: 'Paid.' }] };

/** A variable, because the compiler of the root does not have the packages of this program. */
const PROGRAM = ['./programs', 'extTasks.ts'].join('/');

const opened: (() => Promise<void>)[] = [];

/** Serves a bank over HTTP, with a client of the SDK that can open sessions. */
async function serve(pay: Partial<PayOptions> = {}, store: RecordStore = memoryStore()) {
  const bank = await serveTasks(pay, store);
  opened.push(() => bank.close());
  const { client, url, desk, notified } = bank;
  const { open } = (await import(PROGRAM)) as { open: OpenTaskSession };
  return {
    ...bank,
    open: (options?: Omit<TaskSessionOptions, 'url'>) => open(client, { url, ...options }),
    openOnSdk: () => open(client),
    approve: () => desk.decide(notified[0]!, yes('bob')),
  };
}

// The client waits five seconds before its first poll, so the tests wait at the same time.
describe.concurrent(SUITE, () => {
  it('gets a handle, polls until the approval, and shows the result', async () => {
    const { open, approve, paid } = await serve();
    const session = open();
    const call = await session.callTool('pay', INVOICE);
    expect(call.kind).toBe('task');
    const { taskId } = call.handle!;
    expect(await session.poll(taskId)).toMatchObject({
      status: 'working',
      statusMessage: expect.stringContaining('approval') as string,
    });
    await approve();
    const { outcome } = await call.settle();
    expect(outcome).toMatchObject({ status: 'completed', result: paidText });
    expect(await session.poll(taskId)).toMatchObject({ status: 'completed' });
    expect(paid).toHaveLength(1);
    await session.close();
  });

  it('cancels, and the next call is new', async () => {
    const { open, approve, notified, paid } = await serve();
    const session = open();
    const call = await session.callTool('pay', INVOICE);
    await call.cancel();
    expect((await call.settle()).outcome).toMatchObject({ status: 'cancelled' });
    await expect(approve()).resolves.not.toMatchObject({ ok: true });
    const next = await session.callTool('pay', INVOICE);
    expect(next.handle!.taskId).not.toBe(call.handle!.taskId);
    expect(notified).toHaveLength(2);
    expect(paid).toEqual([]);
    await session.close();
  });

  it('shows a denial with its comment', async () => {
    const { open, desk, notified, paid } = await serve();
    const session = open();
    const call = await session.callTool('pay', INVOICE);
    await desk.decide(notified[0]!, no('bob', 'The invoice is a fake.'));
    const { outcome } = await call.settle();
    expect(outcome).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(JSON.stringify(outcome.result)).toContain('The invoice is a fake.');
    expect(paid).toEqual([]);
    await session.close();
  });

  it('answers a question that comes after the approval', async () => {
    const { open, approve, paid } = await serve(ASKS_AFTERWARDS);
    const asked: string[] = [];
    const session = open({
      answer: (message) => {
        asked.push(message);
        return accepting();
      },
    });
    const call = await session.callTool('pay', INVOICE);
    await approve();
    const { outcome } = await call.settle();
    expect(outcome).toMatchObject({ status: 'completed', result: paidText });
    expect(asked).toEqual(['Pay it now?']);
    expect(paid).toMatchObject([{ afterwards: true }]);
    await session.close();
  });

  it('cancels the question if its host has no handler, and the body does not run', async () => {
    const { open, approve, paid } = await serve(ASKS_AFTERWARDS);
    const session = open();
    const call = await session.callTool('pay', INVOICE);
    await approve();
    const { outcome } = await call.settle();
    expect(outcome).toMatchObject({ status: 'completed', result: { isError: true } });
    expect(JSON.stringify(outcome.result)).toContain('cancel');
    expect(paid).toEqual([]);
    await session.close();
  });

  it('shows a protocol error of the body as a failure', async () => {
    const { open, approve } = await serve(FAILS);
    const session = open();
    const call = await session.callTool('pay', INVOICE);
    await approve();
    const { outcome } = await call.settle();
    expect(outcome).toMatchObject({ status: 'failed', error: { code: -32_000 } });
    await session.close();
  });

  it('stops at one failure of the store, and a later session goes on', async () => {
    const store = memoryStore();
    let isDown = false;
    const failing: RecordStore = {
      get: async (key) => {
        if (isDown) throw new Error('The store is down.');
        return store.get(key);
      },
      put: (...step) => store.put(...step),
    };
    const { open, approve, paid } = await serve({}, failing);
    const session = open();
    const call = await session.callTool('pay', INVOICE);
    await approve();
    isDown = true;
    expect((await call.settle()).outcome).toMatchObject({
      status: 'failed',
      error: { code: -32_603 },
    });
    expect(paid).toEqual([]);
    await session.close();
    isDown = false;
    const later = open();
    const { outcome } = await (await later.resume(call.handle!.taskId)).settle();
    expect(outcome).toMatchObject({ status: 'completed', result: paidText });
    expect(paid).toHaveLength(1);
    await later.close();
  });

  it('refuses to open a session that leaves its requests to the SDK', async () => {
    const { openOnSdk } = await serve();
    expect(openOnSdk).toThrow('requires options.rawDispatch');
  });

  it('parks the call of a plain SDK client, which cannot read the handle', async () => {
    const { client, approve, notified, paid } = await serve();
    const call = () => client.callTool({ name: 'pay', arguments: INVOICE });
    await expect(call()).rejects.toMatchObject({ code: 'UNSUPPORTED_RESULT_TYPE' });
    expect(notified).toHaveLength(1);
    expect(paid).toEqual([]);
    await approve();
    expect(await call()).toMatchObject(paidText);
    expect(paid).toHaveLength(1);
  });
});

afterAll(async () => {
  for (const close of opened.splice(0)) await close();
});

afterAll(({}, file) => {
  const counts = countsOf(file, SUITE);
  if (counts.failed > 0) return;
  const packages = new URL('node_modules/@modelcontextprotocol/', import.meta.url);
  writeReport('tasks', 'npm test -- peers', [
    {
      peer: SUITE,
      version: versionOf(new URL('ext-tasks/', packages)),
      over: '2026-07-28, HTTP',
      saw: 'handles, polls, results, denials, cancelled tasks, failures, and forms after the approval; needs `rawDispatch`; it cancels a form without a handler, and stops at one error of the store, after which another session can go on; a client of the SDK that declares tasks without it gets `UNSUPPORTED_RESULT_TYPE`, and runs the approved call with its next attempt',
      ...counts,
    },
  ]);
});
