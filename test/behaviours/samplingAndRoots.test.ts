/** F: questions to the client's model, and for the client's roots. */
import type { SamplingMessage } from '@modelcontextprotocol/server';
import { confirm, defineTool, elicit, listRoots, outcome, resolver, sample } from 'mcp-resolve';
import { accept, roots, run } from 'mcp-resolve/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, protocolErrorOf, questionsOf, textOf } from '../support/results.js';
import {
  answering,
  callOnLegacy,
  roundsOf,
  readState,
  serving,
  writeState,
} from '../support/rounds.js';

const text = (words: string) => ({ type: 'text' as const, text: words });
const user = (words: string): SamplingMessage => ({ role: 'user', content: text(words) });
const reply = (words: string) => ({
  role: 'assistant' as const,
  content: text(words),
  model: 'test-model',
});

const capital = { messages: [user('Capital of France?')], maxTokens: 20 };
const askCapital = resolver({}, () => sample(capital), { asks: 'sample' });
/** Returns the text of the first block. */
const textIn = ({ content }: { content: unknown }): string => {
  const [block] = [content].flat();
  return (block as { text: string }).text;
};
const atlas = defineTool('atlas', { resolve: { capital: askCapital } }, ({ capital: answer }) =>
  textIn(answer),
);

const askRoots = resolver({}, () => listRoots(), { asks: 'roots' });
const count = defineTool('count', { resolve: { where: askRoots } }, ({ where }) =>
  String(where.roots.length),
);

/** A tool for the client's model. */
const adder = {
  name: 'add',
  inputSchema: { type: 'object' as const, properties: { a: { type: 'number' } } },
};

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(eras)('on the %s era', (era) => {
  test("F1: injects the answer of the client's model", async () => {
    const client = await connectClient(era, serving(atlas), { sample: [reply('Paris')] });

    expect(await client.text('atlas')).toBe('Paris');
    expect(client.asked).toEqual(['Capital of France?']);
  });

  test('F2: injects the roots of the client, even if there are none', async () => {
    const client = await connectClient(era, serving(count), {
      roots: [roots([{ uri: 'file:///work', name: 'work' }]), roots([])],
    });

    expect(await client.text('count')).toBe('1');
    expect(await client.text('count')).toBe('0');
    expect(client.asked).toEqual(['roots/list', 'roots/list']);
  });

  test('F3: passes an accepted outcome to a tool that takes the outcome', async () => {
    const tool = defineTool(
      'outcomes',
      { resolve: { answer: outcome(askCapital), where: outcome(askRoots) } },
      ({ answer, where }) => JSON.stringify([answer, where]),
    );
    const answers = { answer: reply('Paris'), where: roots([]) };
    const { text: shown } = await run(tool, {}, { era, answers });

    expect(JSON.parse(shown)).toEqual([
      { action: 'accept', data: reply('Paris'), asked: true },
      { action: 'accept', data: { roots: [] }, asked: true },
    ]);
  });

  test('F4: asks all three kinds of question in one call', async () => {
    const login = resolver({}, () => elicit('Username?', z.object({ username: z.string() })), {
      asks: 'form',
    });
    const tool = defineTool(
      'mixed',
      { resolve: { login, answer: askCapital, where: askRoots } },
      ({ login: { username }, answer, where }) =>
        `${username}/${textIn(answer)}/${where.roots.length}`,
    );
    const client = await connectClient(era, serving(tool), {
      elicit: [accept({ username: 'octocat' })],
      sample: [reply('hey')],
      roots: [roots([])],
    });

    expect(await client.text('mixed')).toBe('octocat/hey/0');
    expect(client.asked.toSorted()).toEqual(['Capital of France?', 'Username?', 'roots/list']);
    expect(client.requests()).toBe(era === 'modern' ? 2 : 1);
  });

  test.each([
    ['tools', { tools: [adder] }],
    ['toolChoice', { toolChoice: { mode: 'none' as const } }],
  ])('F5: needs the capability sampling.tools for %s', async (_, extra) => {
    const sums = resolver({}, () => sample({ ...capital, ...extra }), { asks: 'sample' });
    const tool = defineTool('sums', { resolve: { sums } }, ({ sums: answer }) => textIn(answer));

    const lacking = await connectClient(era, serving(tool), { sample: [reply('4')] });
    expect(await protocolErrorOf(lacking.call('sums'))).toEqual({
      code: -32021,
      message: "Client did not declare the sampling.tools capability required by resolver 'sums'",
      data: { requiredCapabilities: { sampling: { tools: {} } } },
    });
    expect(lacking.asked).toEqual([]);

    const able = await run(
      tool,
      {},
      { era, capabilities: { sampling: { tools: {} } }, answers: { sums: reply('4') } },
    );
    expect(able.text).toBe('4');
  });

  test.each([
    ['a single block', text('4')],
    ['an array of one block', [text('4')]],
    [
      'an array with a tool use',
      [text('4'), { type: 'tool_use' as const, id: '1', name: 'add', input: {} }],
    ],
  ])('F6: accepts %s as the answer to a sample with tools', async (_, content) => {
    const sums = resolver({}, () => sample({ ...capital, tools: [adder] }), { asks: 'sample' });
    const tool = defineTool('sums', { resolve: { sums } }, ({ sums: answer }) => textIn(answer));
    const answers = { sums: { role: 'assistant' as const, model: 'm', content } };

    expect((await run(tool, {}, { era, answers })).text).toBe('4');
  });

  test('F9: asks the model once per call, over several rounds', async () => {
    const first = resolver({ answer: askCapital }, ({ answer }) => confirm(`${textIn(answer)}?`), {
      asks: 'form',
    });
    const second = resolver({ first }, () => confirm('Really?'), { asks: 'form' });
    const tool = defineTool(
      'sure',
      { resolve: { second, answer: askCapital } },
      ({ second: sure, answer }) => `${textIn(answer)}:${String(sure)}`,
    );
    const yes = accept({ confirm: true });
    const answers = { answer: [reply('Paris')], first: yes, second: yes };
    const result = await run(tool, {}, { era, answers });

    expect(result.text).toBe('Paris:true');
    expect(result.questions.map(({ message }) => message)).toEqual([
      'Capital of France?',
      'Paris?',
      'Really?',
    ]);
  });

  test('F13, F14: sends the parameters unchanged, and adds none', async () => {
    const full = {
      messages: [user('Hello'), { role: 'assistant' as const, content: text('Hi') }, user('Bye')],
      maxTokens: 7,
      systemPrompt: 'Be brief',
      includeContext: 'thisServer' as const,
      temperature: 0.25,
      stopSequences: ['END'],
      metadata: { trace: 'abc' },
      modelPreferences: { hints: [{ name: 'small' }], costPriority: 1 },
    };
    const tool = defineTool(
      'params',
      { resolve: { a: resolver({}, () => sample(full), { asks: 'sample' }), b: askCapital } },
      () => 'done',
    );
    const client = await connectClient(era, serving(tool), {
      sample: () => reply('ok'),
      capabilities: { sampling: { context: {} } },
    });
    await client.text('params');

    expect(client.questions).toContainEqual({ method: 'sampling/createMessage', params: full });
    const bare = client.questions.find(({ params }) => !('systemPrompt' in (params as object)));
    expect(Object.keys(bare?.params as object).toSorted()).toEqual(['maxTokens', 'messages']);
  });

  test('F15: logs no warning', async () => {
    const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const logged = [
      vi.spyOn(console, 'warn').mockImplementation(() => undefined),
      vi.spyOn(console, 'error').mockImplementation(() => undefined),
    ];
    const tool = defineTool('both', { resolve: { a: askCapital, b: askRoots } }, () => 'done');
    const answers = { a: reply('Paris'), b: roots([]) };

    expect((await run(tool, {}, { era, answers })).text).toBe('done');
    expect([emitted, ...logged].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });
});

describe('an answer of the wrong kind', () => {
  const invalidSamples: object[] = [
    {},
    { action: 'accept', content: { x: 'y' } },
    { action: 'accept', content: { type: 'text', text: 'Paris' } },
    { action: 'decline' },
    { action: 'cancel' },
    { roots: [] },
    { ...reply('Paris'), role: 'system' },
    { ...reply('Paris'), role: null },
    { ...reply('Paris'), model: 7 },
    { role: 'assistant', content: text('Paris') },
    { role: 'assistant', model: 'm' },
    { ...reply('Paris'), content: 'Paris' },
    { ...reply('Paris'), content: null },
    { ...reply('Paris'), content: { type: 'text' } },
    { ...reply('Paris'), content: { type: 'text', text: 7 } },
    { ...reply('Paris'), content: { type: 'banana', text: 'Paris' } },
    { ...reply('Paris'), content: { type: 'tool_use', id: '1', name: 'add', input: {} } },
    { ...reply('Paris'), content: [text('Paris')] },
    { ...reply('Paris'), content: [] },
  ];

  test.each(invalidSamples)('F7, F8: fails a plain sample: %j', async (response) => {
    const sendRound = roundsOf(atlas);
    const first = await sendRound();

    const message =
      "Error executing tool atlas: Resolver 'capital' received a response of the wrong kind";
    expect(errorTextOf(await sendRound(answering(first, { capital: response })))).toBe(message);
    const corrected = await sendRound(answering(first, { capital: reply('Paris') }));
    expect(textOf(corrected)).toBe('Paris');

    const { result } = await callOnLegacy(atlas, [response]);
    expect(errorTextOf(result)).toBe(message);
  });

  const invalidRoots: object[] = [
    {},
    { action: 'accept', content: { roots: [] } },
    { action: 'decline' },
    reply('file:///'),
    { roots: null },
    { roots: {} },
    { roots: 'file:///work' },
    { roots: ['file:///work'] },
    { roots: [null] },
    { roots: [{}] },
    { roots: [{ name: 'work' }] },
    { roots: [{ uri: 7 }] },
    { roots: [{ uri: 'https://example.org/' }] },
    { roots: [{ uri: 'javascript:alert(1)' }] },
    { roots: [{ uri: 'file:///work', name: 7 }] },
  ];

  test.each(invalidRoots)('F8: fails a request for roots: %j', async (response) => {
    const sendRound = roundsOf(count);
    const first = await sendRound();

    const message =
      "Error executing tool count: Resolver 'where' received a response of the wrong kind";
    expect(errorTextOf(await sendRound(answering(first, { where: response })))).toBe(message);
    expect(textOf(await sendRound(answering(first, { where: roots([]) })))).toBe('0');

    const { result } = await callOnLegacy(count, [response]);
    expect(errorTextOf(result)).toBe(message);
  });

  test.each([
    { ...reply('4'), content: [] },
    { ...reply('4'), content: [text('4'), { type: 'tool_use', id: '1', name: 'add', input: {} }] },
  ])('F6: does not include %j for a sample with tools', async (response) => {
    const sums = resolver({}, () => sample({ ...capital, tools: [adder] }), { asks: 'sample' });
    const tool = defineTool('sums', { resolve: { sums } }, ({ sums: { content } }) =>
      String([content].flat().length),
    );
    const sendRound = roundsOf(tool);

    const done = await sendRound(answering(await sendRound(), { sums: response }));
    expect(textOf(done)).toBe(String(response.content.length));
  });

  test.each([
    { ...reply('4'), content: [{ type: 'banana' }] },
    { ...reply('4'), content: ['4'] },
    { ...reply('4'), role: 'system' },
    { action: 'accept', content: { x: 'y' } },
  ])('F8: fails a sample with tools: %j', async (response) => {
    const sums = resolver({}, () => sample({ ...capital, tools: [adder] }), { asks: 'sample' });
    const sendRound = roundsOf(defineTool('sums', { resolve: { sums } }, () => 'ran'));

    expect(errorTextOf(await sendRound(answering(await sendRound(), { sums: response })))).toBe(
      "Error executing tool sums: Resolver 'sums' received a response of the wrong kind",
    );
  });
});

test('F4: sends all three kinds of question in one round', async () => {
  const login = resolver({}, () => confirm('Sure?'), { asks: 'form' });
  const tool = defineTool(
    'mixed',
    { resolve: { login, answer: askCapital, where: askRoots } },
    () => 'done',
  );

  expect(questionsOf(await roundsOf(tool)()).requests).toEqual({
    login: expect.objectContaining({ method: 'elicitation/create' }) as unknown,
    answer: { method: 'sampling/createMessage', params: capital },
    where: { method: 'roots/list' },
  });
});

describe('the record of samples and roots', () => {
  const next = resolver({ answer: askCapital, where: askRoots }, () => confirm('Next?'), {
    asks: 'form',
  });
  const tool = defineTool('recorded', { resolve: { next } }, () => 'done');

  test('F10: has results as accepted, as the client sent them but without nulls', async () => {
    const sendRound = roundsOf(tool);
    const second = await sendRound(
      answering(await sendRound(), {
        answer: { ...reply('Paris'), stopReason: null, _meta: null },
        where: { roots: [{ uri: 'file:///work' }], _meta: null },
      }),
    );

    expect(readState(second)).toEqual({
      v: 8,
      outcomes: {
        answer: { action: 'accept', data: reply('Paris'), q: 'QOWGlBb4T_6TA7v2CQuv_g' },
        where: {
          action: 'accept',
          data: { roots: [{ uri: 'file:///work' }] },
          q: 'dCNOmK_nSY-12vHzasLXig',
        },
      },
      asked: { next: 'VX8f20fOTBBYMwqI2ewRGw' },
    });
  });

  test.each(['decline', 'cancel'])(
    'F11: is ignored if it says %s, so both questions are asked again',
    async (action) => {
      const sendRound = roundsOf(tool);
      const first = await sendRound();
      const { v, asked } = readState(first);
      const outcomes = {
        answer: { action, q: asked.answer },
        where: { action, q: asked.where },
      };

      const again = await sendRound({
        requestState: writeState(first, { v, outcomes, asked: {} }),
      });
      expect(questionsOf(again).keys.toSorted()).toEqual(['answer', 'where']);
      expect(readState(again)).toEqual({ v, outcomes: {}, asked });
    },
  );

  test.each([
    [{ role: 'assistant' }, { roots: 'none' }],
    [[reply('Paris')], []],
    ['Paris', 'file:///'],
    [null, null],
    [{ ...reply('Paris'), content: [text('Paris')] }, { roots: [{ uri: 'https://x.test/' }] }],
  ])('F11: is ignored if its data is %j and %j, so both are asked again', async (answer, where) => {
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    const { v, asked } = readState(first);
    const outcomes = {
      answer: { action: 'accept', data: answer, q: asked.answer },
      where: { action: 'accept', data: where, q: asked.where },
    };

    const again = await sendRound({ requestState: writeState(first, { v, outcomes, asked: {} }) });
    expect(questionsOf(again).keys.toSorted()).toEqual(['answer', 'where']);
    expect(readState(again).outcomes).toEqual({});
  });
});

describe('F12: sample() with tool use in its messages', () => {
  const use = (...ids: string[]): SamplingMessage => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'add', input: {} })),
  });
  const result = (id: string) => ({ type: 'tool_result' as const, toolUseId: id, content: [] });
  const results = (...ids: string[]): SamplingMessage => ({
    role: 'user',
    content: ids.map(result),
  });
  const make = (...messages: SamplingMessage[]) => sample({ messages, maxTokens: 5 });

  test.each<[string, SamplingMessage[], string]>([
    [
      'results beside text',
      [use('1'), { role: 'user', content: [result('1'), text('and?')] }],
      'sample(): a message with tool_result content must contain only tool_result blocks.',
    ],
    [
      'results that follow no tool use',
      [user('Add'), results('1')],
      'sample(): a message with tool_result content must follow a message with tool_use content.',
    ],
    [
      'results in the first message',
      [results('1')],
      'sample(): a message with tool_result content must follow a message with tool_use content.',
    ],
    [
      'a tool use without its result',
      [use('1', '2'), results('1')],
      'sample(): the ids of the tool_result blocks must match the ids of the tool_use blocks in the previous message.',
    ],
    [
      'a result without its tool use',
      [use('1'), results('1', '2')],
      'sample(): the ids of the tool_result blocks must match the ids of the tool_use blocks in the previous message.',
    ],
    [
      'the result of another tool use',
      [use('1'), results('2')],
      'sample(): the ids of the tool_result blocks must match the ids of the tool_use blocks in the previous message.',
    ],
    [
      'text in place of results',
      [use('1'), user('Never mind')],
      'sample(): the ids of the tool_result blocks must match the ids of the tool_use blocks in the previous message.',
    ],
  ])('F12: refuses %s', (_, messages, complaint) => {
    expect(() => make(...messages)).toThrow(new TypeError(complaint));
  });

  test('F12: accepts complete sequences, with ids in any order and as single blocks', () => {
    expect(() => make(user('Add'), use('1', '2'), results('2', '1'))).not.toThrow();
    expect(() => make(use('1'), { role: 'user', content: result('1') })).not.toThrow();
    expect(() => make(user('Add'), use('1'))).not.toThrow();
    expect(() => make()).not.toThrow();
  });

  test.each([
    [undefined],
    [null],
    [{}],
    [{ messages: [] }],
    [{ maxTokens: 5 }],
    [{ messages: 'Hello', maxTokens: 5 }],
    [{ messages: [], maxTokens: '5' }],
  ])('F12: refuses the parameters %j', (params) => {
    expect(() => sample(params as never)).toThrow(
      new TypeError(
        "sample(): `params` must contain `messages`, an array, and `maxTokens`, a number. Write sample({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 200 }).",
      ),
    );
  });
});

test('F14: sends a request for roots without params on both eras', async () => {
  const { requests } = questionsOf(await roundsOf(count)());
  expect(requests).toEqual({ where: { method: 'roots/list' } });
  expect(Object.keys(requests.where!)).toEqual(['method']);

  const { pushed } = await callOnLegacy(count, [roots([])]);
  expect(pushed).toEqual([{ method: 'roots/list' }]);
});

test('F14: sends a legacy sample with its parameters and nothing else', async () => {
  const { pushed } = await callOnLegacy(atlas, [reply('Paris')]);

  expect(pushed).toEqual([{ method: 'sampling/createMessage', params: capital }]);
});

test('F14: fails with a message about the sample if its parameters cannot be sent', async () => {
  const params = {
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'hi' } }],
    maxTokens: 1,
    metadata: { big: 1n as never },
  };
  const tool = defineTool(
    'ask',
    { resolve: { answer: resolver({}, () => sample(params), { asks: 'sample' }) } },
    () => '',
  );
  const result = await tool.call(undefined);
  expect(errorTextOf(result)).toBe('Error executing tool ask');
  expect(String(result.cause)).toMatch(
    /^Error: Resolver 'answer' asks with data that cannot be sent: /,
  );
});
