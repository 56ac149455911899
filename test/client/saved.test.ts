/** Tests open calls as data: saved, resumed by another client, and changed. */
import { readFile, writeFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { accept, type Answers, resumeCall, type SavedCall, startCall } from 'mcp-resolve/client';
import { describe, expect, expectTypeOf, it } from 'vitest';

import { textOf } from '../support/results.js';
import {
  connectByHand,
  expectFinished,
  expectOpen,
  messageOf,
  refund,
  scratchFile,
} from './byHand.js';
import { handWritten, refundDesk, STATES } from './servers.js';

describe('J12: a saved call', () => {
  it('keeps the state byte for byte through a file', async () => {
    const { client } = await connectByHand(handWritten);
    const file = await scratchFile();
    const args = { list: [{ é: null }], n: 1e21 };
    await writeFile(
      file,
      JSON.stringify(await startCall(client, { name: 'two_rounds', arguments: args })),
    );

    const { client: other } = await connectByHand(handWritten);
    const call = resumeCall(other, await readFile(file, 'utf8'));
    expect(call.toJSON().requestState).toBe(STATES[0]);
    expect(call.params).toEqual({ name: 'two_rounds', arguments: args });
    const next = expectOpen(await call.answer({ right: accept({ yes: true }) }));
    const last = resumeCall(client, JSON.stringify(next));
    const { result } = expectFinished(await last.answer({ last: accept({ yes: true }) }));
    expect(textOf(result as CallToolResult)).toMatch(/^known state/);
  });

  it('is plain data of version 1', async () => {
    const { client } = await connectByHand(refundDesk);
    const call = expectOpen(await startCall(client, refund));
    const saved = JSON.parse(JSON.stringify(call)) as SavedCall;
    expect(Object.keys(saved)).toEqual([
      'version',
      'method',
      'params',
      'questions',
      'requestState',
    ]);
    expect(saved).toMatchObject({ version: 1, method: 'tools/call', params: refund });
    expect(saved.questions).toEqual(call.questions);
    expect(resumeCall(client, saved).toJSON()).toEqual(saved);
  });

  it('has no state if the server sent none', async () => {
    const { client } = await connectByHand(handWritten);
    const busy = expectOpen(await startCall(client, { name: 'waiting' }));
    const asking = expectOpen(await busy.answer({}));
    expect(Object.keys(asking.toJSON())).not.toContain('requestState');
    const call = await resumeCall(client, asking.toJSON()).answer({ done: accept() });
    expect(textOf(expectFinished(call).result)).toBe('state undefined');
  });

  it('is resumed from a string, from data or from the open call', async () => {
    const { client } = await connectByHand(handWritten);
    const call = expectOpen(await startCall(client, { resource: 'report://today' }));
    expectTypeOf(resumeCall(client, call.toJSON()).method).toEqualTypeOf<'resources/read'>();
    for (const saved of [JSON.stringify(call), call.toJSON(), call as unknown as SavedCall]) {
      const next = await resumeCall(client, saved).answer({});
      expect(next).toMatchObject({ done: false, method: 'resources/read' });
    }
  });

  it('does not show its state in logs', async () => {
    const { client } = await connectByHand(refundDesk);
    const call = expectOpen(await startCall(client, refund));
    const { requestState } = call.toJSON();
    expect(requestState).toBeTypeOf('string');
    expect(inspect(call, { depth: null, showHidden: true })).not.toContain(requestState);
  });
});

describe('resumeCall', () => {
  const good = {
    version: 1,
    method: 'tools/call',
    params: { name: 'two_rounds' },
    questions: { sure: { method: 'elicitation/create', params: { message: 'Sure?' } } },
    requestState: 'SECRET',
  };

  it.each([
    ['broken JSON', `{"requestState":"SECRET"`, 'it is not valid JSON'],
    ['an empty string', '', 'it is not valid JSON'],
    ['undefined', undefined, 'it is not an object'],
    ['an array', [good], 'it is not an object'],
    [
      'a finished call',
      { done: true, result: {}, method: 'tools/call' },
      'the call is already finished',
    ],
    ['no version', { ...good, version: undefined }, 'its version is not 1'],
    ['a version of the future', { ...good, version: 2 }, 'its version is not 1'],
    ['another method', { ...good, method: 'tools/list' }, 'the method must be'],
    ['no name', { ...good, params: {} }, 'the name must be a string'],
    ['a uri for a tool', { ...good, params: { uri: 'x:y' } }, 'the name must be a string'],
    ['no parameters', { ...good, params: null }, 'the parameters must be an object'],
    [
      'an array of arguments',
      { ...good, params: { name: 'x', arguments: [] } },
      'the arguments must be an object',
    ],
    ['no questions', { ...good, questions: undefined }, 'the questions are not an object'],
    [
      'a question of an unknown kind',
      { ...good, questions: { a: { method: 'x' } } },
      "question 'a'",
    ],
    ['null as a question', { ...good, questions: { a: null } }, "question 'a'"],
    [
      'a state that is not a string',
      { ...good, requestState: 7 },
      'its `requestState` is not a string',
    ],
    [
      'neither questions nor a state',
      { version: 1, method: 'tools/call', params: good.params, questions: {} },
      'it has neither questions nor a `requestState`',
    ],
  ])('refuses %s with a TypeError that does not contain the state', (_, saved, reason) => {
    const attempt = (): unknown =>
      resumeCall(new Client({ name: 'c', version: '1' }), saved as never);
    expect(attempt).toThrow(TypeError);
    expect(attempt).toThrow(reason);
    expect(attempt).not.toThrow('SECRET');
  });

  it('ignores unknown properties and treats `__proto__` as a plain key', async () => {
    const { client, sent } = await connectByHand(handWritten);
    const call = resumeCall(
      client,
      `{"version":1,"method":"tools/call","__proto__":{"polluted":true},"extra":1,
        "params":{"name":"plain","_meta":{"x":1},"inputResponses":{"a":1},"arguments":{"__proto__":{"polluted":true}}},
        "questions":{"__proto__":{"method":"roots/list"},"constructor":{"method":"roots/list"}},
        "requestState":"x"}`,
    );
    expect(Object.keys(call.questions)).toEqual(['__proto__', 'constructor']);
    const answers = JSON.parse('{"__proto__":{"roots":[]},"constructor":{"roots":[]}}') as Answers;
    expect((await call.answer(answers)).done).toBe(true);

    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    const { params } = sent.at(-1) as unknown as { params: Record<string, unknown> };
    expect(Object.keys(params).sort()).toEqual(
      ['_meta', 'arguments', 'inputResponses', 'name', 'requestState'].sort(),
    );
    expect(params._meta).not.toHaveProperty('x');
    expect(JSON.stringify(params.inputResponses)).toBe(JSON.stringify(answers));
    expect(JSON.stringify(params.arguments)).toBe('{"__proto__":{"polluted":true}}');
  });

  it('accepts changed questions, which change only what the client shows', async () => {
    const { client } = await connectByHand(refundDesk);
    const saved = expectOpen(await startCall(client, refund)).toJSON();
    const question = { method: 'elicitation/create', params: { message: 'A present?' } };
    const forged = JSON.stringify({ ...saved, questions: { scope: question } });
    const call = resumeCall(client, forged);
    expect(messageOf(call, 'scope')).toBe('A present?');
    const next = expectOpen(await call.answer({ scope: accept({ full: true }) }));
    expect(messageOf(next, 'approval')).toBe('Approve the full refund of ORD-7?');
  });
});
