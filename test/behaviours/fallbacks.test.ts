/** N. Fallbacks: `otherwise` replaces the answer of a client that cannot be asked. */
import { ProtocolError } from '@modelcontextprotocol/server';
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import {
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  elicitUrl,
  listRoots,
  outcome,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import type { Outcome, Resolver, Tool } from 'mcp-resolve';
import { accept, decline, roots, run } from 'mcp-resolve/testing';
import type { Answer } from 'mcp-resolve/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient, connectStateless, type ScriptedUser } from '../support/plainClient.js';
import { protocolErrorOf, questionsOf } from '../support/results.js';
import { httpHandler, serving as servingWith, SILENT } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';
import {
  answering,
  readState,
  type RoundInput,
  type RoundResult,
  roundsOf,
  serving,
  summaryOf,
} from '../support/rounds.js';

const Name = z.object({ name: z.string() });
const anonymous = { name: 'anonymous' };
const LINK = 'https://example.org/sign-in';
const text = (words: string) => ({ type: 'text' as const, text: words });
const prompt = { messages: [{ role: 'user' as const, content: text('Hi') }], maxTokens: 5 };
const said = (words: string) => ({
  role: 'assistant' as const,
  model: 'm',
  content: text(words),
});
const missing = (name: string, key: string) =>
  `Client did not declare the ${name} capability required by resolver '${key}'`;

/** The options of a question: a fallback value, or a function that computes it. */
type Otherwise<T> = { otherwise?: T | (() => T | Promise<T>) } | undefined;

/** A kind of question, with a fallback and an answer. */
interface Kind {
  readonly ask: (options?: Otherwise<never>) => Resolver<unknown>;
  /** The fallback value. */
  readonly value: unknown;
  /** The name of the capability that the question needs. */
  readonly capability: string;
  readonly required: ClientCapabilities;
  /** The response of a client that can be asked, and its value. */
  readonly response: Answer;
  readonly answer: unknown;
}

const KINDS: Readonly<Record<string, Kind>> = {
  elicit: {
    ask: (options) =>
      resolver({}, () => elicit('Name?', Name, options), { asks: 'form', name: 'it' }),
    value: anonymous,
    capability: 'form elicitation',
    required: { elicitation: { form: {} } },
    response: accept({ name: 'Ada' }),
    answer: { name: 'Ada' },
  },
  confirm: {
    ask: (options) => resolver({}, () => confirm('Sure?', options), { asks: 'form', name: 'it' }),
    value: true,
    capability: 'form elicitation',
    required: { elicitation: { form: {} } },
    response: accept({ confirm: true }),
    answer: true,
  },
  elicitUrl: {
    ask: (options) =>
      resolver({}, () => elicitUrl('Sign in', LINK, options), { asks: 'url', name: 'it' }),
    value: true,
    capability: 'url elicitation',
    required: { elicitation: { url: {} } },
    response: accept(),
    answer: true,
  },
  sample: {
    ask: (options) => resolver({}, () => sample(prompt, options), { asks: 'sample', name: 'it' }),
    value: said('from the server'),
    capability: 'sampling',
    required: { sampling: {} },
    response: said('from the client'),
    answer: said('from the client'),
  },
  'sample with tools': {
    ask: (options) =>
      resolver({}, () => sample({ ...prompt, toolChoice: { mode: 'none' } }, options), {
        asks: 'sample',
        name: 'it',
      }),
    value: { ...said('from the server'), content: [text('from the server')] },
    capability: 'sampling.tools',
    required: { sampling: { tools: {} } },
    response: said('from the client'),
    answer: said('from the client'),
  },
  listRoots: {
    ask: (options) => resolver({}, () => listRoots(options), { asks: 'roots', name: 'it' }),
    value: { roots: [] },
    capability: 'roots',
    required: { roots: {} },
    response: roots(['file:///work']),
    answer: { roots: [{ uri: 'file:///work' }] },
  },
};

/** Creates a tool that shows the value and the outcome of a resolver. */
function showing(it: Resolver<unknown>): Tool {
  return defineTool('show', { resolve: { it, how: outcome(it) } }, ({ it: value, how }) =>
    JSON.stringify({ value, how }),
  );
}

const FORMS: ClientCapabilities = { elicitation: {} };

/** Creates a tool that asks to file a draft. Each run of the fallback makes another draft. */
function fileDraft({ pinned }: { pinned: boolean }): Tool {
  let runs = 0;
  const model = resolver({}, () => sample(prompt, { otherwise: () => said(`draft ${++runs}`) }), {
    asks: 'sample',
  });
  const fresh = resolver({ model }, ({ model: { content } }) => JSON.stringify(content));
  const kept = resolver({ fresh }, (values) => values.fresh, { pin: z.string() });
  const draft: Resolver<string> = pinned ? kept : fresh;
  const sure = resolver({ draft }, (values) => confirm(`File ${values.draft}?`), { asks: 'form' });
  return defineTool('file', { resolve: { sure } }, () => 'filed');
}

describe.each(eras)('on the %s era', (era) => {
  describe.each(Object.entries(KINDS))('%s', (_, kind) => {
    test.each<[string, (value: never) => Otherwise<never>]>([
      ['a value', (value) => ({ otherwise: value })],
      ['a function', (value) => ({ otherwise: () => value })],
      ['an async function', (value) => ({ otherwise: async () => Promise.resolve(value) })],
    ])(
      'N2: falls back to %s if the client cannot be asked, as the outcome says',
      async (...row) => {
        const [, options] = row;
        const tool = showing(kind.ask(options(kind.value as never)));
        const { text: shown, questions } = await run(tool, {}, { era, capabilities: {} });

        expect(JSON.parse(shown)).toEqual({
          value: kind.value,
          how: { action: 'accept', data: kind.value, asked: false, fallback: true },
        });
        expect(questions).toEqual([]);
      },
    );

    test('N2: asks a client that can be asked, and does not run the fallback', async () => {
      const otherwise = vi.fn(() => kind.value as never);
      const { text: shown, questions } = await run(
        showing(kind.ask({ otherwise })),
        {},
        { era, capabilities: kind.required, answers: { it: kind.response } },
      );

      expect(JSON.parse(shown)).toEqual({
        value: kind.answer,
        how: { action: 'accept', data: kind.answer, asked: true },
      });
      expect(questions).toHaveLength(1);
      expect(otherwise).not.toHaveBeenCalled();
    });

    test.each<[string, Otherwise<never>]>([
      ['no options', undefined],
      ['no otherwise', {}],
      ['the otherwise undefined', { otherwise: undefined as never }],
    ])('H1: refuses the call with -32021 if it has %s', async (__, options) => {
      const { call } = await connectClient(era, serving(showing(kind.ask(options))));

      expect(await protocolErrorOf(call('show'))).toEqual({
        code: -32021,
        message: missing(kind.capability, 'it'),
        data: { requiredCapabilities: kind.required },
      });
    });

    test.each<[string, Otherwise<never>]>([
      ['throws', { otherwise: fails(new ToolError('pass the name as an argument')) }],
      [
        'rejects with',
        { otherwise: () => Promise.reject(new ToolError('pass the name as an argument')) },
      ],
    ])('sends the message of a ToolError that its fallback %s', async (__, options) => {
      const tool = defineTool('show', { resolve: { it: kind.ask(options) } }, () => 'ran');

      expect(await run(tool, {}, { era, capabilities: {} })).toMatchObject({
        isError: true,
        text: 'Error executing tool show: pass the name as an argument',
        questions: [],
      });
    });

    test.each<[string, unknown]>([
      ['is', confirm('And now?')],
      ['returns', () => elicit('And now?', Name)],
      ['resolves to', async () => Promise.resolve(listRoots())],
    ])('fails without asking if its fallback %s a question', async (__, otherwise) => {
      const tool = showing(kind.ask({ otherwise: otherwise as never }));

      expect(await run(tool, {}, { era, capabilities: {} })).toMatchObject({
        isError: true,
        text: 'Error executing tool show',
        cause: {
          message:
            "Resolver 'it' falls back to another question. `otherwise` must return a value or throw.",
        },
        questions: [],
      });
    });
  });

  describe.each(['confirm', 'elicitUrl'])('a fallback of %s', (name) => {
    const { ask } = KINDS[name]!;

    test.each<[string, unknown]>([
      ['is false', false],
      ['returns false', () => false],
      ['resolves to false', async () => Promise.resolve(false)],
      ['returns undefined', () => undefined],
      ['is null', null],
      ['is a string', 'yes'],
      ['is 1', 1],
    ])('is a decline if it %s', async (__, otherwise) => {
      const it = ask({ otherwise: otherwise as never });
      const plain = defineTool('plain', { resolve: { it } }, () => 'ran');
      const taken = defineTool('taken', { resolve: { it: outcome(it) } }, ({ it: how }) =>
        JSON.stringify(how),
      );

      expect(await run(plain, {}, { era, capabilities: {} })).toMatchObject({
        isError: true,
        text: "Error executing tool plain: Resolver for parameter 'it' could not resolve: elicitation was decline",
      });
      const { text: shown } = await run(taken, {}, { era, capabilities: {} });
      expect(JSON.parse(shown)).toEqual({ action: 'decline' });
    });
  });

  test.each([[false], [null], [0], [''], [[]]])('falls back to %j for a form', async (value) => {
    const tool = showing(KINDS.elicit!.ask({ otherwise: value as never }));
    const { text: shown } = await run(tool, {}, { era, capabilities: {} });

    expect(JSON.parse(shown)).toEqual({
      value,
      how: { action: 'accept', data: value, asked: false, fallback: true },
    });
  });

  test.each([
    ['all', 'Error executing tool failing: no directory'],
    ['toolErrorsOnly', 'Error executing tool failing'],
  ] as const)("K3: with errors: '%s', sends '%s' for an error of a fallback", async (...row) => {
    const [errors, shown] = row;
    const broken = KINDS.elicit!.ask({ otherwise: fails(new TypeError('no directory')) });
    const failing = defineTool('failing', { resolve: { broken } }, () => 'ran');
    const result = await run(failing, {}, { era, capabilities: {}, install: { errors } });

    expect(result.isError).toBe(true);
    expect(result.text).toBe(shown);
    expect(result.reported.map((error) => error.message)).toEqual(['no directory']);
  });

  test('K4: sends a protocol error that a fallback throws to the client', async () => {
    const it = KINDS.elicit!.ask({ otherwise: fails(new ProtocolError(-32602, 'ask elsewhere')) });
    const tool = defineTool('show', { resolve: { it } }, () => 'ran');

    expect((await run(tool, {}, { era, capabilities: {} })).error).toEqual({
      code: -32602,
      message: 'ask elsewhere',
    });
  });

  describe('a round with questions of all kinds', () => {
    const describeOutcome = (how: Outcome<unknown>): string => {
      if (how.action !== 'accept') return how.action;
      if (how.fallback) return 'fell back';
      return how.asked ? 'asked' : 'computed';
    };
    const batch = defineTool(
      'batch',
      {
        resolve: {
          form: outcome(
            resolver({}, () => elicit('Name?', Name, { otherwise: anonymous }), { asks: 'form' }),
          ),
          sure: outcome(
            resolver({}, () => confirm('Sure?', { otherwise: () => true }), { asks: 'form' }),
          ),
          link: outcome(
            resolver({}, () => elicitUrl('Sign in', LINK, { otherwise: true }), { asks: 'url' }),
          ),
          model: outcome(
            resolver({}, () => sample(prompt, { otherwise: async () => said('x') }), {
              asks: 'sample',
            }),
          ),
          roots: outcome(
            resolver({}, () => listRoots({ otherwise: { roots: [] } }), { asks: 'roots' }),
          ),
        },
      },
      (values) =>
        JSON.stringify(
          Object.entries(values).map(([key, how]) => `${key} ${describeOutcome(how)}`),
        ),
    );
    const user: ScriptedUser = {
      elicit: ({ message }) =>
        message === 'Name?'
          ? accept({ name: 'Ada' })
          : message === 'Sure?'
            ? accept({ confirm: true })
            : accept(),
      sample: () => said('y'),
      roots: () => roots([]),
    };

    test.each<[string, ClientCapabilities, string[]]>([
      ['nothing', {}, []],
      ['only links', { elicitation: { url: {} } }, ['link']],
      ['only forms', { elicitation: { form: {} } }, ['form', 'sure']],
      ['elicitation without modes', { elicitation: {} }, ['form', 'sure']],
      ['only sampling', { sampling: {} }, ['model']],
      ['only roots', { roots: {} }, ['roots']],
      ['forms and sampling', { elicitation: {}, sampling: {} }, ['form', 'sure', 'model']],
      [
        'everything',
        { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
        ['form', 'sure', 'link', 'model', 'roots'],
      ],
    ])('asks a client that declared %s only that, and falls back for the rest', async (...row) => {
      const [, capabilities, expected] = row;
      const client = await connectClient(era, serving(batch), { ...user, capabilities });
      const how = (key: string) => `${key} ${expected.includes(key) ? 'asked' : 'fell back'}`;

      expect(JSON.parse(await client.text('batch'))).toEqual(
        ['form', 'sure', 'link', 'model', 'roots'].map(how),
      );
      expect(client.asked).toHaveLength(expected.length);
      expect(client.requests()).toBe(era === 'modern' && expected.length > 0 ? 2 : 1);
    });
  });

  test('H6: falls back if a sample needs tools and the client declares only sampling', async () => {
    const tool = showing(KINDS['sample with tools']!.ask({ otherwise: said('yours') as never }));
    const capabilities = { sampling: {} };
    const { text: shown, questions } = await run(tool, {}, { era, capabilities });

    expect(JSON.parse(shown)).toMatchObject({
      value: said('yours'),
      how: { asked: false, fallback: true },
    });
    expect(questions).toEqual([]);
  });

  test('D17: falls back for the same client in a tool that another tool calls', async () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: anonymous }), {
      asks: 'form',
    });
    const inner = defineTool('inner', { resolve: { form } }, ({ form: { name } }) => name);
    const outer = defineTool('outer', {}, (_, ctx) => inner.call({}, ctx));
    const bare = await connectClient(era, serving(outer));
    const able = await connectClient(era, serving(outer), { elicit: [accept({ name: 'Ada' })] });

    expect(await bare.text('outer')).toBe('anonymous');
    // A modern tool cannot ask here, and a fallback is only for clients that cannot be asked.
    if (era === 'legacy') expect(await able.text('outer')).toBe('Ada');
    else
      expect(await able.errorText('outer')).toMatch(/^Error executing tool inner: 'inner' asks /);
  });

  test('H10: refuses the call if one question has no fallback, even if the others do', async () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: anonymous }), {
      asks: 'form',
    });
    const folders = resolver({}, () => listRoots(), { asks: 'roots' });
    const tool = defineTool('both', { resolve: { form, folders } }, () => 'ran');

    expect((await run(tool, {}, { era, capabilities: {} })).error).toEqual({
      code: -32021,
      message: missing('roots', 'folders'),
      data: { requiredCapabilities: { roots: {} } },
    });
  });

  test('D3: runs the fallback once per call for all consumers of the value', async () => {
    let runs = 0;
    const form = resolver(
      {},
      () => elicit('Name?', Name, { otherwise: async () => ({ name: `run ${++runs}` }) }),
      { asks: 'form' },
    );
    const named = resolver({ form }, ({ form: { name } }) => name !== '');
    const one = resolver({ form }, ({ form: { name } }) => name);
    const two = resolver({ form: outcome(form) }, ({ form: how }) =>
      how.action === 'accept' ? how.data.name : how.action,
    );
    const tool = defineTool(
      'shared',
      { guards: [named], resolve: { form, one, two } },
      ({ form: { name }, one: a, two: b }) => [name, a, b].join(),
    );
    const call = () => run(tool, {}, { era, capabilities: {} });

    expect((await call()).text).toBe('run 1,run 1,run 1');
    expect((await call()).text).toBe('run 2,run 2,run 2');
  });

  test('D6: runs the fallback once in every round', async () => {
    let runs = 0;
    const form = resolver(
      {},
      () => elicit('Name?', Name, { otherwise: () => ({ name: `run ${++runs}` }) }),
      { asks: 'form' },
    );
    const model = resolver({}, () => sample(prompt), { asks: 'sample' });
    const tool = defineTool('rounds', { resolve: { form, model } }, ({ form: { name } }) => name);
    const capabilities = { sampling: {} };
    const result = await run(tool, {}, { era, capabilities, answers: { model: said('y') } });

    expect(result.text).toBe(era === 'modern' ? 'run 2' : 'run 1');
    expect(result.rounds).toBe(era === 'modern' ? 2 : 1);
    expect(runs).toBe(result.rounds);
  });

  test('G33: asks once if the question shows a fallback value that is pinned', async () => {
    const options = { era, capabilities: FORMS, answers: { sure: accept({ confirm: true }) } };
    const result = await run(fileDraft({ pinned: true }), {}, options);

    expect(result.text).toBe('filed');
    expect(result.questions.map(({ message }) => message)).toEqual([
      'File {"type":"text","text":"draft 1"}?',
    ]);
  });

  test('tells later resolvers in the outcome that a value is a fallback', async () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: anonymous }), {
      asks: 'form',
    });
    const greeting = resolver(
      { form: outcome(form) },
      ({ form: how }) =>
        how.action === 'accept' && how.fallback ? sample(prompt) : said('no model was needed'),
      { asks: 'sample' },
    );
    const tool = defineTool(
      'greet',
      { resolve: { form, greeting } },
      ({ form: { name }, greeting: { content } }) => `${name} ${JSON.stringify(content)}`,
    );
    const capabilities = { sampling: {} };
    const result = await run(tool, {}, { era, capabilities, answers: { greeting: said('Hello') } });

    expect(result.text).toBe('anonymous {"type":"text","text":"Hello"}');
    expect(result.questions.map(({ message }) => message)).toEqual(['Hi']);
  });

  test('falls back in a guard, where false keeps the resolvers from starting', async () => {
    const started = vi.fn(() => 1);
    const guarded = (otherwise: boolean) =>
      defineTool(
        'guarded',
        {
          guards: [resolver({}, () => confirm('May I?', { otherwise }), { asks: 'form' })],
          resolve: { started: resolver({}, started) },
        },
        () => 'ran',
      );

    expect(await run(guarded(false), {}, { era, capabilities: {} })).toMatchObject({
      isError: true,
      text: "Error executing tool guarded: Resolver for parameter 'guard' could not resolve: elicitation was decline",
    });
    expect(started).not.toHaveBeenCalled();
    expect((await run(guarded(true), {}, { era, capabilities: {} })).text).toBe('ran');
  });

  test('C8: fails despite a fallback if the question is undeclared or cannot be shown', async () => {
    const undeclared = resolver({}, (): unknown => listRoots({ otherwise: { roots: [] } }), {
      asks: 'sample',
    });
    const Nested = z.object({ deep: z.object({ er: z.string() }) });
    const unshowable = resolver(
      {},
      () => elicit('Deep?', Nested, { otherwise: { deep: { er: 'x' } } }),
      { asks: 'form' },
    );
    const call = (resolve: Record<string, Resolver<unknown>>) =>
      run(
        defineTool('fail', { resolve }, () => 'ran'),
        {},
        { era, capabilities: {} },
      );

    expect((await call({ undeclared })).cause?.message).toBe(
      "Resolver 'undeclared' declares that it asks a 'sample' question, but it returned a 'roots' question. Change `asks`, or return the declared question.",
    );
    expect((await call({ unshowable })).cause?.message).toMatch(
      /^Resolver 'unshowable' asks with a schema that a form cannot show: .*deep/,
    );
  });

  test('disposes of a fallback value as of a computed one', async () => {
    const ends: string[] = [];
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: anonymous }), {
      asks: 'form',
      dispose: (value: never, end) => ends.push(`${JSON.stringify(value)} ${end}`),
    });
    const tool = defineTool('tidy', { resolve: { form } }, ({ form: { name } }) => name);

    expect((await run(tool, {}, { era, capabilities: {} })).text).toBe('anonymous');
    expect(ends).toEqual(['{"name":"anonymous"} completed']);
  });

  const user = resolver({}, () => elicit('Name?', Name, { otherwise: anonymous }), {
    asks: 'form',
  });
  const strict = resolver(
    {},
    () =>
      elicit('Name?', Name, { otherwise: fails(new ToolError('open it in a client with forms')) }),
    { asks: 'form' },
  );

  test.each([
    {
      kind: 'prompt',
      lenient: definePrompt('greet', { resolve: { user } }, (values) => `I am ${values.user.name}`),
      result: { messages: [{ role: 'user', content: text('I am anonymous') }] },
      failing: definePrompt('strict', { resolve: { strict } }, () => 'ran'),
      message: 'Error getting prompt strict: open it in a client with forms',
    },
    {
      kind: 'resource',
      lenient: defineResource(
        'card',
        'card://me',
        { resolve: { user } },
        (values) => values.user.name,
      ),
      result: { contents: [{ uri: 'card://me', text: 'anonymous' }] },
      failing: defineResource('strict', 'card://strict', { resolve: { strict } }, () => 'ran'),
      message: 'Error reading resource card://strict: open it in a client with forms',
    },
  ])('J13: falls back in a $kind, and fails with the message of a $kind', async (row) => {
    const options = { era, capabilities: {} };

    expect((await run(row.lenient, undefined, options)).result).toMatchObject(row.result);
    expect((await run(row.failing, undefined, options)).error).toEqual({
      code: -32603,
      message: row.message,
    });
  });
});

test('G33: asks a modern client again when the fallback value changes', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const client = await connectClient('modern', serving(fileDraft({ pinned: false })), {
    elicit: () => accept({ confirm: true }),
    maxRounds: 3,
  });

  await expect(client.call('file')).rejects.toThrow(/rounds/);
  expect(client.asked).toHaveLength(3);
  expect(new Set(client.asked).size).toBe(3);
  warn.mockRestore();
});

test('G33: asks a legacy client once, because the fallback runs once', async () => {
  const options = { capabilities: FORMS, answers: { sure: [accept({ confirm: true })] } };
  const result = await run(fileDraft({ pinned: false }), {}, { era: 'legacy', ...options });

  expect(result.text).toBe('filed');
});

describe('a modern round with its own capabilities', () => {
  const SAMPLING = { sampling: {} };
  const yes = { model: said('y') };

  /** Returns a function that sends single rounds of a tool with their capabilities. */
  const declaringRoundsOf = (tool: Tool) => {
    const sendRound = roundsOf(tool);
    return (capabilities: ClientCapabilities, input: RoundInput = {}): Promise<RoundResult> =>
      sendRound({ capabilities, ...input });
  };

  /** Creates a tool with a form that falls back, a sample that does not, and one after both. */
  const stages = () => {
    const runs = { fallback: 0 };
    const form = resolver(
      {},
      () =>
        elicit('Name?', Name, {
          otherwise: () => {
            runs.fallback += 1;
            return anonymous;
          },
        }),
      { asks: 'form' },
    );
    const model = resolver({}, () => sample(prompt), { asks: 'sample' });
    const next = resolver(
      { form, model },
      ({ form: { name } }) => sample({ ...prompt, systemPrompt: name }),
      { asks: 'sample' },
    );
    const tool = defineTool(
      'stages',
      { resolve: { form: outcome(form), model, next } },
      ({ form: how }) => JSON.stringify(how),
    );
    return { sendRound: declaringRoundsOf(tool), runs };
  };
  const fellBack = JSON.stringify({
    action: 'accept',
    data: anonymous,
    asked: false,
    fallback: true,
  });
  const answered = JSON.stringify({ action: 'accept', data: { name: 'Ada' }, asked: true });

  test('neither asks nor records a question that falls back', async () => {
    const { sendRound, runs } = stages();
    const first = await sendRound(SAMPLING);

    expect(questionsOf(first).keys).toEqual(['model']);
    expect(readState(first).outcomes).toEqual({});
    expect(Object.keys(readState(first).asked)).toEqual(['model']);
    const second = await sendRound(SAMPLING, answering(first, yes));
    expect(Object.keys(readState(second).outcomes)).toEqual(['model']);
    expect(summaryOf(await sendRound(SAMPLING, answering(second, { next: said('z') })))).toBe(
      fellBack,
    );
    expect(runs.fallback).toBe(3);
  });

  test.each([SAMPLING, {}])(
    'G21: ignores an answer to a question that fell back, and falls back again with %j',
    async (capabilities) => {
      const { sendRound } = stages();
      const first = await sendRound(SAMPLING);
      const both = { ...yes, form: accept({ name: 'Mallory' }) };
      const second = await sendRound(SAMPLING, answering(first, both));

      expect(questionsOf(second).requests.next?.params?.systemPrompt).toBe('anonymous');
      expect(Object.keys(readState(second).outcomes)).toEqual(['model']);
      const last = await sendRound(
        capabilities,
        answering(second, { next: said('z'), form: accept({ name: 'Mallory' }) }),
      );
      expect(summaryOf(last)).toBe(fellBack);
    },
  );

  test('G21: asks if it declares forms, even if it brings an early answer', async () => {
    const { sendRound, runs } = stages();
    const first = await sendRound(SAMPLING);
    const second = await sendRound(
      { ...SAMPLING, ...FORMS },
      answering(first, { ...yes, form: accept({ name: 'Mallory' }) }),
    );

    expect(summaryOf(second)).toBe('asks form');
    expect(runs.fallback).toBe(1);
    const third = await sendRound(
      { ...SAMPLING, ...FORMS },
      answering(second, { form: accept({ name: 'Ada' }) }),
    );
    expect(questionsOf(third).requests.next?.params?.systemPrompt).toBe('Ada');
  });

  test('H13: asks if it declares more than the round before, and keeps the answer', async () => {
    const { sendRound, runs } = stages();
    const first = await sendRound(SAMPLING);
    const second = await sendRound({ ...SAMPLING, ...FORMS }, answering(first, yes));
    expect(summaryOf(second)).toBe('asks form');

    const third = await sendRound(SAMPLING, answering(second, { form: accept({ name: 'Ada' }) }));
    expect(summaryOf(third)).toBe('asks next');
    expect(summaryOf(await sendRound({}, answering(third, { next: said('z') })))).toBe(answered);
    expect(runs.fallback).toBe(1);
  });

  test('H9: uses the answer of an earlier round, not the fallback, if it declares nothing', async () => {
    const { sendRound, runs } = stages();
    const first = await sendRound({ ...SAMPLING, ...FORMS });
    expect(questionsOf(first).keys).toEqual(['form', 'model']);
    // Fresh in the second round, and from the record in the third.
    const second = await sendRound(
      SAMPLING,
      answering(first, { ...yes, form: accept({ name: 'Ada' }) }),
    );
    expect(questionsOf(second).requests.next?.params?.systemPrompt).toBe('Ada');
    expect(summaryOf(await sendRound({}, answering(second, { next: said('z') })))).toBe(answered);
    expect(runs.fallback).toBe(0);
  });

  /** Creates a tool that shows the outcome of a form with a fallback. */
  const outcomeTool = () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: anonymous }), {
      asks: 'form',
    });
    return defineTool('go', { resolve: { form: outcome(form) } }, ({ form: how }) =>
      JSON.stringify(how),
    );
  };

  test('H9: uses the decline of an earlier round, not the fallback, if it declares nothing', async () => {
    const sendRound = declaringRoundsOf(outcomeTool());
    const first = await sendRound(FORMS);

    expect(summaryOf(await sendRound({}, answering(first, { form: decline() })))).toBe(
      '{"action":"decline"}',
    );
  });

  test('falls back for an open question that it can no longer ask', async () => {
    const sendRound = declaringRoundsOf(outcomeTool());
    const first = await sendRound(FORMS);

    expect(summaryOf(await sendRound({}, answering(first, {})))).toBe(fellBack);
  });

  test('E10: fails on an invalid answer, and does not fall back', async () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: anonymous }), {
      asks: 'form',
    });
    const sendRound = declaringRoundsOf(defineTool('go', { resolve: { form } }, () => 'ran'));
    const first = await sendRound(FORMS);

    expect(summaryOf(await sendRound({}, answering(first, { form: accept({ nope: 1 }) })))).toBe(
      "Error executing tool go: Resolver 'form' received an accepted elicitation whose content does not match the requested schema (field 'name')",
    );
  });

  test('G17: falls back for a changed message that it cannot ask, and ignores the old consent', async () => {
    let message = 'Deploy to staging?';
    const sure = resolver({}, () => confirm(message, { otherwise: false }), { asks: 'form' });
    const sendRound = declaringRoundsOf(
      defineTool('deploy', { resolve: { sure: outcome(sure) } }, ({ sure: how }) => how.action),
    );
    const first = await sendRound(FORMS);
    message = 'Deploy to production?';

    expect(
      summaryOf(await sendRound({}, answering(first, { sure: accept({ confirm: true }) }))),
    ).toBe('decline');
  });
});

describe('a client with unknown capabilities', () => {
  test('gets the fallback on the legacy era without a session', async () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: anonymous }), {
      asks: 'form',
    });
    const folders = resolver({}, () => listRoots(), { asks: 'roots' });
    const strict = defineTool('strict', { resolve: { form, folders } }, () => 'ran');
    const handler = httpHandler(servingWith([showing(form), strict], { logger: SILENT }));
    // The server of the call does not know the capabilities from `initialize`.
    const client = await connectStateless(handler, { elicitation: {}, roots: {} });

    const { content } = await client.callTool({ name: 'show' });
    expect(content).toEqual([
      text(
        JSON.stringify({
          value: anonymous,
          how: { action: 'accept', data: anonymous, asked: false, fallback: true },
        }),
      ),
    ]);
    expect(await protocolErrorOf(client.callTool({ name: 'strict' }))).toEqual({
      code: -32600,
      message:
        "Cannot send 'roots/list': this transport context has no back-channel for server-initiated requests.",
    });
  });

  test.each(Object.entries(KINDS))(
    'D16: gets the fallback of %s in a direct call',
    async (_, kind) => {
      const tool = showing(kind.ask({ otherwise: kind.value as never }));

      expect(await tool.call(undefined as never)).toEqual({
        content: [
          text(
            JSON.stringify({
              value: kind.value,
              how: { action: 'accept', data: kind.value, asked: false, fallback: true },
            }),
          ),
        ],
      });
    },
  );
});

describe('a slow fallback', () => {
  /** Creates a question whose fallback waits until the test releases it. */
  const slowQuestion = () => {
    const started = deferred();
    const release = deferred<{ name: string }>();
    const aborted = deferred();
    const ask = ({ signal }: { readonly signal: AbortSignal }) =>
      elicit('Name?', Name, {
        otherwise: () => {
          signal.addEventListener('abort', () => aborted.resolve());
          started.resolve();
          return release.promise;
        },
      });
    return { ask, started, release, aborted };
  };

  /** Creates a tool with a slow fallback, and records its body runs and disposals. */
  const slowTool = () => {
    const { ask, ...steps } = slowQuestion();
    const seen = { bodies: 0, disposed: [] as string[] };
    const form = resolver({}, (_, ctx) => ask(ctx), {
      asks: 'form',
      dispose: (value: never, end) => seen.disposed.push(`${JSON.stringify(value)} ${end}`),
    });
    const tool = defineTool('slow', { resolve: { form } }, () => `${++seen.bodies}`);
    return { tool, seen, ...steps };
  };

  test('is aborted when a modern client gives up, and the body does not run', async () => {
    const { tool, started, release, aborted, seen } = slowTool();
    const request = new AbortController();
    const call = post(
      httpHandler(serving(tool)),
      'tools/call',
      { name: 'slow', arguments: {} },
      { signal: request.signal },
    );
    const ended = call.then(
      () => 'answered',
      () => 'given up',
    );
    await started.promise;
    request.abort();
    await aborted.promise;
    release.resolve(anonymous);

    expect(await ended).toBe('given up');
    await vi.waitFor(() => {
      expect(seen.disposed).toEqual(['{"name":"anonymous"} cancelled']);
    });
    expect(seen.bodies).toBe(0);
  });

  test('is aborted when a legacy client gives up, and the connection stays usable', async () => {
    const { tool, started, release, aborted, seen } = slowTool();
    const plain = defineTool('plain', {}, () => 'ok');
    const client = await rawLegacy(serving(tool, plain));
    void client.request('tools/call', { name: 'slow' });
    await started.promise;
    // The first request of the connection was `initialize`.
    await client.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 2 },
    });
    await aborted.promise;
    release.resolve(anonymous);

    await vi.waitFor(() => {
      expect(seen.disposed).toEqual(['{"name":"anonymous"} cancelled']);
    });
    expect((await client.request('tools/call', { name: 'plain' })).result).toMatchObject({
      content: [text('ok')],
    });
    expect(seen.bodies).toBe(0);
  });

  test.each(eras)('does not delay the failure of another resolver, on the %s era', async (era) => {
    const { ask, started, release, aborted } = slowQuestion();
    const broken = resolver({}, async () => {
      await started.promise;
      throw new ToolError('boom');
    });
    const slow = resolver({}, (_, ctx) => ask(ctx), { asks: 'form' });
    const tool = defineTool('both', { resolve: { broken, slow } }, () => 'ran');
    const { errorText } = await connectClient(era, serving(tool));

    expect(await errorText('both')).toBe('Error executing tool both: boom');
    await aborted.promise;
    release.resolve(anonymous);
  });
});

function fails(error: Error): () => never {
  return () => {
    throw error;
  };
}
