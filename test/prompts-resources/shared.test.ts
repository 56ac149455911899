/**
 * Tests what tools, prompts and resources have in common: the same resolvers, questions, guards and
 * errors. Each test runs for every kind of definition.
 */
import type { Client } from '@modelcontextprotocol/client';
import {
  type CallToolResult,
  McpServer,
  ProtocolError,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import {
  arg,
  argsOf,
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
import type { AnyDefinition, CallContext } from 'mcp-resolve';
import { accept, cancel, decline, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras, VERSION } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, protocolErrorOf } from '../support/results.js';
import { sdkHas } from '../support/sdk.js';
import { httpHandler } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';
import {
  countRequests,
  eachKind,
  type Failure,
  type Kind,
  kinds,
  layers,
  promptAndResource,
  serving,
  servingReported,
  type SharedConfig,
  Trip,
} from './library.js';

const { city } = argsOf(Trip);
const Days = z.object({ days: z.number() });
const Ok = z.object({ ok: z.boolean() });
const FORMS = { elicitation: {} };
const yes = accept({ confirm: true });

const throws = (error: unknown) => (): string => {
  throw error;
};

/** Creates one definition of each kind with the same resolvers. `ran` records every function. */
function travelDesk() {
  const ran: string[] = [];
  const known = resolver({ city }, (values) => {
    ran.push(`known ${values.city}`);
    if (values.city === 'Atlantis') throw new ToolError('there is no Atlantis');
    return values.city !== 'Utopia';
  });
  const country = resolver({ city }, (values) => {
    ran.push(`country of ${values.city}`);
    return values.city === 'Lyon' ? 'France' : 'Norway';
  });
  const stay = resolver(
    { city, country },
    (values) => {
      ran.push('stay');
      return elicit(`How long in ${values.city}, ${values.country}?`, Days);
    },
    { asks: 'form' },
  );
  const insured = resolver(
    { stay },
    (values) => {
      ran.push('insured');
      return values.stay.days < 3 ? false : confirm('Insure the trip?');
    },
    { asks: 'form' },
  );
  const config = {
    guards: [known],
    resolve: { country, days: stay, insured: outcome(insured) },
  };
  interface Values {
    city: string;
    country: string;
    days: { days: number };
    insured: { action: string; data?: boolean };
  }
  const body = (values: Values): string => {
    ran.push('body');
    const { action, data = '' } = values.insured;
    return `${values.days.days} days in ${values.city}, ${values.country}, ${action} ${String(data)}`;
  };
  return { ran, definitions: kinds.map(({ define }) => define('trip', config, body)) };
}

/** Complete results, each with its definition and the request of the SDK's client. */
const completeResults: [
  string,
  (result: object) => AnyDefinition,
  SendRequest,
  { _meta: object },
][] = [
  [
    'tool',
    (result) => defineTool('all', {}, () => result as never),
    (client) => client.callTool({ name: 'all' }),
    {
      content: [
        { type: 'text', text: 'one' },
        { type: 'resource', resource: { uri: 'trips://1', text: 'Lyon' } },
      ],
      _meta: { 'acme/all': 7 },
    } as { _meta: object },
  ],
  [
    'prompt',
    (result) => definePrompt('all', {}, () => result as never),
    (client) => client.getPrompt({ name: 'all' }),
    {
      description: 'A plan',
      messages: [
        { role: 'user', content: { type: 'text', text: 'Plan it' } },
        { role: 'assistant', content: { type: 'text', text: 'I will' } },
        {
          role: 'user',
          content: { type: 'resource', resource: { uri: 'trips://1', text: 'Lyon' } },
        },
      ],
      _meta: { 'acme/all': 7 },
    } as { _meta: object },
  ],
  [
    'resource',
    (result) =>
      defineResource('all', 'desk://all', { mimeType: 'text/csv' }, () => result as never),
    (client) => client.readResource({ uri: 'desk://all' }),
    {
      contents: [
        { uri: 'desk://all/1', text: 'one', mimeType: 'text/plain', _meta: { 'acme/a': 1 } },
        { uri: 'desk://all/2', blob: 'AA==' },
      ],
      _meta: { 'acme/all': 7 },
    } as { _meta: object },
  ],
];

/** Calls the definition `all` with the SDK's client. */
type SendRequest = (client: Client) => Promise<object>;

describe.each(eras)('on the %s era', (era) => {
  describe.each(layers)('on %s', (layer) => {
    test.each(completeResults)('A1: a %s returns a complete result unchanged', async (...row) => {
      const [, define, request, result] = row;
      const { client } = await connectClient(era, serving(layer, [define(result)]));
      const returned = await request(client);

      // The SDK adds to `_meta`.
      const { _meta, ...rest } = result;
      expect(returned).toMatchObject({ _meta });
      for (const [property, value] of Object.entries(rest)) {
        expect(returned).toHaveProperty(property, value);
      }
    });

    test('J13, A11: a tool, a prompt and a resource ask and answer the same', async () => {
      const { definitions } = travelDesk();
      const client = await connectClient(era, serving(layer, definitions), {
        elicit: ({ message }) => (message.startsWith('How long') ? accept({ days: 4 }) : yes),
      });

      for (const { call } of kinds) {
        expect(await call(client, 'trip')).toBe('4 days in Lyon, France, accept true');
        expect(client.asked.splice(0)).toEqual(['How long in Lyon, France?', 'Insure the trip?']);
      }
    });

    test('D5, D6: each call runs its own resolvers, again in every modern round', async () => {
      const { definitions, ran } = travelDesk();
      const client = await connectClient(era, serving(layer, definitions), {
        elicit: ({ message }) => (message.startsWith('How long') ? accept({ days: 9 }) : decline()),
      });
      const round = ['known Lyon', 'country of Lyon', 'stay'];
      const expected =
        era === 'modern'
          ? [...round, ...round, 'insured', ...round, 'insured', 'body']
          : [...round, 'insured', 'body'];

      for (const { call } of kinds) {
        expect(await call(client, 'trip')).toBe('9 days in Lyon, France, decline ');
        expect(ran.splice(0)).toEqual(expected);
      }
    });

    describe.each(eachKind)('a %s', (_, kind) => {
      test.each([
        ['throws', 'Atlantis', 'there is no Atlantis'],
        ['returns false', 'Utopia', 'Guard 1 refused'],
      ])('D13: fails before anything else runs if a guard %s', async (_, where, message) => {
        const { definitions, ran } = travelDesk();
        const client = await connectClient(era, serving(layer, definitions), { elicit: [] });

        expect(await kind.fail(client, 'trip', where)).toEqual(
          kind.failure('trip', message, where),
        );
        expect(ran).toEqual([`known ${where}`]);
        expect(client.asked).toEqual([]);
      });

      test.each([
        ['declines', decline(), 'decline'],
        ['cancels', cancel(), 'cancel'],
      ])(
        'E3, E4: fails if the user %s a question whose value it needs',
        async (_, reply, action) => {
          const { definitions, ran } = travelDesk();
          const client = await connectClient(era, serving(layer, definitions), { elicit: [reply] });

          expect(await kind.fail(client, 'trip')).toEqual(
            kind.failure(
              'trip',
              `Resolver for parameter 'days' could not resolve: elicitation was ${action}`,
            ),
          );
          expect(ran).not.toContain('body');
        },
      );

      test.each<[string, unknown, string]>([
        ['an Error', new Error('boom'), 'boom'],
        ['a ToolError', new ToolError('no such trip'), 'no such trip'],
        ['a string', 'just a string', 'just a string'],
        ['null', null, 'null'],
      ])('K1, K3: shows or reports the error if any function throws %s', async (...row) => {
        const [, thrown, message] = row;
        const shown = thrown instanceof ToolError;
        const fail = throws(thrown);
        const failing = resolver({}, fail);
        const later = resolver({}, async () => fail());
        const definitions = [
          kind.define('resolver', { resolve: { failing } }, () => 'ran'),
          kind.define('later', { resolve: { later } }, () => 'ran'),
          kind.define('guard', { guards: [failing] }, () => 'ran'),
          kind.define('body', {}, fail),
          kind.define('async_body', {}, async () => fail()),
        ];
        const { factory, reported } = servingReported(layer, definitions);
        const client = await connectClient(era, factory);

        for (const { name } of definitions) {
          expect(await kind.fail(client, name)).toEqual(
            kind.failure(name, shown ? message : undefined),
          );
        }
        expect(reported).toEqual(shown ? [] : definitions.map(() => message));
      });

      test("K3: shows and reports the error of its body or a resolver with errors: 'all'", async () => {
        const fail = throws(new Error('boom'));
        const definitions = [
          kind.define('body', {}, fail),
          kind.define('resolver', { resolve: { a: resolver({}, fail) } }, () => 'ran'),
        ];
        const { factory, reported } = servingReported(layer, definitions, { errors: 'all' });
        const client = await connectClient(era, factory);

        for (const { name } of definitions) {
          expect(await kind.fail(client, name)).toMatchObject(kind.failure(name, 'boom'));
        }
        expect(reported).toEqual(['boom', 'boom']);
      });

      test('K4: fails with a protocol error that any function throws', async () => {
        const fail = throws(new ProtocolError(-32050, 'Quota exhausted', { retryAfter: 60 }));
        const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
        const definitions = [
          kind.define('body', {}, fail),
          kind.define('resolver', { resolve: { a: resolver({}, fail) } }, () => 'ran'),
          kind.define('guard', { guards: [resolver({}, fail)] }, () => 'ran'),
          kind.define('asked', { resolve: { a: resolver({ ask }, fail) } }, () => 'ran'),
        ];
        const { factory, reported } = servingReported(layer, definitions);
        const client = await connectClient(era, factory, { elicit: () => accept({ ok: true }) });

        for (const { name } of definitions) {
          expect(await protocolErrorOf(kind.call(client, name))).toEqual({
            code: -32050,
            message: 'Quota exhausted',
            data: { retryAfter: 60 },
          });
        }
        expect(reported).toEqual([]);
      });

      test('H1, H9: fails with -32021 only if it has to ask a client that cannot answer', async () => {
        const approval = resolver(
          { city },
          (values) => (values.city === 'Lyon' ? true : confirm('Sure?')),
          { asks: 'form' },
        );
        const trip = kind.define('trip', { resolve: { approval } }, () => 'went');
        const client = await connectClient(era, serving(layer, [trip]));

        expect(await kind.call(client, 'trip', 'Lyon')).toBe('went');
        expect(await protocolErrorOf(kind.call(client, 'trip', 'Oslo'))).toEqual({
          code: -32021,
          message:
            "Client did not declare the form elicitation capability required by resolver 'approval'",
          data: { requiredCapabilities: { elicitation: { form: {} } } },
        });
        expect(await kind.call(client, 'trip', 'Lyon')).toBe('went');
      });

      test('is not found under another name', async () => {
        const trip = kind.define('trip', {}, () => 'went');
        const client = await connectClient(era, serving(layer, [trip]));

        expect(await protocolErrorOf(kind.call(client, 'nope'))).toEqual(kind.notFound);
      });
    });

    test('A3: a shared resolver receives the context of each call', async () => {
      const context = resolver({}, (_, ctx) => ({
        method: ctx.mcpReq.method,
        version: ctx.protocolVersion,
        form: ctx.canAsk('form'),
        state: ctx.mcpReq.requestState(),
        id: ctx.callId,
      }));
      const ids: string[] = [];
      const body = ({ context: { id, ...rest } }: { context: { id: string } }): string => {
        ids.push(id);
        return JSON.stringify(rest);
      };
      const definitions = kinds.map(({ define }) => define('trip', { resolve: { context } }, body));
      const client = await connectClient(era, serving(layer, definitions), { elicit: [] });

      for (const { call, method } of kinds) {
        expect(await call(client, 'trip')).toBe(
          JSON.stringify({ method, version: VERSION[era], form: true }),
        );
      }
      expect(new Set(ids).size).toBe(3);
      expect(ids.every((id) => /^[A-Za-z0-9_-]{22}$/.test(id))).toBe(true);
    });
  });

  describe.each(eachKind)('a %s', (_, kind) => {
    /** Calls a definition with the kit. */
    const runTrip = (
      trip: AnyDefinition,
      options: Parameters<typeof run>[2] = {},
      where?: string,
    ) => run(trip, kind.input('trip', where), { era, ...options });
    /** The run of a definition that failed with an error that the client does not see. */
    const failed = (message: string) => {
      const { code, ...failure } = kind.failure('trip');
      const error = code === undefined ? undefined : { code, ...failure };
      return { isError: true, text: failure.message, error, cause: { message }, questions: [] };
    };

    const RETURNS = {
      tool: 'A tool body must return a string or a CallToolResult. To return another value, declare `outputSchema`.',
      prompt: 'A prompt body must return a string or a GetPromptResult.',
      resource: 'A resource body must return a string, bytes or a ReadResourceResult.',
    };

    test.each<[string, unknown, string]>([
      ['nothing', undefined, 'nothing'],
      ['null', null, 'null'],
      ['a number', 7, 'a value of type number'],
      ['an array', [1, 2], 'an array'],
      ['an object without contents', { text: 'x' }, 'a value of type object'],
      [
        'the result of another kind',
        kind.kind === 'tool' ? { messages: [] } : { content: [] },
        'a value of type object',
      ],
    ])('fails if its body returns %s', async (_, returned, description) => {
      const trip = kind.define('trip', {}, () => returned);

      expect(await runTrip(trip)).toMatchObject(
        failed(`The body of 'trip' returned ${description}. ${RETURNS[kind.kind]}`),
      );
    });

    test('C12: fails if its body asks a question, and does not send the question', async () => {
      const trip = kind.define('trip', {}, () => confirm('Sure?'));

      expect(await runTrip(trip)).toMatchObject(
        failed(
          "The body of 'trip' asked a question, but the multi-round flow is driven either by resolvers or by the tool body. Return the question from a resolver instead.",
        ),
      );
    });

    test.each([
      ['a computed value', 'Lyon', {}, '{"action":"accept","data":true,"asked":false}', []],
      ['an acceptance', 'Oslo', yes, '{"action":"accept","data":true,"asked":true}', ['To Oslo?']],
      ['an unticked box', 'Rome', accept({ confirm: false }), '{"action":"decline"}', ['To Rome?']],
      ['a decline', 'Rome', decline(), '{"action":"decline"}', ['To Rome?']],
    ] as const)('E5, D11: receives the outcome of %s', async (...row) => {
      const [, where, approval, text, messages] = row;
      const approve = resolver(
        { city },
        (values) => (values.city === 'Lyon' ? true : confirm(`To ${values.city}?`)),
        { asks: 'form' },
      );
      const trip = kind.define(
        'trip',
        { resolve: { approval: outcome(approve) } },
        (values: { approval: unknown }) => JSON.stringify(values.approval),
      );
      const answers = 'action' in approval ? { approval } : {};
      const { isError, questions, ...ended } = await runTrip(trip, { answers }, where);

      expect(isError).toBe(false);
      expect(ended.text).toBe(text);
      expect(questions.map(({ message }) => message)).toEqual(messages);
    });

    test('E10, K8: fails if an answer does not match its form, without the validator’s message', async () => {
      const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
      const trip = kind.define('trip', { resolve: { ask } }, () => 'went');
      const { isError, text } = await runTrip(trip, {
        answers: { ask: accept({ ok: 'maybe' }) },
      });

      expect(isError).toBe(true);
      expect(text).toBe(
        kind.failure(
          'trip',
          "Resolver 'ask' received an accepted elicitation whose content does not match the requested schema (field 'ok')",
        ).message,
      );
    });
  });

  describe.each(promptAndResource)('a %s', (_, kind) => {
    test('K3: rejects its input if its schema throws, and shows the error nowhere', async () => {
      const lines: string[] = [];
      const logger = { warn: (line: string) => void lines.push(line) };
      const Throwing = z.object({
        city: z.string().transform(throws(new TypeError('the password is hunter2'))),
      });
      const trip = kind.define('trip', { schema: Throwing as never }, () => 'went');
      const input = kind.kind === 'prompt' ? 'arguments for prompt' : 'variables for resource';

      expect((await run(trip, kind.input('trip'), { era, install: { logger } })).error).toEqual({
        code: -32602,
        message: `Invalid ${input} trip: could not be validated`,
      });
      expect(lines).toEqual([
        "'trip': the schema threw TypeError while it validated arguments. A schema must return issues instead.",
      ]);
    });
  });
});

const userText = (text: string) => ({
  role: 'user' as const,
  content: { type: 'text' as const, text },
});
const sampled = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Bring a coat' } };

/**
 * Creates one definition of each kind that asks a question of every kind, and two more that depend
 * on earlier answers.
 */
function inquiry() {
  const who = resolver(
    { city },
    (values) => elicit(`Who goes to ${values.city}?`, z.object({ name: z.string() })),
    { asks: 'form' },
  );
  const sure = resolver({}, () => confirm('Really?'), { asks: 'form', name: 'sure' });
  const page = resolver({}, () => elicitUrl('Sign in', 'https://travel.example/in'), {
    asks: 'url',
  });
  const hint = resolver({}, () => sample({ messages: [userText('A hint?')], maxTokens: 9 }), {
    asks: 'sample',
  });
  const folders = resolver({}, () => listRoots(), { asks: 'roots' });
  const seat = resolver(
    { who },
    (values) => elicit(`Where does ${values.who.name} sit?`, z.object({ seat: z.string() })),
    { asks: 'form' },
  );
  const meal = resolver(
    { seat, who },
    (values) =>
      elicit(
        `What does ${values.who.name} eat on ${values.seat.seat}?`,
        z.object({ meal: z.string() }),
      ),
    { asks: 'form' },
  );
  const config = { resolve: { who, sure, page, hint, folders, meal } };
  interface Values {
    city: string;
    who: { name: string };
    sure: true;
    page: true;
    hint: { content: unknown };
    folders: { roots: unknown[] };
    meal: { meal: string };
  }
  const body = ({ who, sure, page, hint, folders, meal }: Values): string =>
    [who.name, sure, page, JSON.stringify(hint.content), folders.roots.length, meal.meal].join(' ');
  return kinds.map(({ define }) => define('ask', config, body));
}

const EVERYTHING = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
};

const answers: Record<string, Record<string, string | boolean>> = {
  'Who goes to Oslo?': { name: 'Ida' },
  'Really?': { confirm: true },
  'Sign in': {},
  'Where does Ida sit?': { seat: '7A' },
  'What does Ida eat on 7A?': { meal: 'soup' },
};
const user = {
  capabilities: EVERYTHING,
  elicit: ({ message }: { message: string }) => accept(answers[message]),
  sample: () => sampled as never,
  roots: () => ({ roots: [{ uri: 'file:///trips' }] }),
};

const END = 'Ida true true {"type":"text","text":"Bring a coat"} 1 soup';
const QUESTIONS = [
  ...['A hint?', 'Really?', 'Sign in', 'Who goes to Oslo?', 'roots/list'],
  ...['Where does Ida sit?', 'What does Ida eat on 7A?'],
];

describe.each(layers)('on %s', (layer) => {
  describe.each(eachKind)('a %s', (_, kind) => {
    test.each(eras)(
      'F4, G6: asks every kind of question once, also in a chain (%s)',
      async (era) => {
        const client = await connectClient(era, serving(layer, inquiry()), user);

        expect(await kind.call(client, 'ask', 'Oslo')).toBe(END);
        expect(client.asked.sort()).toEqual([...QUESTIONS].sort());
        expect(countRequests(kind.method, client.sent)).toBe(era === 'modern' ? 4 : 1);
      },
    );

    test('F4, G3, G5: asks independent questions in one round, and dependent ones later', async () => {
      const handler = httpHandler(serving(layer, inquiry()));
      const sendRound = async (more: object = {}) => {
        const params = { ...kind.params('ask', 'Oslo'), ...more };
        const { body } = await post(handler, kind.method, params, { capabilities: EVERYTHING });
        return body.result as {
          inputRequests?: Record<string, { method: string; params?: { mode?: string } }>;
          requestState?: string;
        };
      };
      const first = await sendRound();
      const { who, sure, page, hint, folders, ...others } = first.inputRequests!;
      expect(others).toEqual({});
      expect([who, sure, page].map((asked) => asked?.params?.mode)).toEqual([
        'form',
        'form',
        'url',
      ]);
      expect(hint?.method).toBe('sampling/createMessage');
      expect(folders).toEqual({ method: 'roots/list' });

      const second = await sendRound({
        requestState: first.requestState,
        inputResponses: {
          who: accept({ name: 'Ida' }),
          sure: yes,
          page: { action: 'accept' },
          hint: sampled,
          folders: { roots: [] },
        },
      });
      expect(Object.keys(second.inputRequests!)).toEqual(['seat']);
      const third = await sendRound({
        requestState: second.requestState,
        inputResponses: { seat: accept({ seat: '7A' }) },
      });
      expect(Object.keys(third.inputRequests!)).toEqual(['meal']);
      const last = await sendRound({
        requestState: third.requestState,
        inputResponses: { meal: accept({ meal: 'soup' }) },
      });
      expect(JSON.stringify(last)).toContain(
        JSON.stringify(END.replace(' 1 ', ' 0 ')).slice(1, -1),
      );
    });

    test('H12: cannot ask a legacy client without a session', async () => {
      const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
      const definitions = [
        kind.define('go', { resolve: { ask } }, () => 'went'),
        kind.define('quiet', {}, () => 'went'),
      ];
      const handler = httpHandler(
        serving(layer, definitions, { logger: { warn: () => undefined } }),
      );
      const send = async (name: string): Promise<unknown> => {
        const { method } = kind;
        const response = await handler.fetch(
          new Request('http://server.test/mcp', {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              accept: 'application/json, text/event-stream',
              'mcp-protocol-version': VERSION.legacy,
            },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: kind.params(name) }),
          }),
        );
        const text = await response.text();
        return JSON.parse(text.startsWith('{') ? text : text.slice(text.indexOf('data: {') + 6));
      };

      expect(await send('quiet')).toMatchObject({ result: kind.result('quiet', 'went') });
      expect(await send('go')).toMatchObject({
        error: {
          code: -32600,
          message:
            "Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.",
        },
      });
    });

    test('D4, D14, E13: pushes its questions to a legacy client one by one, and runs once', async () => {
      const ran: string[] = [];
      const first = resolver(
        { city: arg<string>() },
        (values) => {
          ran.push('first');
          return elicit(`Go to ${values.city}?`, Ok);
        },
        { asks: 'form' },
      );
      const second = resolver(
        {},
        () => {
          ran.push('second');
          return elicit('Sure?', Ok);
        },
        { asks: 'form' },
      );
      const go = kind.define(
        'go',
        { resolve: { first, second } },
        (values: Record<'first' | 'second', { ok: boolean }>) =>
          `${values.first.ok} ${values.second.ok}`,
      );
      const client = await rawLegacy(serving(layer, [go]), {
        capabilities: FORMS,
        answer: ({ id }) => ({ result: accept({ ok: id === 0 }) }),
      });
      const { result } = await client.request(kind.method, kind.params('go'));

      expect(result).toMatchObject(kind.result('go', 'true false'));
      expect(client.received).toMatchObject(
        ['Go to Lyon?', 'Sure?'].map((message) => ({
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message,
            requestedSchema: {
              type: 'object',
              properties: { ok: { type: 'boolean' } },
              required: ['ok'],
            },
          },
        })),
      );
      expect(ran).toEqual(['first', 'second']);
    });
  });

  test.each(promptAndResource)(
    'H13: a %s responds to -32021 with status 400, to its other errors with 200',
    async (_, { define, failure, method, params }) => {
      const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
      const { factory } = servingReported(layer, [
        define('go', { resolve: { ask } }, () => 'went'),
        define('fail', {}, throws(new Error('boom'))),
      ]);
      const handler = httpHandler(factory);
      const refused = await post(handler, method, params('go'));
      const asked = await post(handler, method, params('go'), { capabilities: FORMS });
      const failed = await post(handler, method, params('fail'));

      expect([refused.status, refused.body.error?.code]).toEqual([400, -32021]);
      expect([asked.status, asked.body.result?.resultType]).toEqual([200, 'input_required']);
      expect([failed.status, failed.body.error]).toEqual([200, failure('fail')]);
    },
  );
});

describe.each(eachKind)('a %s', (_, kind) => {
  test('A14, A15: asks once per resolver, under its name, however many parameters it fills', async () => {
    const sure = resolver({ city: arg<string>() }, () => confirm('Sure?'), {
      asks: 'form',
      name: 'consent',
    });
    const resolve = { first: sure, second: sure, third: outcome(sure) };
    const definitions = kinds.map(({ define }) => define('go', { resolve }, () => 'went'));
    const handler = httpHandler(serving('McpServer', definitions));
    const { body } = await post(handler, kind.method, kind.params('go'), { capabilities: FORMS });

    expect(Object.keys(body.result?.inputRequests as object)).toEqual(['consent']);
  });

  test('runs nothing and responds with status 403 if a scope is missing', async () => {
    const ran: string[] = [];
    const note = resolver({}, () => void ran.push('resolver'));
    const scopeChallenge: SharedConfig['scopeChallenge'] = ({ authInfo }) =>
      authInfo?.scopes.includes('trips:plan') === true ? undefined : { scopes: ['trips:plan'] };
    const trip = kind.define('trip', { scopeChallenge, resolve: { note } }, () => {
      ran.push('body');
      return 'planned';
    });
    if (!sdkHas('scopeChallenge')) {
      const server = new McpServer({ name: 'travel', version: '1.0.0' });
      expect(() => {
        install(server, [trip]);
      }).toThrow(
        new TypeError(
          `install(): the \`scopeChallenge\` of ${kind.kind} 'trip' requires '@modelcontextprotocol/server' 2.1 or later. Update the package, or check the scopes in a guard.`,
        ),
      );
      return;
    }
    const handler = httpHandler(serving('McpServer', [trip]));
    const request = (scopes: string[]) => {
      const { method } = kind;
      const params = kind.params('trip');
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': VERSION.modern,
        'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      return handler.fetch(
        new Request('http://server.test/mcp', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': VERSION.modern,
            'mcp-method': method,
            'mcp-name': String(params.name ?? params.uri),
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
        }),
        { authInfo: { token: 't', clientId: 'c', scopes } },
      );
    };

    const refused = await request([]);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toContain('trips:plan');
    expect(ran).toEqual([]);
    expect((await request(['trips:plan'])).status).toBe(200);
    expect(ran).toEqual(['resolver', 'body']);
    const listed = JSON.stringify(await post(handler, kind.listMethod, {}));
    expect(listed).toContain('"name":"trip"');
    expect(listed).not.toContain('scope');
  });

  test('does not connect to an HTTP transport that ignores its scopes', async () => {
    const server = new McpServer({ name: 'travel', version: '1.0.0' });
    const trip = kind.define('trip', { scopeChallenge: () => undefined }, () => 'planned');
    // The transport of `@modelcontextprotocol/node` 2.0 has no such method.
    const transport = new WebStandardStreamableHTTPServerTransport();
    Object.assign(transport, { setScopeChallengeResolver: undefined });
    if (!sdkHas('scopeChallenge')) {
      expect(() => {
        install(server, [trip]);
      }).toThrow(/requires '@modelcontextprotocol\/server' 2\.1 or later/);
      return;
    }
    install(server, [trip]);

    await expect(server.connect(transport)).rejects.toThrow(
      new TypeError(
        "connect(): this transport does not check the `scopeChallenge` of a definition. Update '@modelcontextprotocol/node' to 2.1 or later, or check the scopes in a guard.",
      ),
    );
  });

  test('D16: cannot ask without a server', async () => {
    const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
    const asking = kind.define('asking', { resolve: { sure } }, () => 'went');

    expect(await failDirectly(kind, asking)).toEqual(
      kind.failure(
        'asking',
        "Resolver 'sure' asks a question, but a direct call has no client to ask. Call it through a server, or test it with run() of mcp-resolve/testing.",
      ),
    );
  });

  test('D17: can ask from inside another body only on the legacy era', async () => {
    const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
    const inner = kind.define('inner', { resolve: { sure } }, () => 'inner went');
    const outer = kind.define('outer', {}, (_, ctx: CallContext) => kind.callDirectly(inner, ctx));
    const legacy = await connectClient('legacy', serving('McpServer', [outer]), { elicit: [yes] });
    const modern = await connectClient('modern', serving('McpServer', [outer]), { elicit: [] });

    expect(await kind.call(legacy, 'outer')).toBe('inner went');
    expect(legacy.asked).toEqual(['Sure?']);
    expect(await kind.fail(modern, 'outer')).toEqual(
      kind.failure(
        'inner',
        "'inner' asks a question, but a call from inside another handler cannot ask on this protocol version. Use its resolvers in the outer definition.",
      ),
    );
    expect(modern.asked).toEqual([]);
  });

  test('K5: fails with the protocol error of a legacy client that refuses a question', async () => {
    const ask = resolver({}, () => elicit('Go?', Ok), { asks: 'form' });
    const go = kind.define('go', { resolve: { ask } }, () => 'went');
    const client = await rawLegacy(serving('McpServer', [go]), {
      capabilities: FORMS,
      answer: () => ({ error: { code: -32050, message: 'not now' } }),
    });
    const { error } = await client.request(kind.method, kind.params('go'));

    expect(error).toEqual({ code: -32050, message: 'not now' });
  });
});

test.each(eachKind)('D16: a %s fails without a server as it does on the wire', async (_, kind) => {
  const failing = kind.define('failing', {}, throws(new Error('boom')));

  expect(await failDirectly(kind, failing)).toEqual(kind.failure('failing'));
});

/** Calls a definition without a server, and returns its failure. */
async function failDirectly(kind: Kind, definition: AnyDefinition): Promise<Failure> {
  const call = kind.callDirectly(definition);
  if (kind.kind !== 'tool') return protocolErrorOf(call);
  return { message: errorTextOf((await call) as CallToolResult) };
}
