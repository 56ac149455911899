/**
 * Repeated rounds of a completed call. The client receives the recorded result byte for byte, and
 * nothing runs again.
 */
import { ProtocolError, UrlElicitationRequiredError } from '@modelcontextprotocol/server';
import { confirm, defineTool, elicit, memoryStore, resolver, ToolError } from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';
import type { RecordStore } from 'mcp-resolve/store';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { type Reply, tokenOf } from '../../sealing/desk.js';
import {
  answerOf,
  askedCall,
  type BankOptions,
  cancel,
  countOf,
  decline,
  inProgress,
  PAID,
  payTool,
  recordSteps,
  type Rounds,
  roundsOf,
  sharedSeal,
  unticked,
  until,
  yes,
} from './support.js';

/** Sends the first round of a call. Returns a function that sends the last one. */
async function lastRound(tool: Tool, options?: BankOptions): Promise<() => Promise<Reply>> {
  const { rounds, last } = await askedCall(tool, options);
  return () => rounds(last);
}

describe('a client that repeats the last round', () => {
  test('receives the recorded result, and neither body nor resolvers run', async () => {
    const { tool, runs } = payTool(memoryStore());
    const send = await lastRound(tool);
    const first = await send();
    expect(answerOf(first)).toEqual(PAID);
    expect(runs).toEqual(['due', 'approved', 'due', 'approved', 'body']);

    for (let time = 0; time < 3; time += 1) expect((await send()).text).toBe(first.text);
    expect(runs).toHaveLength(5);
  });

  test('runs the body again if the tool has no once', async () => {
    const { tool, runs } = payTool(undefined, () => `Paid ${countOf(runs, 'body')} times.`);
    const send = await lastRound(tool);
    expect(answerOf(await send())).toEqual({ text: 'Paid 1 times.' });
    expect(answerOf(await send())).toEqual({ text: 'Paid 2 times.' });
  });

  test('ten times at the same time runs the body once', async () => {
    const { tool, runs } = payTool(memoryStore());
    const send = await lastRound(tool);
    const replies = await Promise.all(Array.from({ length: 10 }, send));
    expect(countOf(runs, 'body')).toBe(1);

    for (const reply of replies) expect([PAID, inProgress('pay')]).toContainEqual(answerOf(reply));
    expect(replies.map(answerOf)).toContainEqual(PAID);
    expect(answerOf(await send())).toEqual(PAID);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('ten times at the same time receives ten equal results if the tool has waitMs', async () => {
    const { store, taken } = recordSteps();
    const { tool, runs } = payTool({ store, waitMs: 15_000 }, async () => {
      // Each request reads once, and a waiting request reads again.
      await until(() => taken.filter(({ step }) => step === 'read').length > 10);
      return PAID.text;
    });
    const send = await lastRound(tool);
    const texts = (await Promise.all(Array.from({ length: 10 }, send))).map(({ text }) => text);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain(PAID.text);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('at another server with the same store receives the recorded result', async () => {
    const store = memoryStore({ singleProcess: true });
    const here = payTool(store, () => 'Paid here.');
    const there = payTool(store, () => 'Paid there.');
    const [atHere, atThere] = [here, there].map(({ tool }) =>
      roundsOf(tool, { seal: sharedSeal() }),
    ) as [Rounds, Rounds];
    const token = tokenOf(await atHere());
    const first = await atThere({ token, answers: { approved: yes } });
    expect(answerOf(first)).toEqual({ text: 'Paid there.' });
    expect((await atHere({ token, answers: { approved: yes } })).text).toBe(first.text);
    expect([countOf(here.runs, 'body'), countOf(there.runs, 'body')]).toEqual([0, 1]);
  });
});

/** Creates a tool that asks two questions in sequence, and records what runs. */
function transferTool(once: RecordStore): { tool: Tool; runs: string[] } {
  const runs: string[] = [];
  const amount = resolver(
    {},
    () => {
      runs.push('amount');
      return elicit('How much?', z.object({ cents: z.number() }));
    },
    { asks: 'form' },
  );
  const approved = resolver(
    { amount },
    (values) => {
      runs.push('approved');
      return confirm(`Transfer ${values.amount.cents} cents?`);
    },
    { asks: 'form' },
  );
  const tool = defineTool('transfer', { resolve: { amount, approved }, once }, (values) => {
    runs.push('body');
    return `Transferred ${values.amount.cents} cents.`;
  });
  return { tool, runs };
}

describe('every token of a completed call', () => {
  const AMOUNT = { amount: accept({ cents: 4800 }) };

  const ANSWERS: Readonly<Record<string, Record<string, unknown> | undefined>> = {
    'the same answers': { ...AMOUNT, approved: yes },
    'no answers': undefined,
    'an empty object of answers': {},
    'another answer': { amount: accept({ cents: 1 }), approved: yes },
    'a refusal': { amount: decline, approved: decline },
    'a cancellation': { amount: cancel, approved: cancel },
    'an unticked box': { ...AMOUNT, approved: unticked },
    'answers of the wrong shape': { amount: accept({ cents: 'many' }), approved: accept({}) },
    'answers with an unknown action': { amount: { action: 'banana' }, approved: 'yes' },
    'an answer to an unknown question': { ghost: yes },
  };

  test.each(Object.entries(ANSWERS))('returns the recorded result, with %s', async (_, answers) => {
    const { tool, runs } = transferTool(memoryStore());
    const rounds = roundsOf(tool);
    const first = tokenOf(await rounds());
    const second = tokenOf(await rounds({ token: first, answers: AMOUNT }));
    const end = await rounds({ token: second, answers: { approved: yes } });
    expect(answerOf(end)).toEqual({ text: 'Transferred 4800 cents.' });
    const ran = runs.length;

    for (const token of [first, second]) {
      const again = await rounds({ token, ...(answers && { answers }) });
      expect(again.text).toBe(end.text);
    }
    expect(runs).toHaveLength(ran);
  });

  test('returns that result, also if it belongs to another branch of answers', async () => {
    const { tool, runs } = transferTool(memoryStore());
    const rounds = roundsOf(tool);
    const first = tokenOf(await rounds());
    const small = tokenOf(await rounds({ token: first, answers: AMOUNT }));
    const large = tokenOf(
      await rounds({ token: first, answers: { amount: accept({ cents: 9_999_999 }) } }),
    );
    const end = await rounds({ token: small, answers: { approved: yes } });
    const other = await rounds({ token: large, answers: { approved: yes } });
    expect(other.text).toBe(end.text);
    expect(answerOf(other)).toEqual({ text: 'Transferred 4800 cents.' });
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('does not affect another call, which runs', async () => {
    const { tool, runs } = transferTool(memoryStore());
    const rounds = roundsOf(tool);
    for (const cents of [1, 2]) {
      const first = tokenOf(await rounds());
      const amount = accept({ cents });
      const second = tokenOf(await rounds({ token: first, answers: { amount } }));
      const end = await rounds({ token: second, answers: { approved: yes } });
      expect(answerOf(end)).toEqual({ text: `Transferred ${cents} cents.` });
    }
    expect(countOf(runs, 'body')).toBe(2);
  });
});

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('the recorded result has the same bytes on the wire', () => {
  const throws = (error: Error) => (): never => {
    throw error;
  };

  /** The bytes of a reply without the id of the call, which the result of an unexpected error has. */
  const withoutCallId = ({ text }: Reply): string =>
    text.replace(/"mcp-resolve\/callId":"[\w-]{22}"/, '');

  const BODIES: Readonly<Record<string, () => unknown>> = {
    'for a string': () => PAID.text,
    'for an empty string': () => '',
    'for an empty content array': () => ({ content: [] }),
    'for characters of all lengths': () => 'aé\u2028\u2029€😀𝒳\u0000\u007f\\"/ \ufeff',
    'for a lone surrogate': () => 'a\ud83dz',
    'for an image, a sound, a link and embedded resources': () => ({
      content: [
        { type: 'text', text: 'Receipt', annotations: { audience: ['user'], priority: 0.5 } },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
        { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'pay://1', mimeType: 'text/plain', text: 'é' } },
        { type: 'resource', resource: { uri: 'pay://2', blob: PIXEL } },
        { type: 'resource_link', uri: 'pay://3', name: 'third', _meta: { size: 3 } },
      ],
    }),
    'for structured content': () => ({
      content: [{ type: 'text', text: 'see below' }],
      structuredContent: { z: 1, a: [{ '10': 'x', '9': 'y' }], n: 1e21, small: 5e-324, no: null },
    }),
    'for a property named __proto__': () => ({
      content: [],
      structuredContent: JSON.parse('{"__proto__":{"a":1},"b":2}') as unknown,
    }),
    'for values that JSON writes differently': () => ({
      content: [],
      structuredContent: { at: new Date(0), gone: undefined, list: [undefined], minus: -0 },
    }),
    'for a result with _meta': () => ({
      content: [{ type: 'text', text: 'x', _meta: { 'example.com/line': 7 } }],
      _meta: { 'example.com/receipt': { id: 'R-1' }, 'example.com/none': null },
    }),
    'for an error that the body returned': () => ({
      content: [{ type: 'text', text: 'The bank said no.' }],
      isError: true,
    }),
    'for a ToolError': throws(new ToolError('the account is empty')),
    'for an unexpected error': throws(new TypeError('cannot read "iban" of undefined')),
    'for a body that returned undefined': () => undefined,
    'for a protocol error': throws(new ProtocolError(-32602, 'no such account')),
    'for a protocol error with data': throws(
      new ProtocolError(-32099, 'locked', { until: 'noon', by: ['é', null] }),
    ),
    'for a protocol error whose data the SDK knows in part': throws(
      new ProtocolError(-32002, 'gone', { uri: 'pay://1', since: 'noon' }),
    ),
    'for a UrlElicitationRequiredError': throws(
      new UrlElicitationRequiredError(
        [{ mode: 'url', message: 'Log in', url: 'https://bank.test/', elicitationId: '1' }],
        'log in first',
      ),
    ),
  };

  test.each(Object.entries(BODIES))('%s', async (_, body) => {
    const { tool, runs } = payTool(memoryStore(), body);
    const send = await lastRound(tool);
    const [first, second, third] = [await send(), await send(), await send()];
    expect(second.text).toBe(first.text);
    expect(third.text).toBe(first.text);
    expect(countOf(runs, 'body')).toBe(1);

    const without = await lastRound(payTool(undefined, body).tool);
    expect(withoutCallId(first)).toBe(withoutCallId(await without()));
  });

  test('for a tool with an output schema', async () => {
    const Receipt = z.object({ cents: z.number(), lines: z.array(z.string()) });
    const approved = resolver({}, () => confirm('Pay?'), { asks: 'form' });
    let paid = 0;
    const tool = defineTool(
      'pay',
      { outputSchema: Receipt, resolve: { approved }, once: memoryStore() },
      () => ({ lines: ['é', '"'], cents: ++paid, secret: 'dropped' }),
    );
    const send = await lastRound(tool);
    const first = await send();
    expect(first.result).toMatchObject({ structuredContent: { cents: 1, lines: ['é', '"'] } });
    expect(first.text).not.toContain('dropped');
    expect((await send()).text).toBe(first.text);
    expect(paid).toBe(1);
  });

  test('for an unexpected error, which the server reports once', async () => {
    const { tool } = payTool(memoryStore(), throws(new Error('secret-detail')));
    const reported: string[] = [];
    const send = await lastRound(tool, {
      onerror: ({ message }) => void reported.push(message),
    });
    const first = await send();
    expect(answerOf(first)).toEqual({ text: 'Error executing tool pay', isError: true });
    expect((await send()).text).toBe(first.text);
    expect(reported).toEqual(['secret-detail']);
  });
});
