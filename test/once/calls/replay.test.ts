/**
 * A client sends the last round of a call again, or an earlier one: it gets what the call answered,
 * byte for byte, and nothing runs.
 */
import { ProtocolError, UrlElicitationRequiredError } from '@modelcontextprotocol/server';
import { confirm, defineTool, elicit, resolver, ToolError } from 'mcp-resolve';
import type { Tool } from 'mcp-resolve';
import { memoryOnceStore } from 'mcp-resolve/once';
import type { OnceStore } from 'mcp-resolve/once';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { type Reply, tokenOf } from '../../sealing/desk.js';
import {
  accept,
  answerOf,
  cancel,
  countOf,
  decline,
  heard,
  inProgress,
  payTool,
  type Rounds,
  roundsOf,
  sharedSeal,
  unticked,
  until,
  yes,
} from './support.js';

/** Asks for the call of a tool with one question, and gives its last round. */
async function lastRound(rounds: Rounds): Promise<() => Promise<Reply>> {
  const token = tokenOf(await rounds());
  return () => rounds({ token, answers: { approved: yes } });
}

describe('the last round, sent again', () => {
  test('gets the recorded result, and neither the body nor a resolver runs', async () => {
    const { tool, runs } = payTool(memoryOnceStore());
    const send = await lastRound(roundsOf(tool));
    const first = await send();
    expect(answerOf(first)).toEqual({ text: 'Paid 48 euros.' });
    expect(runs).toEqual(['due', 'approved', 'due', 'approved', 'body']);

    for (let time = 0; time < 3; time += 1) expect((await send()).text).toBe(first.text);
    expect(runs).toHaveLength(5);
  });

  test('without once runs the body again', async () => {
    const { tool, runs } = payTool(undefined, () => `Paid ${countOf(runs, 'body')} times.`);
    const send = await lastRound(roundsOf(tool));
    expect(answerOf(await send())).toEqual({ text: 'Paid 1 times.' });
    expect(answerOf(await send())).toEqual({ text: 'Paid 2 times.' });
  });

  test('ten times at once runs the body once; the others get its result or are told to wait', async () => {
    const { tool, runs } = payTool(memoryOnceStore());
    const send = await lastRound(roundsOf(tool));
    const replies = await Promise.all(Array.from({ length: 10 }, send));
    expect(countOf(runs, 'body')).toBe(1);

    const paid = { text: 'Paid 48 euros.' };
    for (const reply of replies) expect([paid, inProgress('pay')]).toContainEqual(answerOf(reply));
    expect(replies.map(answerOf)).toContainEqual(paid);
    expect(answerOf(await send())).toEqual(paid);
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('ten times at once, with waitMs, gets ten equal results', async () => {
    const { store, taken } = heard();
    const { tool, runs } = payTool({ store, waitMs: 15_000 }, async () => {
      // Each request reads once, and again when it waits.
      await until(() => taken.filter(({ step }) => step === 'read').length > 10);
      return 'Paid 48 euros.';
    });
    const send = await lastRound(roundsOf(tool));
    const texts = (await Promise.all(Array.from({ length: 10 }, send))).map(({ text }) => text);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('Paid 48 euros.');
    expect(countOf(runs, 'body')).toBe(1);
  });

  test('reaches a server of its own each time: what has run is known to all that share the store', async () => {
    const store = memoryOnceStore({ singleProcess: true });
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

/** A tool that asks twice, one question after the other, and counts what runs. */
function transferTool(once: OnceStore): { tool: Tool; runs: string[] } {
  const runs: string[] = [];
  const amount = resolver({}, () => {
    runs.push('amount');
    return elicit('How much?', z.object({ cents: z.number() }));
  });
  const approved = resolver({ amount }, (values) => {
    runs.push('approved');
    return confirm(`Transfer ${values.amount.cents} cents?`);
  });
  const tool = defineTool('transfer', { resolve: { amount, approved }, once }, (values) => {
    runs.push('body');
    return `Transferred ${values.amount.cents} cents.`;
  });
  return { tool, runs };
}

describe('any token of a completed call', () => {
  const AMOUNT = { amount: accept({ cents: 4800 }) };

  const ANSWERS: Readonly<Record<string, Record<string, unknown> | undefined>> = {
    'the same answers': { ...AMOUNT, approved: yes },
    'no answers at all': undefined,
    'an empty list of answers': {},
    'another answer': { amount: accept({ cents: 1 }), approved: yes },
    'a decline': { amount: decline, approved: decline },
    'a cancel': { amount: cancel, approved: cancel },
    'an unticked box': { ...AMOUNT, approved: unticked },
    'answers of the wrong shape': { amount: accept({ cents: 'many' }), approved: accept({}) },
    'answers of no kind': { amount: { action: 'banana' }, approved: 'yes' },
    'answers to nothing': { ghost: yes },
  };

  test.each(Object.entries(ANSWERS))('gets the recorded result, with %s', async (_, answers) => {
    const { tool, runs } = transferTool(memoryOnceStore());
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

  test('of a branch that was never finished gets the result of the one that was', async () => {
    const { tool, runs } = transferTool(memoryOnceStore());
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

  test('is not the token of another call: that one runs', async () => {
    const { tool, runs } = transferTool(memoryOnceStore());
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

describe('a recorded result is the same bytes on the wire', () => {
  const throws = (error: Error) => (): never => {
    throw error;
  };

  const BODIES: Readonly<Record<string, () => unknown>> = {
    'a text': () => 'Paid 48 euros.',
    'an empty text': () => '',
    'no content': () => ({ content: [] }),
    'characters of all lengths': () => 'aé\u2028\u2029€😀𝒳\u0000\u007f\\"/ \ufeff',
    'half a character': () => 'a\ud83dz',
    'an image, a sound, a link and embedded resources': () => ({
      content: [
        { type: 'text', text: 'Receipt', annotations: { audience: ['user'], priority: 0.5 } },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
        { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'pay://1', mimeType: 'text/plain', text: 'é' } },
        { type: 'resource', resource: { uri: 'pay://2', blob: PIXEL } },
        { type: 'resource_link', uri: 'pay://3', name: 'third', _meta: { size: 3 } },
      ],
    }),
    'structured content': () => ({
      content: [{ type: 'text', text: 'see below' }],
      structuredContent: { z: 1, a: [{ '10': 'x', '9': 'y' }], n: 1e21, small: 5e-324, no: null },
    }),
    'a member called __proto__': () => ({
      content: [],
      structuredContent: JSON.parse('{"__proto__":{"a":1},"b":2}') as unknown,
    }),
    'values that JSON writes differently': () => ({
      content: [],
      structuredContent: { at: new Date(0), gone: undefined, list: [undefined], minus: -0 },
    }),
    'a _meta': () => ({
      content: [{ type: 'text', text: 'x', _meta: { 'example.com/line': 7 } }],
      _meta: { 'example.com/receipt': { id: 'R-1' }, 'example.com/none': null },
    }),
    'an error that the body returned': () => ({
      content: [{ type: 'text', text: 'The bank said no.' }],
      isError: true,
    }),
    'a ToolError': throws(new ToolError('the account is empty')),
    'an unexpected error': throws(new TypeError('cannot read "iban" of undefined')),
    'a body that returned nothing': () => undefined,
    'a protocol error': throws(new ProtocolError(-32602, 'no such account')),
    'a protocol error with data': throws(
      new ProtocolError(-32099, 'locked', { until: 'noon', by: ['é', null] }),
    ),
    'a protocol error whose data the SDK knows in part': throws(
      new ProtocolError(-32002, 'gone', { uri: 'pay://1', since: 'noon' }),
    ),
    'a protocol error of a special kind': throws(
      new UrlElicitationRequiredError(
        [{ mode: 'url', message: 'Log in', url: 'https://bank.test/', elicitationId: '1' }],
        'log in first',
      ),
    ),
  };

  test.each(Object.entries(BODIES))('%s', async (_, body) => {
    const { tool, runs } = payTool(memoryOnceStore(), body);
    const send = await lastRound(roundsOf(tool));
    const [first, second, third] = [await send(), await send(), await send()];
    expect(second.text).toBe(first.text);
    expect(third.text).toBe(first.text);
    expect(countOf(runs, 'body')).toBe(1);

    const without = await lastRound(roundsOf(payTool(undefined, body).tool));
    expect(first.text).toBe((await without()).text);
  });

  test('a value with an output schema', async () => {
    const Receipt = z.object({ cents: z.number(), lines: z.array(z.string()) });
    const approved = resolver({}, () => confirm('Pay?'));
    let paid = 0;
    const tool = defineTool(
      'pay',
      { outputSchema: Receipt, resolve: { approved }, once: memoryOnceStore() },
      () => ({ lines: ['é', '"'], cents: ++paid, secret: 'dropped' }),
    );
    const send = await lastRound(roundsOf(tool));
    const first = await send();
    expect(first.result).toMatchObject({ structuredContent: { cents: 1, lines: ['é', '"'] } });
    expect(first.text).not.toContain('dropped');
    expect((await send()).text).toBe(first.text);
    expect(paid).toBe(1);
  });

  test('an unexpected error whose message is masked stays masked', async () => {
    const { tool } = payTool(memoryOnceStore(), throws(new Error('secret-detail')));
    const reported: string[] = [];
    const send = await lastRound(
      roundsOf(tool, {
        errors: 'toolErrorsOnly',
        onerror: ({ message }) => void reported.push(message),
      }),
    );
    const first = await send();
    expect(answerOf(first)).toEqual({
      text: 'Error executing tool pay: an unexpected error occurred',
      isError: true,
    });
    expect((await send()).text).toBe(first.text);
    expect(reported).toEqual(['secret-detail']);
  });
});
