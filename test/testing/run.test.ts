/** `run`: a definition called through the real SDK, and what a test gets to see of the call. */
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

describe.each(eras)('on the %s era', (era) => {
  test('a call that asks nothing ends in one round', async () => {
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

  test('questions are answered by wire key, and told with their exact text and schema', async () => {
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

  test('every function counts as often as it ran', async () => {
    const { ran } = await run(payInvoice, { invoice: 'INV-2' }, { era, answers: yes });

    expect(ran).toEqual(era === 'modern' ? { euros: 2, approved: 2 } : { euros: 1, approved: 1 });
  });

  test('a resolver that did not run counts 0', async () => {
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

  test('people, models and clients answer, each in their own way', async () => {
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
    ['decline', decline(), 'decline'],
    ['cancel', cancel(), 'cancel'],
    ['decline, without the brackets', decline, 'decline'],
  ])('a person can refuse: %s', async (_, answer, action) => {
    const { text, isError } = await run(
      payInvoice,
      { invoice: 'INV-2' },
      { era, answers: { approved: answer } },
    );

    expect(isError).toBe(true);
    expect(text).toContain(`elicitation was ${action}`);
  });

  test('a function of the question answers all of them', async () => {
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

  test('a function of one question answers it, by what it says', async () => {
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

  test('the answers of a list are used in turn, one for each time that the key is asked', async () => {
    const first = resolver({}, () => elicit('First?', Word), { name: 'word' });
    const second = resolver({ first }, ({ first: { word } }) => elicit(`${word}, and?`, Word), {
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

  test('two questions that read the same are told apart', async () => {
    const twin = () => resolver({}, () => elicit('Which word?', Word));
    const later = resolver({ a: twin() }, () => elicit('Which word?', Word));
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

  test('a chain of questions is asked link by link', async () => {
    const a = resolver({}, () => confirm('A?'));
    const b = resolver({ a }, () => confirm('B?'));
    const c = resolver({ b }, () => confirm('C?'));
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

  test('prompts are called with their arguments', async () => {
    const Topic = z.object({ topic: z.string() });
    const tone = resolver({}, () => elicit('Which tone?', Word));
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

  test('resources are read at a uri, and without one at their own', async () => {
    const word = resolver({}, () => elicit('Which word?', Word));
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

  test('structured content is there as it is', async () => {
    const tool = defineTool(
      't',
      { outputSchema: z.object({ cents: z.number() }), resolve: { cents: resolver({}, () => 4) } },
      ({ cents }) => ({ cents }),
    );

    expect((await run(tool, {}, { era })).structured).toEqual({ cents: 4 });
  });

  test('a protocol error is told, and not thrown', async () => {
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

  test('the client declares everything, unless it is told what', async () => {
    const able = resolver({}, (_, ctx) =>
      (['form', 'url', 'sample', 'roots'] as const).filter((kind) => ctx.canAsk(kind)),
    );
    const tool = defineTool('t', { resolve: { able } }, (values) => values.able.join());

    expect((await run(tool, {}, { era })).text).toBe('form,url,sample,roots');
    const some = { elicitation: { url: {} }, roots: {} };
    expect((await run(tool, {}, { era, capabilities: some })).text).toBe('url,roots');
    expect((await run(tool, {}, { era, capabilities: {} })).text).toBe('');
  });

  test('the token and the headers of the caller arrive', async () => {
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

  test('the options of install hold, and what goes to onerror is told', async () => {
    const tool = defineTool('t', {}, (): string => {
      throw new Error('a secret');
    });

    const { text, reported } = await run(tool, {}, { era, install: { errors: 'toolErrorsOnly' } });
    expect(text).toBe('Error executing tool t: an unexpected error occurred');
    expect(reported.map(({ message }) => message)).toEqual(['a secret']);
  });

  test('a seal and a listener of the author stay theirs', async () => {
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

  test('all events of the call have its id, and the listener gets values where it wants them', async () => {
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

  test('a call that was refused before it began has no id', async () => {
    const { callId, events, isError } = await run(payInvoice, {} as never, { era });

    expect({ callId, events, isError }).toEqual({ callId: undefined, events: [], isError: true });
  });

  test('what a person does not answer in time is waited for', async () => {
    const { text } = await run(
      payInvoice,
      { invoice: 'INV-2' },
      {
        era,
        answers: {
          approved: () =>
            new Promise((resolve) => {
              setTimeout(resolve, 20, accept({ confirm: true }));
            }),
        },
      },
    );

    expect(text).toBe('Paid 900 euros for INV-2.');
  });

  test('a clock that the test holds still is no reason to wait', async () => {
    vi.useFakeTimers();
    try {
      const { text, events } = await run(payInvoice, { invoice: 'INV-2' }, { era, answers: yes });

      expect(text).toBe('Paid 900 euros for INV-2.');
      expect(new Set(events.map(({ at }) => at))).toEqual(new Set([Date.now()]));
    } finally {
      vi.useRealTimers();
    }
  });

  test('an outcome takes the place of a refusal', async () => {
    const agreed = resolver({}, () => confirm('Agreed?'));
    const tool = defineTool('t', { resolve: { agreed: outcome(agreed) } }, (values) =>
      JSON.stringify(values.agreed),
    );

    const { text } = await run(tool, {}, { era, answers: { agreed: decline() } });
    expect(text).toBe('{"action":"decline"}');
  });

  test('two runs at the same time do not know of each other', async () => {
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

  test('arguments that the definition wants as headers are sent as such', async () => {
    const Query = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) });
    const tool = defineTool('t', { inputSchema: Query }, ({ region }, ctx) => {
      return `${region} ${String(ctx.http?.req?.headers.get('mcp-param-region'))}`;
    });

    const { text } = await run(tool, { region: 'north' }, { era });
    expect(text).toBe(era === 'modern' ? 'north north' : 'north null');
  });
});

test('a client gives up after as many rounds as it is told', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  let rounds = 0;
  const moving = resolver({}, () => confirm(`Round ${++rounds}?`));
  const tool = defineTool('t', { resolve: { moving } }, () => 'done');
  const answers = { moving: accept({ confirm: true }) };

  await expect(run(tool, {}, { answers, maxRounds: 3 })).rejects.toThrow(
    "'t' still asks 'moving' in round 4, where clients give up (maxRounds is 3).",
  );
  expect(rounds).toBe(4);
  expect(warn.mock.lastCall?.[0]).toContain("the question 'moving' changed after every answer");
  warn.mockRestore();
});

test('on the legacy era, code that asks by hand is answered under the method', async () => {
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

test('a resolver that needs an argument gets it as the server parsed it', async () => {
  const Input = z.object({ count: z.number().default(3) });
  const double = resolver({ count: argsOf(Input).count }, ({ count }) => count * 2);
  const tool = defineTool('t', { inputSchema: Input, resolve: { double } }, (values) =>
    String(values.double),
  );

  expect((await run(tool, {})).text).toBe('6');
});

const Word = z.object({ word: z.string() });

test('a tool that is run often was defined once, and nobody is warned', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const often = defineTool('run_often', { resolve: { two: resolver({}, () => 2) } }, () => 'ran');
  for (let time = 0; time < 120; time += 1) await run(often);

  expect(warned.mock.calls.flat().join()).not.toContain('run_often');
  warned.mockRestore();
});
