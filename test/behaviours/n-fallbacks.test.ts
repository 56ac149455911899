/** N. Fallbacks: what `otherwise` gives stands in where a client cannot be asked, and only there. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer, ProtocolError } from '@modelcontextprotocol/server';
import type { ClientCapabilities } from '@modelcontextprotocol/server';
import {
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  elicit,
  elicitUrl,
  install,
  listRoots,
  outcome,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import type { Outcome, Resolver, Tool } from 'mcp-resolve';
import { accept, decline } from 'mcp-resolve/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { connectClient, type ScriptedUser } from '../support/plainClient.js';
import { protocolErrorOf, questionsOf } from '../support/results.js';
import { closeAfterTest, httpHandler } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';
import { readState, serving, summaryOf } from '../support/rounds.js';
import type { RoundInput, RoundResult } from '../support/rounds.js';

const Name = z.object({ name: z.string() });
const nobody = { name: 'nobody' };
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

/** A value, or what computes it. */
type Otherwise<T> = { otherwise?: T | (() => T | Promise<T>) } | undefined;

/** A kind of question: how it is asked, what it falls back on here, and what it needs. */
interface Kind {
  readonly ask: (options?: Otherwise<never>) => Resolver<unknown>;
  readonly value: unknown;
  readonly capability: string;
  readonly required: object;
  /** A client that can be asked, and what it answers. */
  readonly able: ScriptedUser;
  readonly answer: unknown;
}

const KINDS: Readonly<Record<string, Kind>> = {
  elicit: {
    ask: (options) => resolver({}, () => elicit('Name?', Name, options), { name: 'it' }),
    value: nobody,
    capability: 'form elicitation',
    required: { elicitation: { form: {} } },
    able: { elicit: [accept({ name: 'Ada' })] },
    answer: { name: 'Ada' },
  },
  confirm: {
    ask: (options) => resolver({}, () => confirm('Sure?', options), { name: 'it' }),
    value: true,
    capability: 'form elicitation',
    required: { elicitation: { form: {} } },
    able: { elicit: [accept({ confirm: true })] },
    answer: true,
  },
  elicitUrl: {
    ask: (options) => resolver({}, () => elicitUrl('Sign in', LINK, options), { name: 'it' }),
    value: true,
    capability: 'url elicitation',
    required: { elicitation: { url: {} } },
    able: { capabilities: { elicitation: { url: {} } }, elicit: [{ action: 'accept' }] },
    answer: true,
  },
  sample: {
    ask: (options) => resolver({}, () => sample(prompt, options), { name: 'it' }),
    value: said('from the server'),
    capability: 'sampling',
    required: { sampling: {} },
    able: { sample: [said('from the client')] },
    answer: said('from the client'),
  },
  'sample with tools': {
    ask: (options) =>
      resolver({}, () => sample({ ...prompt, toolChoice: { mode: 'none' } }, options), {
        name: 'it',
      }),
    value: { ...said('from the server'), content: [text('from the server')] },
    capability: 'sampling.tools',
    required: { sampling: { tools: {} } },
    able: {
      capabilities: { sampling: { tools: {} } },
      sample: [said('from the client')],
    },
    answer: said('from the client'),
  },
  listRoots: {
    ask: (options) => resolver({}, () => listRoots(options), { name: 'it' }),
    value: { roots: [] },
    capability: 'roots',
    required: { roots: {} },
    able: { roots: [{ roots: [{ uri: 'file:///work' }] }] },
    answer: { roots: [{ uri: 'file:///work' }] },
  },
};

/** A tool that shows the value and the outcome of a resolver. */
function showing(it: Resolver<unknown>): Tool {
  return defineTool('show', { resolve: { it, how: outcome(it) } }, ({ it: value, how }) =>
    JSON.stringify({ value, how }),
  );
}

describe.each(eras)('on the %s era', (era) => {
  describe.each(Object.entries(KINDS))('%s', (_, kind) => {
    test.each<[string, (value: never) => Otherwise<never>]>([
      ['a value', (value) => ({ otherwise: value })],
      ['a function', (value) => ({ otherwise: () => value })],
      ['an async function', (value) => ({ otherwise: async () => Promise.resolve(value) })],
    ])('N2: a client that cannot be asked gets %s, and the outcome says so', async (__, given) => {
      const tool = showing(kind.ask(given(kind.value as never)));
      const chat = await connectClient(era, serving(tool));

      expect(JSON.parse(await chat.text('show'))).toEqual({
        value: kind.value,
        how: { action: 'accept', data: kind.value, asked: false, fallback: true },
      });
      expect(chat.asked).toEqual([]);
    });

    test('N2: a client that can be asked is asked, and the fallback does not run', async () => {
      const otherwise = vi.fn(() => kind.value as never);
      const chat = await connectClient(era, serving(showing(kind.ask({ otherwise }))), kind.able);

      expect(JSON.parse(await chat.text('show'))).toEqual({
        value: kind.answer,
        how: { action: 'accept', data: kind.answer, asked: true },
      });
      expect(chat.asked).toHaveLength(1);
      expect(otherwise).not.toHaveBeenCalled();
    });

    test.each<[string, Otherwise<never>]>([
      ['no options', undefined],
      ['no otherwise', {}],
      ['an otherwise that is undefined', { otherwise: undefined as never }],
    ])('H1: with %s the client gets -32021 as before', async (__, options) => {
      const chat = await connectClient(era, serving(showing(kind.ask(options))));

      expect(await protocolErrorOf(chat.call('show'))).toEqual({
        code: -32021,
        message: missing(kind.capability, 'it'),
        data: { requiredCapabilities: kind.required },
      });
    });

    test.each<[string, Otherwise<never>]>([
      ['thrown', { otherwise: fails(new ToolError('pass the name as an argument')) }],
      [
        'rejected',
        { otherwise: () => Promise.reject(new ToolError('pass the name as an argument')) },
      ],
    ])('a ToolError that is %s is what the model reads', async (__, options) => {
      const tool = defineTool('show', { resolve: { it: kind.ask(options) } }, () => 'ran');
      const chat = await connectClient(era, serving(tool));

      expect(await chat.call('show')).toMatchObject({
        content: [text('Error executing tool show: pass the name as an argument')],
        isError: true,
      });
      expect(chat.asked).toEqual([]);
    });

    test.each<[string, unknown]>([
      ['a value', confirm('And now?')],
      ['what a function returns', () => elicit('And now?', Name)],
      ['what an async function returns', async () => Promise.resolve(listRoots())],
    ])('a question as %s is a tool error that says so', async (__, otherwise) => {
      const tool = showing(kind.ask({ otherwise: otherwise as never }));
      const chat = await connectClient(era, serving(tool));

      expect(await chat.errorText('show')).toBe(
        "Error executing tool show: Resolver 'it' falls back on another question: 'otherwise' gives a value or throws",
      );
      expect(chat.asked).toEqual([]);
    });
  });

  describe.each(['confirm', 'elicitUrl'])('a fallback of %s that is not a yes', (name) => {
    const { ask } = KINDS[name]!;

    test.each<[string, unknown]>([
      ['false', false],
      ['a function of false', () => false],
      ['a promise of false', async () => Promise.resolve(false)],
      ['a function of undefined', () => undefined],
      ['null', null],
      ['a text', 'yes'],
      ['1', 1],
    ])('%s is a decline', async (__, otherwise) => {
      const it = ask({ otherwise: otherwise as never });
      const plain = defineTool('plain', { resolve: { it } }, () => 'ran');
      const taken = defineTool('taken', { resolve: { it: outcome(it) } }, ({ it: how }) =>
        JSON.stringify(how),
      );
      const chat = await connectClient(era, serving(plain, taken));

      expect(await chat.errorText('plain')).toBe(
        "Error executing tool plain: Resolver for parameter 'it' could not resolve: elicitation was decline",
      );
      expect(JSON.parse(await chat.text('taken'))).toEqual({ action: 'decline' });
    });
  });

  test('a form takes whatever value the author gives, false and null included', async () => {
    for (const value of [false, null, 0, '', []]) {
      const tool = showing(KINDS.elicit!.ask({ otherwise: value as never }));
      const chat = await connectClient(era, serving(tool));

      expect(JSON.parse(await chat.text('show'))).toEqual({
        value,
        how: { action: 'accept', data: value, asked: false, fallback: true },
      });
    }
  });

  test('K3: anything else that a fallback throws is an error like any other', async () => {
    const broken = KINDS.elicit!.ask({ otherwise: fails(new TypeError('no directory')) });
    const failing = defineTool('failing', { resolve: { broken } }, () => 'ran');
    const reported: string[] = [];
    const factory = (errors: 'all' | 'toolErrorsOnly') => () => {
      const server = new McpServer({ name: 'fallbacks', version: '1.0.0' });
      server.server.onerror = (error) => reported.push(error.message);
      install(server, [failing], { errors });
      return server;
    };

    expect(await (await connectClient(era, factory('all'))).errorText('failing')).toBe(
      'Error executing tool failing: no directory',
    );
    expect(await (await connectClient(era, factory('toolErrorsOnly'))).errorText('failing')).toBe(
      'Error executing tool failing: an unexpected error occurred',
    );
    expect(reported).toEqual(['no directory', 'no directory']);
  });

  test('K4: a protocol error that a fallback throws is for the client', async () => {
    const it = KINDS.elicit!.ask({ otherwise: fails(new ProtocolError(-32602, 'ask elsewhere')) });
    const chat = await connectClient(
      era,
      serving(defineTool('show', { resolve: { it } }, () => 'ran')),
    );

    expect(await protocolErrorOf(chat.call('show'))).toEqual({
      code: -32602,
      message: 'ask elsewhere',
    });
  });

  describe('a batch of all kinds', () => {
    const read = (how: Outcome<unknown>): string => {
      if (how.action !== 'accept') return how.action;
      if (how.fallback) return 'fell back';
      return how.asked ? 'asked' : 'computed';
    };
    const batch = defineTool(
      'batch',
      {
        resolve: {
          form: outcome(resolver({}, () => elicit('Name?', Name, { otherwise: nobody }))),
          sure: outcome(resolver({}, () => confirm('Sure?', { otherwise: () => true }))),
          link: outcome(resolver({}, () => elicitUrl('Sign in', LINK, { otherwise: true }))),
          model: outcome(resolver({}, () => sample(prompt, { otherwise: async () => said('x') }))),
          roots: outcome(resolver({}, () => listRoots({ otherwise: { roots: [] } }))),
        },
      },
      (values) => JSON.stringify(Object.entries(values).map(([key, how]) => `${key} ${read(how)}`)),
    );
    const all: ScriptedUser = {
      elicit: ({ message }) =>
        message === 'Name?'
          ? accept({ name: 'Ada' })
          : message === 'Sure?'
            ? accept({ confirm: true })
            : { action: 'accept' },
      sample: () => said('y'),
      roots: () => ({ roots: [] }),
    };

    test.each<[string, ClientCapabilities, string[]]>([
      ['nothing', {}, []],
      ['links alone', { elicitation: { url: {} } }, ['link']],
      ['forms alone', { elicitation: { form: {} } }, ['form', 'sure']],
      ['a bare elicitation', { elicitation: {} }, ['form', 'sure']],
      ['sampling alone', { sampling: {} }, ['model']],
      ['roots alone', { roots: {} }, ['roots']],
      ['forms and sampling', { elicitation: {}, sampling: {} }, ['form', 'sure', 'model']],
      [
        'everything',
        { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
        ['form', 'sure', 'link', 'model', 'roots'],
      ],
    ])('a client that declared %s is asked that, and falls back on the rest', async (...row) => {
      const [, capabilities, asked] = row;
      const chat = await connectClient(era, serving(batch), { ...all, capabilities });
      const how = (key: string) => `${key} ${asked.includes(key) ? 'asked' : 'fell back'}`;

      expect(JSON.parse(await chat.text('batch'))).toEqual(
        ['form', 'sure', 'link', 'model', 'roots'].map(how),
      );
      expect(chat.asked).toHaveLength(asked.length);
      expect(chat.requests()).toBe(era === 'modern' && asked.length > 0 ? 2 : 1);
    });
  });

  test('H6: a client whose model takes no tools falls back where tools are needed', async () => {
    const tool = showing(KINDS['sample with tools']!.ask({ otherwise: said('yours') as never }));
    const chat = await connectClient(era, serving(tool), { sample: [] });

    expect(JSON.parse(await chat.text('show'))).toMatchObject({
      value: said('yours'),
      how: { asked: false, fallback: true },
    });
    expect(chat.asked).toEqual([]);
  });

  test('D17: a tool that is called from inside another one falls back for the same client', async () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: nobody }));
    const inner = defineTool('inner', { resolve: { form } }, ({ form: { name } }) => name);
    const outer = defineTool('outer', {}, (_, ctx) => inner.call({}, ctx));
    const bare = await connectClient(era, serving(outer));
    const able = await connectClient(era, serving(outer), { elicit: [accept({ name: 'Ada' })] });

    expect(await bare.text('outer')).toBe('nobody');
    // The modern era cannot ask from there, and a fallback is not for clients that can be asked.
    if (era === 'legacy') expect(await able.text('outer')).toBe('Ada');
    else expect(await able.errorText('outer')).toMatch(/^Error executing tool inner: it asks /);
  });

  test('H10: a question without a fallback ends the call, whatever the others fall back on', async () => {
    const otherwise = vi.fn(() => nobody);
    const form = resolver({}, () => elicit('Name?', Name, { otherwise }));
    const roots = resolver({}, () => listRoots());
    const tool = defineTool('both', { resolve: { form, roots } }, () => 'ran');
    const chat = await connectClient(era, serving(tool));

    expect(await protocolErrorOf(chat.call('both'))).toEqual({
      code: -32021,
      message: missing('roots', 'roots'),
      data: { requiredCapabilities: { roots: {} } },
    });
  });

  test('D3: it runs once however many consumers there are, and they see one value', async () => {
    let runs = 0;
    const form = resolver({}, () =>
      elicit('Name?', Name, { otherwise: async () => ({ name: `run ${++runs}` }) }),
    );
    const one = resolver({ form }, ({ form: { name } }) => name);
    const two = resolver({ form: outcome(form) }, ({ form: how }) =>
      how.action === 'accept' ? how.data.name : how.action,
    );
    const tool = defineTool(
      'shared',
      { guards: [form], resolve: { form, one, two } },
      ({ form: { name }, one: a, two: b }) => [name, a, b].join(),
    );
    const chat = await connectClient(era, serving(tool));

    expect(await chat.text('shared')).toBe('run 1,run 1,run 1');
    expect(await chat.text('shared')).toBe('run 2,run 2,run 2');
  });

  test('D6: it runs in every round again, once: a 2025 client has one round', async () => {
    let runs = 0;
    const form = resolver({}, () =>
      elicit('Name?', Name, { otherwise: () => ({ name: `run ${++runs}` }) }),
    );
    const model = resolver({}, () => sample(prompt));
    const tool = defineTool('rounds', { resolve: { form, model } }, ({ form: { name } }) => name);
    const chat = await connectClient(era, serving(tool), { sample: [said('y')] });

    expect(await chat.text('rounds')).toBe(era === 'modern' ? 'run 2' : 'run 1');
    expect(runs).toBe(era === 'modern' ? 2 : 1);
  });

  test('G33: a question that shows what a fallback gives anew moves on; over a pinned value it stays', async () => {
    let runs = 0;
    const model = resolver({}, () => sample(prompt, { otherwise: () => said(`draft ${++runs}`) }));
    const words = resolver({ model }, ({ model: { content } }) => JSON.stringify(content));
    const kept = resolver({ words }, ({ words: shown }) => shown, { pin: z.string() });
    const asking = (shown: Resolver<string>) =>
      resolver({ shown }, (values) => confirm(`File ${values.shown}?`));
    const moving = defineTool('moving', { resolve: { sure: asking(words) } }, () => 'filed');
    const steady = defineTool('steady', { resolve: { sure: asking(kept) } }, () => 'filed');
    const chat = await connectClient(era, serving(moving, steady), {
      elicit: () => accept({ confirm: true }),
      maxRounds: 3,
    });

    expect(await chat.text('steady')).toBe('filed');
    expect(chat.asked).toEqual(['File {"type":"text","text":"draft 1"}?']);
    if (era === 'legacy') {
      expect(await chat.text('moving')).toBe('filed');
      return;
    }
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await expect(chat.call('moving')).rejects.toThrow(/rounds/);
    expect(new Set(chat.asked).size).toBe(chat.asked.length);
    warn.mockRestore();
  });

  test('a later question can rest on a fallback, and the outcome tells it from an answer', async () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: nobody }));
    const greeting = resolver({ form: outcome(form) }, ({ form: how }) =>
      how.action === 'accept' && how.fallback ? sample(prompt) : said('no model was needed'),
    );
    const tool = defineTool(
      'greet',
      { resolve: { form, greeting } },
      ({ form: { name }, greeting: { content } }) => `${name} ${JSON.stringify(content)}`,
    );
    const chat = await connectClient(era, serving(tool), { sample: [said('Hello')] });

    expect(await chat.text('greet')).toBe('nobody {"type":"text","text":"Hello"}');
    expect(chat.asked).toEqual(['Hi']);
  });

  test('a guard falls back too: false keeps everything behind it from starting', async () => {
    const started = vi.fn(() => 1);
    const allowed = (otherwise: boolean) => resolver({}, () => confirm('May I?', { otherwise }));
    const resolve = { started: resolver({}, started) };
    const chat = await connectClient(
      era,
      serving(
        defineTool('shut', { guards: [allowed(false)], resolve }, () => 'ran'),
        defineTool('open', { guards: [allowed(true)], resolve }, () => 'ran'),
      ),
    );

    expect(await chat.errorText('shut')).toBe(
      "Error executing tool shut: Resolver for parameter 'guard' could not resolve: elicitation was decline",
    );
    expect(started).not.toHaveBeenCalled();
    expect(await chat.text('open')).toBe('ran');
  });

  test('C8: a fallback excuses no question that was not declared, or that no form can show', async () => {
    const undeclared = resolver({}, () => listRoots({ otherwise: { roots: [] } }), {
      asks: 'sample',
    });
    const Nested = z.object({ deep: z.object({ er: z.string() }) });
    const unshowable = resolver({}, () =>
      elicit('Deep?', Nested, { otherwise: { deep: { er: 'x' } } }),
    );
    const chat = await connectClient(
      era,
      serving(
        defineTool('undeclared', { resolve: { undeclared } }, () => 'ran'),
        defineTool('unshowable', { resolve: { unshowable } }, () => 'ran'),
      ),
    );

    expect(await chat.errorText('undeclared')).toBe(
      "Error executing tool undeclared: Resolver 'undeclared' declares that it asks 'sample', but it asked 'roots'",
    );
    expect(await chat.errorText('unshowable')).toMatch(
      /^Error executing tool unshowable: Resolver 'unshowable' asks with a schema that no form can show: .*deep/,
    );
  });

  test('a value that was fallen back on is disposed of like one that was computed', async () => {
    const ends: string[] = [];
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: nobody }), {
      dispose: (value: never, end) => ends.push(`${JSON.stringify(value)} ${end}`),
    });
    const tool = defineTool('tidy', { resolve: { form } }, ({ form: { name } }) => name);
    const chat = await connectClient(era, serving(tool));

    expect(await chat.text('tidy')).toBe('nobody');
    expect(ends).toEqual(['{"name":"nobody"} completed']);
  });

  test('J13: prompts and resources fall back, and fail in their own words', async () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: nobody }));
    const strict = resolver({}, () =>
      elicit('Name?', Name, { otherwise: fails(new ToolError('open it in a client with forms')) }),
    );
    const factory = () => {
      const server = new McpServer({ name: 'fallbacks', version: '1.0.0' });
      install(server, [
        definePrompt('greet', { resolve: { form } }, ({ form: { name } }) => `I am ${name}`),
        definePrompt('strict', { resolve: { strict } }, () => 'ran'),
        defineResource('card', 'card://me', { resolve: { form } }, ({ form: { name } }) => name),
        defineResource('sealed', 'card://sealed', { resolve: { strict } }, () => 'ran'),
      ]);
      return server;
    };
    const { client } = await connectClient(era, factory);

    expect((await client.getPrompt({ name: 'greet' })).messages).toEqual([
      { role: 'user', content: text('I am nobody') },
    ]);
    expect((await client.readResource({ uri: 'card://me' })).contents).toEqual([
      { uri: 'card://me', text: 'nobody' },
    ]);
    expect(await protocolErrorOf(client.getPrompt({ name: 'strict' }))).toEqual({
      code: -32603,
      message: 'Error getting prompt strict: open it in a client with forms',
    });
    expect(await protocolErrorOf(client.readResource({ uri: 'card://sealed' }))).toEqual({
      code: -32603,
      message: 'Error reading resource sealed: open it in a client with forms',
    });
  });
});

describe('on the modern era each round declares for itself', () => {
  const FORMS = { elicitation: {} };
  const SAMPLING = { sampling: {} };
  const yes = { model: said('y') };

  /** Sends rounds of one tool by hand, each with capabilities of its own. */
  const roundsOf = (tool: Tool) => {
    const handler = httpHandler(serving(tool));
    return async (
      capabilities: ClientCapabilities,
      { args = {}, ...rest }: RoundInput = {},
    ): Promise<RoundResult> => {
      const params = { name: tool.name, arguments: args, ...rest };
      const { body } = await post(handler, 'tools/call', params, { capabilities });
      if (body.result === undefined) throw new Error(`expected a result: ${JSON.stringify(body)}`);
      return body.result as RoundResult;
    };
  };
  const after = (sendRound: RoundResult, inputResponses: Record<string, unknown>): RoundInput => ({
    inputResponses,
    requestState: questionsOf(sendRound).requestState,
  });

  /** A form with a fallback beside a sample without one, and a confirmation after both. */
  const stages = () => {
    const runs = { fallback: 0 };
    const form = resolver({}, () =>
      elicit('Name?', Name, {
        otherwise: () => {
          runs.fallback += 1;
          return nobody;
        },
      }),
    );
    const model = resolver({}, () => sample(prompt));
    const next = resolver({ form, model }, ({ form: { name } }) =>
      sample({ ...prompt, systemPrompt: name }),
    );
    const tool = defineTool(
      'stages',
      { resolve: { form: outcome(form), model, next } },
      ({ form: how }) => JSON.stringify(how),
    );
    return { sendRound: roundsOf(tool), runs };
  };
  const fellBack = JSON.stringify({
    action: 'accept',
    data: nobody,
    asked: false,
    fallback: true,
  });
  const answered = JSON.stringify({ action: 'accept', data: { name: 'Ada' }, asked: true });

  test('what fell back is neither asked nor recorded', async () => {
    const { sendRound, runs } = stages();
    const first = await sendRound(SAMPLING);

    expect(questionsOf(first).keys).toEqual(['model']);
    expect(readState(first).outcomes).toEqual({});
    expect(Object.keys(readState(first).asked)).toEqual(['model']);
    const second = await sendRound(SAMPLING, after(first, yes));
    expect(Object.keys(readState(second).outcomes)).toEqual(['model']);
    expect(summaryOf(await sendRound(SAMPLING, after(second, { next: said('z') })))).toBe(fellBack);
    expect(runs.fallback).toBe(3);
  });

  test.each([SAMPLING, {}])(
    'G21: an answer to what fell back was never asked for, and a client with %j goes on falling back',
    async (capabilities) => {
      const { sendRound } = stages();
      const first = await sendRound(SAMPLING);
      const both = { ...yes, form: accept({ name: 'Mallory' }) };
      const second = await sendRound(SAMPLING, after(first, both));

      expect(questionsOf(second).requests.next?.params?.systemPrompt).toBe('nobody');
      expect(Object.keys(readState(second).outcomes)).toEqual(['model']);
      const last = await sendRound(
        capabilities,
        after(second, { next: said('z'), form: accept({ name: 'Mallory' }) }),
      );
      expect(summaryOf(last)).toBe(fellBack);
    },
  );

  test('G21: nor does it count when the client declares forms together with it: it is asked then', async () => {
    const { sendRound, runs } = stages();
    const first = await sendRound(SAMPLING);
    const second = await sendRound(
      { ...SAMPLING, ...FORMS },
      after(first, { ...yes, form: accept({ name: 'Mallory' }) }),
    );

    expect(summaryOf(second)).toBe('asks form');
    expect(runs.fallback).toBe(1);
    const third = await sendRound(
      { ...SAMPLING, ...FORMS },
      after(second, { form: accept({ name: 'Ada' }) }),
    );
    expect(questionsOf(third).requests.next?.params?.systemPrompt).toBe('Ada');
  });

  test('H13: a client that declares more in a later round is asked then, and its answer stays', async () => {
    const { sendRound, runs } = stages();
    const first = await sendRound(SAMPLING);
    const second = await sendRound({ ...SAMPLING, ...FORMS }, after(first, yes));
    expect(summaryOf(second)).toBe('asks form');

    const third = await sendRound(SAMPLING, after(second, { form: accept({ name: 'Ada' }) }));
    expect(summaryOf(third)).toBe('asks next');
    expect(summaryOf(await sendRound({}, after(third, { next: said('z') })))).toBe(answered);
    expect(runs.fallback).toBe(1);
  });

  test('H9: an answer that was given wins over the fallback when a later round declares nothing', async () => {
    const { sendRound, runs } = stages();
    const first = await sendRound({ ...SAMPLING, ...FORMS });
    expect(questionsOf(first).keys).toEqual(['form', 'model']);
    // Fresh in the second round, and from the record in the third.
    const second = await sendRound(
      SAMPLING,
      after(first, { ...yes, form: accept({ name: 'Ada' }) }),
    );
    expect(questionsOf(second).requests.next?.params?.systemPrompt).toBe('Ada');
    expect(summaryOf(await sendRound({}, after(second, { next: said('z') })))).toBe(answered);
    expect(runs.fallback).toBe(0);
  });

  test('H9: so does a decline', async () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: nobody }));
    const tool = defineTool('go', { resolve: { form: outcome(form) } }, ({ form: how }) =>
      JSON.stringify(how),
    );
    const sendRound = roundsOf(tool);
    const first = await sendRound(FORMS);

    expect(summaryOf(await sendRound({}, after(first, { form: decline() })))).toBe(
      '{"action":"decline"}',
    );
  });

  test('a question that was asked and stays unanswered falls back when it can no longer be asked', async () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: nobody }));
    const tool = defineTool('go', { resolve: { form: outcome(form) } }, ({ form: how }) =>
      JSON.stringify(how),
    );
    const sendRound = roundsOf(tool);
    const first = await sendRound(FORMS);

    expect(summaryOf(await sendRound({}, after(first, {})))).toBe(fellBack);
  });

  test('E10: an answer that does not fit is an error, not a reason to fall back', async () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: nobody }));
    const sendRound = roundsOf(defineTool('go', { resolve: { form } }, () => 'ran'));
    const first = await sendRound(FORMS);

    expect(summaryOf(await sendRound({}, after(first, { form: accept({ nope: 1 }) })))).toBe(
      "Error executing tool go: Resolver 'form' received an accepted elicitation whose content does not match the requested schema",
    );
  });

  test('G17: a new wording that can no longer be asked falls back, and the old consent is not used', async () => {
    let message = 'Deploy to staging?';
    const sure = resolver({}, () => confirm(message, { otherwise: false }));
    const sendRound = roundsOf(
      defineTool('deploy', { resolve: { sure: outcome(sure) } }, ({ sure: how }) => how.action),
    );
    const first = await sendRound(FORMS);
    message = 'Deploy to production?';

    expect(summaryOf(await sendRound({}, after(first, { sure: accept({ confirm: true }) })))).toBe(
      'decline',
    );
  });
});

describe('where nothing is known about the client', () => {
  test('a legacy client that is served without a session falls back', async () => {
    const form = resolver({}, () => elicit('Name?', Name, { otherwise: nobody }));
    const roots = resolver({}, () => listRoots());
    const handler = httpHandler(
      serving(
        showing(form),
        defineTool('strict', { resolve: { form, roots } }, () => 'ran'),
      ),
    );
    const client = new Client(
      { name: 'stateless', version: '1.0.0' },
      {
        // What it declares in `initialize` is not known any more when it calls.
        capabilities: { elicitation: {}, roots: {} },
        versionNegotiation: { mode: 'legacy' },
      },
    );
    closeAfterTest(() => client.close());
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://server.test/mcp'), {
        fetch: (url, init) => handler.fetch(new Request(url, init)),
      }),
    );

    const { content } = await client.callTool({ name: 'show' });
    expect(content).toEqual([
      text(
        JSON.stringify({
          value: nobody,
          how: { action: 'accept', data: nobody, asked: false, fallback: true },
        }),
      ),
    ]);
    expect(await protocolErrorOf(client.callTool({ name: 'strict' }))).toEqual({
      code: -32600,
      message:
        "Cannot send 'roots/list': this transport context has no back-channel for server-initiated requests.",
    });
  });

  test.each(Object.entries(KINDS))('D16: a direct call of a %s falls back', async (_, kind) => {
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
  });
});

describe('when the client no longer wants the result', () => {
  /** A tool whose fallback waits until it is let go, and what is seen of it. */
  const waiting = () => {
    const started = deferred();
    const release = deferred<{ name: string }>();
    const aborted = deferred();
    const seen = { bodies: 0, disposed: [] as string[] };
    const form = resolver(
      {},
      (_, ctx) =>
        elicit('Name?', Name, {
          otherwise: () => {
            ctx.signal.addEventListener('abort', () => aborted.resolve());
            started.resolve();
            return release.promise;
          },
        }),
      { dispose: (value: never, end) => seen.disposed.push(`${JSON.stringify(value)} ${end}`) },
    );
    const tool = defineTool('slow', { resolve: { form } }, () => `${++seen.bodies}`);
    return { tool, started, release, aborted, seen };
  };

  test('modern: the fallback is told by the signal, and the body does not run', async () => {
    const { tool, started, release, aborted, seen } = waiting();
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
    release.resolve(nobody);

    expect(await ended).toBe('given up');
    await vi.waitFor(() => {
      expect(seen.disposed).toEqual(['{"name":"nobody"} cancelled']);
    });
    expect(seen.bodies).toBe(0);
  });

  test('legacy: the same, and the connection goes on', async () => {
    const { tool, started, release, aborted, seen } = waiting();
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
    release.resolve(nobody);

    await vi.waitFor(() => {
      expect(seen.disposed).toEqual(['{"name":"nobody"} cancelled']);
    });
    expect((await client.request('tools/call', { name: 'plain' })).result).toMatchObject({
      content: [text('ok')],
    });
    expect(seen.bodies).toBe(0);
  });

  test.each(eras)('%s: a failure before it ends the call without waiting for it', async (era) => {
    const started = deferred();
    const aborted = deferred();
    const release = deferred<{ name: string }>();
    const broken = resolver({}, async () => {
      await started.promise;
      throw new ToolError('boom');
    });
    const slow = resolver({}, (_, ctx) =>
      elicit('Name?', Name, {
        otherwise: () => {
          ctx.signal.addEventListener('abort', () => aborted.resolve());
          started.resolve();
          return release.promise;
        },
      }),
    );
    const tool = defineTool('both', { resolve: { broken, slow } }, () => 'ran');
    const chat = await connectClient(era, serving(tool));

    expect(await chat.errorText('both')).toBe('Error executing tool both: boom');
    await aborted.promise;
    release.resolve(nobody);
  });
});

function fails(error: Error): () => never {
  return () => {
    throw error;
  };
}
