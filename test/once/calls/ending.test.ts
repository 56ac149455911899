/**
 * At the end of a call its output is validated, its values disposed of, its end recorded, and then
 * it answers.
 */
import { confirm, defineTool, resolver, ToolError } from 'mcp-resolve';
import { memoryOnceStore } from 'mcp-resolve/once';
import type { OnceStore } from 'mcp-resolve/once';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { tokenOf } from '../../sealing/desk.js';
import { deferred } from '../../support/deferred.js';
import { connectClient } from '../../support/plainClient.js';
import {
  answerOf,
  bank,
  countOf,
  heard,
  inProgress,
  payTool,
  roundsAt,
  roundsOf,
  until,
  yes,
} from './support.js';

/** How a tool is made whose end is looked at. */
interface EndingOptions {
  readonly body?: () => number;
  /** What disposing throws, when it ends like this. */
  readonly throwsUnder?: string;
  readonly store?: OnceStore;
}

/** A tool with a transaction, that notes everything that happens at its end. */
function endingTool({ body = () => 48, throwsUnder, store = memoryOnceStore() }: EndingOptions) {
  const log: string[] = [];
  const approved = resolver({}, () => confirm('Pay?'));
  const transaction = resolver({ approved }, () => 'transaction', {
    dispose: async (_, end) => {
      await Promise.resolve();
      log.push(`dispose: ${end}`);
      if (end === throwsUnder) throw new ToolError('the commit failed');
    },
  });
  const Output = z.object({ cents: z.number().positive() }).refine(() => log.push('validate') > 0);
  const once: OnceStore = {
    ...store,
    claim: (id, lease) => {
      log.push('claim');
      return store.claim(id, lease);
    },
    finish: async (id, end) => {
      log.push('record');
      return store.finish(id, end);
    },
  };
  const tool = defineTool(
    'pay',
    { outputSchema: Output, resolve: { transaction }, once },
    async () => {
      log.push('body');
      return { cents: body() };
    },
  );
  return { tool, log };
}

function circle(): object {
  const one: Record<string, unknown> = {};
  one.self = one;
  return one;
}

describe('a call ends in order', () => {
  test('claim, body, validation, disposal, record', async () => {
    const { tool, log } = endingTool({});
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = await rounds(last);
    expect(first.result).toMatchObject({ structuredContent: { cents: 48 } });
    const order = ['claim', 'body', 'validate', 'dispose: completed', 'record'];
    expect(log).toEqual(order);
    expect((await rounds(last)).text).toBe(first.text);
    expect(log).toEqual(order);
  });

  test('the record is made before the answer goes out', async () => {
    const recording = deferred();
    const release = deferred();
    const memory = memoryOnceStore();
    const { store, taken } = heard(memory);
    const { tool } = payTool({
      ...store,
      finish: async (id, end) => {
        recording.resolve();
        await release.promise;
        return store.finish(id, end);
      },
    });
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    let answered = false;
    const first = rounds(last).finally(() => {
      answered = true;
    });
    await recording.promise;
    // Other requests are answered meanwhile.
    for (let time = 0; time < 5; time += 1) {
      expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
    }
    expect(answered).toBe(false);
    release.resolve();
    await first;
    const { id } = taken[0]!;
    expect(await memory.read(id)).toMatchObject({ state: 'done' });
  });
});

describe('what goes wrong at the end is recorded', () => {
  test('a disposal that throws under completed: a commit that failed does not read as success, ever', async () => {
    const { tool, log } = endingTool({ throwsUnder: 'completed' });
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = await rounds(last);
    expect(answerOf(first)).toEqual({
      text: 'Error executing tool pay: the commit failed',
      isError: true,
    });
    const end = ['claim', 'body', 'validate', 'dispose: completed', 'record'];
    expect(log).toEqual(end);
    expect((await rounds(last)).text).toBe(first.text);
    expect(log).toEqual(end);
  });

  test('an output that its schema does not take', async () => {
    const { tool, log } = endingTool({ body: () => -1 });
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = await rounds(last);
    expect(answerOf(first)).toMatchObject({ isError: true });
    expect(answerOf(first).text).toContain('the result does not match outputSchema');
    expect(log).toEqual(['claim', 'body', 'validate', 'dispose: failed', 'record']);
    expect((await rounds(last)).text).toBe(first.text);
    expect(countOf(log, 'body')).toBe(1);
  });

  test.each([
    ['a bigint', { cents: 48n }],
    ['a circle', circle()],
  ])('a result that is not JSON, with %s', async (_, structuredContent) => {
    const { tool, runs } = payTool(memoryOnceStore(), () => ({ content: [], structuredContent }));
    const rounds = roundsOf(tool);
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = await rounds(last);
    expect(answerOf(first)).toMatchObject({ isError: true });
    expect((await rounds(last)).text).toBe(first.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('a body that throws, and a disposal that throws after it', async () => {
    const body = (): never => {
      throw new ToolError('the account is empty');
    };
    const { tool, log } = endingTool({ body, throwsUnder: 'failed' });
    const reported: string[] = [];
    const rounds = roundsOf(tool, { onerror: ({ message }) => void reported.push(message) });
    const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
    const first = await rounds(last);
    expect(answerOf(first)).toEqual({
      text: 'Error executing tool pay: the account is empty',
      isError: true,
    });
    expect(reported).toEqual(['the commit failed']);
    expect((await rounds(last)).text).toBe(first.text);
    expect(log).toEqual(['claim', 'body', 'dispose: failed', 'record']);
  });
});

test('a request that loses the claim disposes of what its resolvers made, as failed', async () => {
  const started = deferred();
  const release = deferred();
  const approved = resolver({}, () => confirm('Pay?'));
  const ends: string[] = [];
  const transaction = resolver({ approved }, () => 'transaction', {
    dispose: (_, end) => void ends.push(end),
  });
  const memory = memoryOnceStore();
  const tool = defineTool(
    'pay',
    // What a second request would see that reads before the first one claims.
    { resolve: { transaction }, once: { ...memory, read: async () => undefined } },
    async () => {
      started.resolve();
      await release.promise;
      return 'paid';
    },
  );
  const rounds = roundsOf(tool);
  const last = { token: tokenOf(await rounds()), answers: { approved: yes } };
  const first = rounds(last);
  await started.promise;
  expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
  expect(ends).toEqual(['failed']);
  release.resolve();
  expect(answerOf(await first)).toEqual({ text: 'paid' });
  expect(ends).toEqual(['failed', 'completed']);
});

describe('a client that goes away while the body runs', () => {
  /** Sends the last round, and goes away when the body has begun. */
  async function abandoned(body: (signal: AbortSignal) => Promise<string>) {
    const started = deferred();
    const { store, taken } = heard();
    const { tool, runs } = payTool(store, async ({ signal }) => {
      started.resolve();
      return body(signal);
    });
    const factory = bank([tool]);
    const rounds = roundsAt(factory, 'pay');
    const chat = await connectClient('modern', factory, { elicit: [] });
    const token = tokenOf(await rounds());
    const user = new AbortController();
    const params = { name: 'pay', requestState: token, inputResponses: { approved: yes } };
    const call = chat.client.request({ method: 'tools/call', params }, { signal: user.signal });
    const ended = expect(call).rejects.toThrow();
    await started.promise;
    user.abort();
    await ended;
    await until(() => taken.at(-1)?.step === 'finish');
    const again = await rounds({ token, answers: { approved: yes } });
    expect(countOf(runs, 'body')).toBe(1);
    return answerOf(again);
  }

  test('gets the result when it comes back, if the body goes on', async () => {
    const again = await abandoned(async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'Paid all the same.';
    });
    expect(again).toEqual({ text: 'Paid all the same.' });
  });

  test('gets the error when it comes back, if the body gives up', async () => {
    const again = await abandoned(async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new ToolError('rolled back');
    });
    expect(again).toEqual({ text: 'Error executing tool pay: rolled back', isError: true });
  });
});
