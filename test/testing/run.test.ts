/** Tests `run`: it calls a definition through the SDK and reports the result, questions and events. */
import { ResourceTemplate } from '@modelcontextprotocol/server';
import {
  arg,
  argsOf,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  outcome,
  requestStateSeal,
  resolver,
  ToolError,
} from 'mcp-resolve';
import type { CallEvent } from 'mcp-resolve';
import { accept, cancel, decline, roots, run, says } from 'mcp-resolve/testing';
import type { AskedQuestion } from 'mcp-resolve/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { askAll, payInvoice, yes } from './payments.js';

describe.each(eras)('run on the %s era', (era) => {
  test('ends in one round if the tool asks nothing', async () => {
    const paid = await run(payInvoice, { invoice: 'INV-1' }, { era });

    expect(paid).toMatchObject({
      definition: 'pay_invoice',
      era,
      text: 'Paid 40 euros for INV-1.',
      isError: false,
      rounds: 1,
      questions: [],
      ran: { euros: 1, approved: 1 },
      reported: [],
    });
    expect(paid.error).toBeUndefined();
    expect(paid.result?.content).toEqual([{ type: 'text', text: 'Paid 40 euros for INV-1.' }]);
  });

  test('answers questions by wire key and records their message and schema', async () => {
    const paid = await run(payInvoice, { invoice: 'INV-2' }, { era, answers: yes });

    expect(paid.text).toBe('Paid 900 euros for INV-2.');
    expect(paid.rounds).toBe(era === 'modern' ? 2 : 1);
    const message = 'Pay 900 euros for INV-2?';
    const schema = {
      type: 'object',
      properties: { confirm: { type: 'boolean' } },
      required: ['confirm'],
    };
    expect(paid.questions).toEqual([
      {
        key: 'approved',
        kind: 'form',
        message,
        schema,
        params: { mode: 'form', message, requestedSchema: schema },
        round: 1,
      },
    ]);
  });

  test('counts how often each function ran', async () => {
    const { ran } = await run(payInvoice, { invoice: 'INV-2' }, { era, answers: yes });

    expect(ran).toEqual(era === 'modern' ? { euros: 2, approved: 2 } : { euros: 1, approved: 1 });
  });

  test('counts 0 for a resolver that did not run', async () => {
    const stop = resolver({}, () => {
      throw new ToolError('not today');
    });
    const later = resolver({ stop }, () => 1);
    const tool = defineTool('t', { resolve: { stop, later } }, () => 'done');

    const { ran, isError, text } = await run(tool, {}, { era });
    expect({ ran, isError, text }).toEqual({
      ran: { stop: 1, later: 0 },
      isError: true,
      text: 'Error executing tool t: not today',
    });
  });

  test('answers forms, links, samples and roots', async () => {
    const { text, questions } = await run(askAll, undefined, {
      era,
      answers: {
        form: accept({ size: 'M' }),
        link: accept(),
        model: says('Blue.'),
        folders: roots(['file:///work', { uri: 'file:///home', name: 'home' }]),
      },
    });

    expect(JSON.parse(text)).toEqual([
      'M',
      true,
      { type: 'text', text: 'Blue.' },
      ['file:///work', 'file:///home'],
    ]);
    expect(questions.map(({ key, kind, message, url }) => [key, kind, message, url])).toEqual([
      ['form', 'form', 'Which size?', undefined],
      ['link', 'url', 'Sign in', 'https://desk.example/sign-in'],
      ['model', 'sample', 'Which colour?', undefined],
      ['folders', 'roots', '', undefined],
    ]);
  });

  test.each([
    ['decline()', decline(), 'decline'],
    ['cancel()', cancel(), 'cancel'],
    ['decline, without a call', decline, 'decline'],
  ])('refuses the question if the answer is %s', async (_, answer, action) => {
    const { text, isError } = await run(
      payInvoice,
      { invoice: 'INV-2' },
      { era, answers: { approved: answer } },
    );

    expect(isError).toBe(true);
    expect(text).toContain(`elicitation was ${action}`);
  });

  test('answers every question with one function', async () => {
    const seen: AskedQuestion[] = [];
    const { text } = await run(
      payInvoice,
      { invoice: 'INV-2' },
      {
        era,
        answers: async (question) => {
          seen.push(question);
          return accept({ confirm: true });
        },
      },
    );

    expect(text).toBe('Paid 900 euros for INV-2.');
    expect(seen.map(({ key, message }) => [key, message])).toEqual([
      ['approved', 'Pay 900 euros for INV-2?'],
    ]);
  });

  test('answers one question with a function of its message', async () => {
    const { text } = await run(
      payInvoice,
      { invoice: 'INV-2' },
      {
        era,
        answers: { approved: ({ message }) => accept({ confirm: message.includes('900') }) },
      },
    );

    expect(text).toBe('Paid 900 euros for INV-2.');
  });

  test('uses the answers of an array in order, one for each time the key is asked', async () => {
    const first = resolver({}, () => elicit('First?', Word), { asks: 'form', name: 'word' });
    const second = resolver({ first }, ({ first: { word } }) => elicit(`${word}, and?`, Word), {
      asks: 'form',
      name: 'word',
    });
    const tool = defineTool('t', { resolve: { first, second } }, (values) =>
      JSON.stringify(values),
    );

    const { text, questions } = await run(
      tool,
      {},
      { era, answers: { word: [accept({ word: 'a' })], 'word#1': [() => accept({ word: 'b' })] } },
    );
    expect(JSON.parse(text)).toEqual({ first: { word: 'a' }, second: { word: 'b' } });
    expect(questions.map(({ key, message }) => [key, message])).toEqual([
      ['word', 'First?'],
      ['word#1', 'a, and?'],
    ]);
  });

  test('tells apart questions with the same message', async () => {
    const twin = () => resolver({}, () => elicit('Which word?', Word), { asks: 'form' });
    const later = resolver({ a: twin() }, () => elicit('Which word?', Word), { asks: 'form' });
    const tool = defineTool('t', { resolve: { later, b: twin(), c: twin() } }, (values) =>
      Object.entries(values)
        .map(([name, { word }]) => `${name}=${word}`)
        .join(),
    );
    const word = (text: string) => accept({ word: text });

    const { text, questions } = await run(
      tool,
      {},
      { era, answers: { a: word('1'), later: word('2'), b: word('3'), c: word('4') } },
    );
    expect(text).toBe('later=2,b=3,c=4');
    expect(questions.map(({ key }) => key).sort()).toEqual(['a', 'b', 'c', 'later']);
  });

  test('asks dependent questions one after another', async () => {
    const a = resolver({}, () => confirm('A?'), { asks: 'form' });
    const b = resolver({ a }, () => confirm('B?'), { asks: 'form' });
    const c = resolver({ b }, () => confirm('C?'), { asks: 'form' });
    const tool = defineTool('t', { resolve: { a, b, c } }, () => 'done');

    const { rounds, questions } = await run(
      tool,
      {},
      { era, answers: () => accept({ confirm: true }) },
    );
    expect(rounds).toBe(era === 'modern' ? 4 : 1);
    expect(questions.map(({ message, round }) => [message, round])).toEqual(
      era === 'modern'
        ? [
            ['A?', 1],
            ['B?', 2],
            ['C?', 3],
          ]
        : [
            ['A?', 1],
            ['B?', 1],
            ['C?', 1],
          ],
    );
  });

  test('gets a prompt with its arguments', async () => {
    const Topic = z.object({ topic: z.string() });
    const tone = resolver({}, () => elicit('Which tone?', Word), { asks: 'form' });
    const letter = definePrompt('letter', { argsSchema: Topic, resolve: { tone } }, (values) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Write about ${values.topic}.` } },
        { role: 'user', content: { type: 'text', text: `Be ${values.tone.word}.` } },
      ],
    }));

    const written = await run(
      letter,
      { topic: 'snow' },
      { era, answers: { tone: accept({ word: 'kind' }) } },
    );
    expect(written.text).toBe('Write about snow.\nBe kind.');
    expect(written.result?.messages).toHaveLength(2);
    expect(written.questions.map(({ message }) => message)).toEqual(['Which tone?']);
  });

  test('reads a resource at the given URI, or at its own URI', async () => {
    const word = resolver({}, () => elicit('Which word?', Word), { asks: 'form' });
    const note = defineResource('note', 'notes://today', { resolve: { word } }, (values) => {
      return values.word.word;
    });
    const trips = defineResource(
      'trip',
      new ResourceTemplate('trips://{city}', { list: undefined }),
      { resolve: { to: resolver({ city: arg<string | string[]>() }, ({ city }) => String(city)) } },
      ({ to }) => `To ${to}`,
    );
    const answers = { word: accept({ word: 'fog' }) };

    const read = await run(note, undefined, { era, answers });
    expect(read.text).toBe('fog');
    expect(read.result?.contents).toMatchObject([{ uri: 'notes://today', text: 'fog' }]);
    expect((await run(note, new URL('notes://today'), { era, answers })).text).toBe('fog');
    expect((await run(trips, 'trips://oslo', { era })).text).toBe('To oslo');
  });

  test('returns structured content', async () => {
    const tool = defineTool(
      't',
      { outputSchema: z.object({ cents: z.number() }), resolve: { cents: resolver({}, () => 4) } },
      ({ cents }) => ({ cents }),
    );

    expect((await run(tool, {}, { era })).structured).toEqual({ cents: 4 });
  });

  test('returns a protocol error instead of throwing it', async () => {
    const { error, isError, result, text, questions } = await run(
      payInvoice,
      { invoice: 'INV-2' },
      { era, capabilities: {} },
    );

    const message =
      "Client did not declare the form elicitation capability required by resolver 'approved'";
    expect(error).toEqual({
      code: -32021,
      message,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
    expect({ isError, result, text, questions }).toEqual({
      isError: true,
      result: undefined,
      text: message,
      questions: [],
    });
  });

  test('declares all capabilities, or those in the options', async () => {
    const able = resolver({}, (_, ctx) =>
      (['form', 'url', 'sample', 'roots'] as const).filter((kind) => ctx.canAsk(kind)),
    );
    const tool = defineTool('t', { resolve: { able } }, (values) => values.able.join());

    expect((await run(tool, {}, { era })).text).toBe('form,url,sample,roots');
    const some = { elicitation: { url: {} }, roots: {} };
    expect((await run(tool, {}, { era, capabilities: some })).text).toBe('url,roots');
    expect((await run(tool, {}, { era, capabilities: {} })).text).toBe('');
  });

  test("passes the caller's token and headers to the resolvers", async () => {
    const who = resolver({}, (_, { http }) => {
      const { authInfo, req } = http ?? {};
      return [
        authInfo?.extra?.sub,
        authInfo?.clientId,
        authInfo?.scopes,
        req?.headers.get('x-tenant'),
      ];
    });
    const tool = defineTool('t', { resolve: { who } }, (values) => JSON.stringify(values.who));

    const { text } = await run(
      tool,
      {},
      {
        era,
        authInfo: { scopes: ['pay'], extra: { sub: 'ann' } },
        headers: { 'X-Tenant': 'acme' },
      },
    );
    expect(JSON.parse(text)).toEqual(['ann', 'client', ['pay'], 'acme']);
    expect(JSON.parse((await run(tool, {}, { era })).text)).toEqual([null, null, null, null]);
  });

  test('applies the install options and collects the errors passed to onerror', async () => {
    const tool = defineTool('t', {}, (): string => {
      throw new Error('a secret');
    });

    const { text, reported } = await run(tool, {}, { era, install: { errors: 'all' } });
    expect(text).toBe('Error executing tool t: a secret');
    expect(reported.map(({ message }) => message)).toEqual(['a secret']);
  });

  test("keeps the author's seal and event listener, which gets no values", async () => {
    const heard: CallEvent[] = [];
    const seal = requestStateSeal({
      keys: ['a key of the tests, 32 bytes or more'],
      audience: 'a',
    });
    const install = { seal, onEvent: (event: CallEvent) => void heard.push(event) };

    const { events } = await run(payInvoice, { invoice: 'INV-2' }, { era, answers: yes, install });
    expect(heard.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
    expect(heard.filter((event) => 'value' in event || 'question' in event)).toEqual([]);
    expect(events.filter((event) => 'value' in event || 'question' in event)).not.toEqual([]);
  });

  test('puts the call id on every event, and passes values to a listener with eventValues', async () => {
    const heard: CallEvent[] = [];
    const install = { onEvent: (event: CallEvent) => void heard.push(event), eventValues: true };

    const { events, callId } = await run(
      payInvoice,
      { invoice: 'INV-2' },
      { era, answers: yes, install },
    );
    expect(callId).toMatch(/^[\w-]{22}$/);
    expect(events.every((event) => 'callId' in event && event.callId === callId)).toBe(true);
    expect(heard).toEqual(events);
  });

  test('has no call id if the server refused the arguments', async () => {
    const { callId, events, isError } = await run(payInvoice, {} as never, { era });

    expect({ callId, events, isError }).toEqual({ callId: undefined, events: [], isError: true });
  });

  test('waits for an answer that arrives later', async () => {
    const { text } = await run(
      payInvoice,
      { invoice: 'INV-2' },
      {
        era,
        answers: {
          approved: () =>
            new Promise((resolve) => {
              setImmediate(resolve, accept({ confirm: true }));
            }),
        },
      },
    );

    expect(text).toBe('Paid 900 euros for INV-2.');
  });

  test('works with fake timers', async () => {
    vi.useFakeTimers();
    try {
      const { text, events } = await run(payInvoice, { invoice: 'INV-2' }, { era, answers: yes });

      expect(text).toBe('Paid 900 euros for INV-2.');
      expect(new Set(events.map(({ at }) => at))).toEqual(new Set([Date.now()]));
    } finally {
      vi.useRealTimers();
    }
  });

  test('passes a refusal on as an outcome', async () => {
    const agreed = resolver({}, () => confirm('Agreed?'), { asks: 'form' });
    const tool = defineTool('t', { resolve: { agreed: outcome(agreed) } }, (values) =>
      JSON.stringify(values.agreed),
    );

    const { text } = await run(tool, {}, { era, answers: { agreed: decline() } });
    expect(text).toBe('{"action":"decline"}');
  });

  test('keeps concurrent runs apart', async () => {
    const [small, large] = await Promise.all([
      run(payInvoice, { invoice: 'INV-1' }, { era }),
      run(payInvoice, { invoice: 'INV-2' }, { era, answers: yes }),
    ]);

    expect([small.text, large.text]).toEqual([
      'Paid 40 euros for INV-1.',
      'Paid 900 euros for INV-2.',
    ]);
    expect(small.questions).toEqual([]);
    expect(small.callId).not.toBe(large.callId);
  });

  test('sends header arguments as headers if the era has them', async () => {
    const Query = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) });
    const tool = defineTool('t', { inputSchema: Query }, ({ region }, ctx) => {
      return `${region} ${String(ctx.http?.req?.headers.get('mcp-param-region'))}`;
    });

    const { text } = await run(tool, { region: 'north' }, { era });
    expect(text).toBe(era === 'modern' ? 'north north' : 'north null');
  });
});

test('run gives up after maxRounds rounds of questions', async () => {
  const lines: string[] = [];
  const install = { logger: { warn: (line: string) => void lines.push(line) } };
  let rounds = 0;
  const moving = resolver({}, () => confirm(`Round ${++rounds}?`), { asks: 'form' });
  const tool = defineTool('t', { resolve: { moving } }, () => 'done');
  const answers = { moving: accept({ confirm: true }) };

  await expect(run(tool, {}, { answers, maxRounds: 3, install })).rejects.toThrow(
    "'t' still asks 'moving' in round 4, but clients give up after 3 rounds of questions (`maxRounds`).",
  );
  expect(rounds).toBe(4);
  expect(lines).toEqual([
    "'t': the question 'moving' changed after every answer. Pin the value that it shows.",
  ]);
});

test('run answers a question that the body pushed by hand under its method name', async () => {
  const byHand = defineTool('t', {}, async (_, ctx) => {
    const { action } = await ctx.mcpReq.elicitInput({
      message: 'By hand?',
      requestedSchema: { type: 'object', properties: {} },
    });
    return action;
  });

  const { text, questions } = await run(
    byHand,
    {},
    { era: 'legacy', answers: { 'elicitation/create': decline() } },
  );
  expect(text).toBe('decline');
  expect(questions.map(({ key, message }) => [key, message])).toEqual([
    ['elicitation/create', 'By hand?'],
  ]);
});

test('run passes arguments with their defaults to resolvers', async () => {
  const Input = z.object({ count: z.number().default(3) });
  const double = resolver({ count: argsOf(Input).count }, ({ count }) => count * 2);
  const tool = defineTool('t', { inputSchema: Input, resolve: { double } }, (values) =>
    String(values.double),
  );

  expect((await run(tool, {})).text).toBe('6');
});

const Word = z.object({ word: z.string() });

test('run does not warn about a tool that is defined once and run often', async () => {
  const lines: string[] = [];
  const install = { logger: { warn: (line: string) => void lines.push(line) } };
  const often = defineTool('run_often', { resolve: { two: resolver({}, () => 2) } }, () => 'ran');
  for (let time = 0; time < 120; time += 1) await run(often, {}, { install });

  expect(lines).toEqual([]);
});
