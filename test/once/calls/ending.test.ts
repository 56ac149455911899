/**
 * The end of a call: the server validates the output, disposes of values, records the result and
 * then sends it.
 */
import { confirm, defineTool, memoryStore, resolver, ToolError } from 'mcp-resolve';
import type { RecordStore } from 'mcp-resolve/store';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { tokenOf } from '../../sealing/desk.js';
import { deferred } from '../../support/deferred.js';
import {
  answerOf,
  askedCall,
  bank,
  countOf,
  inProgress,
  payTool,
  recordSteps,
  roundsAt,
  sendAbortable,
  until,
  withStep,
  yes,
} from './support.js';
import { aroundSteps } from './steps.js';

/** The options of {@link endingTool}. */
interface EndingOptions {
  readonly body?: () => number;
  /** The ending with which disposing throws. */
  readonly throwsUnder?: string;
  readonly store?: RecordStore;
}

/** Creates a tool with a transaction that logs all steps of its end. */
function endingTool({ body = () => 48, throwsUnder, store = memoryStore() }: EndingOptions) {
  const log: string[] = [];
  const approved = resolver({}, () => confirm('Pay?'), { asks: 'form' });
  const transaction = resolver({ approved }, () => 'transaction', {
    dispose: async (_, end) => {
      await Promise.resolve();
      log.push(`dispose: ${end}`);
      if (end === throwsUnder) throw new ToolError('the commit failed');
    },
  });
  const Output = z.object({ cents: z.number().positive() }).refine(() => log.push('validate') > 0);
  const once = aroundSteps(store, ({ step }, take) => {
    if (step !== 'read') log.push(step);
    return take();
  });
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

function circularObject(): object {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  return circular;
}

describe('a call', () => {
  test('ends in the order claim, body, validation, disposal, record', async () => {
    const { tool, log } = endingTool({});
    const { rounds, last } = await askedCall(tool);
    const first = await rounds(last);
    expect(first.result).toMatchObject({ structuredContent: { cents: 48 } });
    const order = ['claim', 'body', 'validate', 'dispose: completed', 'finish'];
    expect(log).toEqual(order);
    expect((await rounds(last)).text).toBe(first.text);
    expect(log).toEqual(order);
  });

  test('is recorded before its result is sent', async () => {
    const recording = deferred();
    const release = deferred();
    const memory = memoryStore();
    const { store, taken } = recordSteps(memory);
    const slow = async (take: () => Promise<unknown>) => {
      recording.resolve();
      await release.promise;
      return take();
    };
    const { tool } = payTool(withStep('finish', slow, store));
    const { rounds, last } = await askedCall(tool);
    let answered = false;
    const first = rounds(last).finally(() => {
      answered = true;
    });
    await recording.promise;
    // Meanwhile the server answers other requests.
    for (let time = 0; time < 5; time += 1) {
      expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
    }
    expect(answered).toBe(false);
    release.resolve();
    await first;
    const { id } = taken[0]!;
    expect(JSON.parse((await memory.get(`once:${id}`)) ?? '')).toMatchObject({ state: 'done' });
  });
});

describe('the record of a call contains the error of', () => {
  test('a disposal that throws after the body completed', async () => {
    const { tool, log } = endingTool({ throwsUnder: 'completed' });
    const { rounds, last } = await askedCall(tool);
    const first = await rounds(last);
    expect(answerOf(first)).toEqual({
      text: 'Error executing tool pay: the commit failed',
      isError: true,
    });
    const end = ['claim', 'body', 'validate', 'dispose: completed', 'finish'];
    expect(log).toEqual(end);
    expect((await rounds(last)).text).toBe(first.text);
    expect(log).toEqual(end);
  });

  test('an output that does not match its schema', async () => {
    const { tool, log } = endingTool({ body: () => -1 });
    const reported: string[] = [];
    const { rounds, last } = await askedCall(tool, {
      onerror: ({ message }) => void reported.push(message),
    });
    const first = await rounds(last);
    expect(answerOf(first)).toEqual({ text: 'Error executing tool pay', isError: true });
    expect(reported).toEqual([
      "The result of 'pay' does not match `outputSchema` (field 'cents').",
    ]);
    expect(log).toEqual(['claim', 'body', 'validate', 'dispose: failed', 'finish']);
    expect((await rounds(last)).text).toBe(first.text);
    expect(countOf(log, 'body')).toBe(1);
  });

  test.each([
    ['a bigint', { cents: 48n }],
    ['a circular object', circularObject()],
  ])('a result that is not JSON, because it contains %s', async (_, structuredContent) => {
    const { tool, runs } = payTool(memoryStore(), () => ({ content: [], structuredContent }));
    const { rounds, last } = await askedCall(tool);
    const first = await rounds(last);
    expect(answerOf(first)).toMatchObject({ isError: true });
    expect((await rounds(last)).text).toBe(first.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('a body that throws, also if a disposal throws after it', async () => {
    const body = (): never => {
      throw new ToolError('the account is empty');
    };
    const { tool, log } = endingTool({ body, throwsUnder: 'failed' });
    const reported: string[] = [];
    const { rounds, last } = await askedCall(tool, {
      onerror: ({ message }) => void reported.push(message),
    });
    const first = await rounds(last);
    expect(answerOf(first)).toEqual({
      text: 'Error executing tool pay: the account is empty',
      isError: true,
    });
    expect(reported).toEqual(['the commit failed']);
    expect((await rounds(last)).text).toBe(first.text);
    expect(log).toEqual(['claim', 'body', 'dispose: failed', 'finish']);
  });
});

test('a request that loses the claim disposes of its values as failed', async () => {
  const started = deferred();
  const release = deferred();
  const approved = resolver({}, () => confirm('Pay?'), { asks: 'form' });
  const ends: string[] = [];
  const transaction = resolver({ approved }, () => 'transaction', {
    dispose: (_, end) => void ends.push(end),
  });
  // Simulates a second request that reads before the first one claims.
  let reads = 0;
  const early = (take: () => Promise<unknown>) => (++reads <= 2 ? undefined : take());
  const tool = defineTool(
    'pay',
    { resolve: { transaction }, once: withStep('read', early) },
    async () => {
      started.resolve();
      await release.promise;
      return 'paid';
    },
  );
  const { rounds, last } = await askedCall(tool);
  const first = rounds(last);
  await started.promise;
  expect(answerOf(await rounds(last))).toEqual(inProgress('pay'));
  expect(ends).toEqual(['failed']);
  release.resolve();
  expect(answerOf(await first)).toEqual({ text: 'paid' });
  expect(ends).toEqual(['failed', 'completed']);
});

describe('a client that disconnects while the body runs', () => {
  /** Sends the last round, disconnects while the body runs, and sends the round again. */
  async function reconnect(body: (signal: AbortSignal) => Promise<string>) {
    const started = deferred();
    const { store, taken } = recordSteps();
    const { tool, runs } = payTool(store, async ({ signal }) => {
      started.resolve();
      return body(signal);
    });
    const factory = bank([tool]);
    const rounds = roundsAt(factory, 'pay');
    const token = tokenOf(await rounds());
    const { abort, ended } = await sendAbortable(factory, token);
    await started.promise;
    abort();
    await ended;
    await until(() => taken.at(-1)?.step === 'finish');
    const again = await rounds({ token, answers: { approved: yes } });
    expect(countOf(runs, 'body')).toBe(1);
    return answerOf(again);
  }

  test('receives the result later if the body continues', async () => {
    const again = await reconnect(async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'Paid all the same.';
    });
    expect(again).toEqual({ text: 'Paid all the same.' });
  });

  test('receives the error later if the body throws', async () => {
    const again = await reconnect(async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new ToolError('rolled back');
    });
    expect(again).toEqual({ text: 'Error executing tool pay: rolled back', isError: true });
  });
});
