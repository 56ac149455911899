/** Prompts: what their bodies receive and return, how they are listed, and how they fail. */
import {
  completable,
  ProtocolError,
  requireScopes,
  type GetPromptResult,
} from '@modelcontextprotocol/server';
import {
  arg,
  argsOf,
  confirm,
  definePrompt,
  elicit,
  outcome,
  resolver,
  ToolError,
} from 'mcp-resolve';
import { accept, decline } from 'mcp-resolve/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import { httpHandler } from '../support/servers.js';
import { post, rawLegacy } from '../support/wire.js';
import { get, layers, serving, servingHeard } from './library.js';

const Trip = z.object({ city: z.string(), days: z.coerce.number().default(3) });
const args = argsOf(Trip);
const Ok = z.object({ ok: z.boolean() });
const nothing = (): never => undefined as never;

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(eras)('%s', (era) => {
  describe.each(layers)('%s', (layer) => {
    test('A1: a prompt without resolvers says what its body returns', async () => {
      const chat = await connectClient(
        era,
        serving(layer, [
          definePrompt('hello', {}, () => 'Hello'),
          definePrompt('later', {}, async () => 'Hello later'),
          definePrompt('packing', { argsSchema: Trip }, (values) => JSON.stringify(values)),
        ]),
      );

      expect(await chat.client.getPrompt({ name: 'hello' })).toMatchObject({
        messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
      });
      expect(await get(chat, 'later')).toBe('Hello later');
      expect(await get(chat, 'packing', { city: 'Lyon' })).toBe('{"city":"Lyon","days":3}');
      expect(await get(chat, 'packing', { city: 'Lyon', days: '5' })).toBe(
        '{"city":"Lyon","days":5}',
      );
    });

    test('A1: a complete result passes as it is', async () => {
      const result: GetPromptResult = {
        description: 'A plan',
        messages: [
          { role: 'user', content: { type: 'text', text: 'Plan it' } },
          { role: 'assistant', content: { type: 'text', text: 'I will' } },
          {
            role: 'user',
            content: { type: 'resource', resource: { uri: 'trips://1', text: 'Lyon' } },
          },
        ],
        _meta: { 'acme/plan': 7 },
      };
      const { client } = await connectClient(
        era,
        serving(layer, [definePrompt('plan', {}, () => result)]),
      );
      const got = await client.getPrompt({ name: 'plan' });

      expect(got).toMatchObject(result);
      expect(got.messages).toEqual(result.messages);
    });

    test('A2, A4: arguments and resolved values come in one object, renamed arguments included', async () => {
      const price = resolver({ where: args.city, nights: args.days }, ({ where, nights }) => ({
        where,
        euros: nights * 80,
      }));
      const tax = resolver({ price }, async (values) => values.price.euros / 10);
      const plan = definePrompt(
        'plan',
        { argsSchema: Trip, resolve: { tax, price } },
        (values, ctx) => `${JSON.stringify(values)} ${ctx.mcpReq.method}`,
      );
      const chat = await connectClient(era, serving(layer, [plan]));

      expect(await get(chat, 'plan', { city: 'Lyon', days: '2' })).toBe(
        '{"city":"Lyon","days":2,"tax":16,"price":{"where":"Lyon","euros":160}} prompts/get',
      );
    });

    test('B1, B3: a resolved parameter is not listed, and what a client sends for it is dropped', async () => {
      for (const schema of [Trip, Trip.strict(), Trip.loose()]) {
        const plan = definePrompt(
          'plan',
          { argsSchema: schema, resolve: { budget: resolver({}, () => 100) } },
          ({ budget }) => `${String(budget)} euros`,
        );
        const chat = await connectClient(era, serving(layer, [plan]));
        const { prompts } = await chat.client.listPrompts();

        expect(prompts[0]?.arguments).toEqual([
          { name: 'city', required: true },
          { name: 'days', required: false },
        ]);
        expect(await get(chat, 'plan', { city: 'Lyon', budget: '999' })).toBe('100 euros');
      }
    });

    test('B3: without argsSchema all arguments are dropped', async () => {
      const bare = definePrompt(
        'bare',
        { resolve: { budget: resolver({}, () => 100) } },
        (values) => JSON.stringify(values),
      );
      const chat = await connectClient(era, serving(layer, [bare]));

      expect((await chat.client.listPrompts()).prompts).toEqual([{ name: 'bare' }]);
      expect(await get(chat, 'bare', { budget: '999', other: 'x' })).toBe('{"budget":100}');
    });

    test('B7, B8: arguments are validated once a round, before any resolver runs', async () => {
      const ran: string[] = [];
      const Counted = z.object({
        city: z.string().transform((city) => {
          ran.push('validated');
          return city.toUpperCase();
        }),
      });
      const seen = resolver({ city: argsOf(Counted).city }, ({ city }) => {
        ran.push('resolved');
        return city;
      });
      const plan = definePrompt(
        'plan',
        { argsSchema: Counted, resolve: { seen } },
        ({ city, seen }) => `${city} ${seen}`,
      );
      const chat = await connectClient(era, serving(layer, [plan]));

      expect(await protocolErrorOf(get(chat, 'plan'))).toEqual({
        code: -32602,
        message:
          'Invalid arguments for prompt plan: city: Invalid input: expected string, received undefined',
      });
      expect(ran).toEqual([]);
      expect(await get(chat, 'plan', { city: 'Lyon' })).toBe('LYON LYON');
      expect(ran).toEqual(['validated', 'resolved']);
    });

    test('B8: several complaints are told together, with their places', async () => {
      const Two = z.object({ from: z.iso.date(), to: z.iso.date() });
      const chat = await connectClient(
        era,
        serving(layer, [definePrompt('p', { argsSchema: Two }, () => '')]),
      );

      expect(await protocolErrorOf(get(chat, 'p', { from: 'x', to: 'y' }))).toEqual({
        code: -32602,
        message: 'Invalid arguments for prompt p: from: Invalid ISO date, to: Invalid ISO date',
      });
    });

    test('E5, D11: an outcome tells a yes from a no, and an answer from a computed value', async () => {
      const approval = resolver({ days: args.days }, ({ days }) =>
        days < 5 ? true : confirm(`Away for ${days} days?`),
      );
      const plan = definePrompt(
        'plan',
        { argsSchema: Trip, resolve: { approval: outcome(approval) } },
        ({ approval }) => JSON.stringify(approval),
      );
      const chat = await connectClient(era, serving(layer, [plan]), {
        elicit: [accept({ confirm: true }), accept({ confirm: false }), decline()],
      });
      const plans = (days: string) => get(chat, 'plan', { city: 'Lyon', days });

      expect(await plans('4')).toBe('{"action":"accept","data":true,"asked":false}');
      expect(await plans('6')).toBe('{"action":"accept","data":true,"asked":true}');
      expect(await plans('7')).toBe('{"action":"decline"}');
      expect(await plans('8')).toBe('{"action":"decline"}');
      expect(chat.asked).toEqual([6, 7, 8].map((days) => `Away for ${days} days?`));
    });

    test('a guard that says false, and one that throws, end the prompt', async () => {
      const refuse = resolver({}, () => false);
      const deny = resolver({ city: args.city }, ({ city }) => {
        throw new ToolError(`no trips to ${city}`);
      });
      const chat = await connectClient(
        era,
        serving(layer, [
          definePrompt('refused', { guards: [refuse] }, () => 'ran'),
          definePrompt('denied', { argsSchema: Trip, guards: [deny] }, () => 'ran'),
        ]),
      );

      expect(await protocolErrorOf(get(chat, 'refused'))).toEqual({
        code: -32603,
        message: "Error getting prompt refused: Guard 'guard' refused",
      });
      expect(await protocolErrorOf(get(chat, 'denied', { city: 'Lyon' }))).toEqual({
        code: -32603,
        message: 'Error getting prompt denied: no trips to Lyon',
      });
    });

    test.each<[string, () => unknown, string]>([
      ['nothing', () => undefined, 'nothing'],
      ['null', () => null, 'null'],
      ['a number', () => 7, 'a value of type number'],
      ['a list', () => [], 'a list'],
      ['an object without messages', () => ({ content: [] }), 'a value of type object'],
    ])('a body that returns %s is told what to return', async (_, body, what) => {
      const chat = await connectClient(
        era,
        serving(layer, [definePrompt('odd', {}, body as () => string)]),
      );

      expect(await protocolErrorOf(get(chat, 'odd'))).toEqual({
        code: -32603,
        message: `Error getting prompt odd: the body of 'odd' returned ${what}; the body of a prompt returns a string or a GetPromptResult`,
      });
    });

    test('C12: a body that asks at run time is told to leave that to a resolver', async () => {
      const body = (() => confirm('Sure?')) as unknown as () => string;
      const chat = await connectClient(era, serving(layer, [definePrompt('odd', {}, body)]), {
        elicit: [],
      });
      const { code, message } = await protocolErrorOf(get(chat, 'odd'));

      expect(code).toBe(-32603);
      expect(message).toContain("the body of 'odd' asked a question");
      expect(message).toContain('return the question from a resolver');
      expect(chat.asked).toEqual([]);
    });

    test.each<[string, unknown, string]>([
      ['an Error', new Error('boom'), 'boom'],
      ['a ToolError', new ToolError('no such trip'), 'no such trip'],
      ['a text', 'a text', 'a text'],
      ['null', null, 'null'],
    ])('K1, K3: %s thrown anywhere is an error that names the prompt', async (_, thrown, text) => {
      const fail = (): string => {
        throw thrown;
      };
      const failing = resolver({}, fail);
      const later = resolver({}, async () => fail());
      const prompts = [
        definePrompt('resolver', { resolve: { failing } }, () => 'ran'),
        definePrompt('later', { resolve: { later } }, () => 'ran'),
        definePrompt('guard', { guards: [failing] }, () => 'ran'),
        definePrompt('body', {}, fail),
        definePrompt('async_body', {}, async () => fail()),
      ];
      const { factory, heard } = servingHeard(layer, prompts);
      const chat = await connectClient(era, factory);

      for (const { name } of prompts) {
        expect(await protocolErrorOf(get(chat, name))).toEqual({
          code: -32603,
          message: `Error getting prompt ${name}: ${text}`,
        });
      }
      const expected = thrown instanceof ToolError ? [] : prompts.map(() => text);
      expect(heard).toEqual(expected);
    });

    test("K3: with errors: 'toolErrorsOnly' only a ToolError is told, the rest reaches onerror", async () => {
      const fail = (error: Error) => (): string => {
        throw error;
      };
      const secret = fail(new Error('the password is hunter2'));
      const prompts = [
        definePrompt('body', {}, secret),
        definePrompt('resolver', { resolve: { a: resolver({}, secret) } }, () => 'ran'),
        definePrompt('told', {}, fail(new ToolError('no such trip'))),
      ];
      const { factory, heard } = servingHeard(layer, prompts, { errors: 'toolErrorsOnly' });
      const chat = await connectClient(era, factory);
      const told = async (name: string) => (await protocolErrorOf(get(chat, name))).message;

      expect(await told('body')).toBe('Error getting prompt body: an unexpected error occurred');
      expect(await told('resolver')).toBe(
        'Error getting prompt resolver: an unexpected error occurred',
      );
      expect(await told('told')).toBe('Error getting prompt told: no such trip');
      expect(heard).toEqual(['the password is hunter2', 'the password is hunter2']);
    });

    test('K3: a schema that throws finds the arguments invalid, and keeps its words to the log', async () => {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
      const Throwing = z.object({
        city: z.string().transform((): string => {
          throw new Error('the password is hunter2');
        }),
      });
      const plan = definePrompt('plan', { argsSchema: Throwing }, ({ city }) => city);
      const chat = await connectClient(era, serving(layer, [plan], { errors: 'toolErrorsOnly' }));

      expect(await protocolErrorOf(get(chat, 'plan', { city: 'Lyon' }))).toEqual({
        code: -32602,
        message: 'Invalid arguments for prompt plan: could not be checked',
      });
      expect(warn.mock.calls.flat().join()).toContain('the password is hunter2');
    });

    test('K4: a protocol error stays one, from a resolver, a guard and the body', async () => {
      const fail = (): string => {
        throw new ProtocolError(-32050, 'Quota exhausted', { retryAfter: 60 });
      };
      const ask = resolver({}, () => elicit('Go?', Ok));
      const { factory, heard } = servingHeard(
        layer,
        [
          definePrompt('body', {}, fail),
          definePrompt('resolver', { resolve: { a: resolver({}, fail) } }, () => 'ran'),
          definePrompt('guard', { guards: [resolver({}, fail)] }, () => 'ran'),
          definePrompt('asked', { resolve: { a: resolver({ ask }, fail) } }, () => 'ran'),
        ],
        { errors: 'toolErrorsOnly' },
      );
      const chat = await connectClient(era, factory, { elicit: () => accept({ ok: true }) });

      for (const name of ['body', 'resolver', 'guard', 'asked']) {
        expect(await protocolErrorOf(get(chat, name))).toEqual({
          code: -32050,
          message: 'Quota exhausted',
          data: { retryAfter: 60 },
        });
      }
      expect(heard).toEqual([]);
    });

    test('H1, H9: a client that cannot be asked gets -32021, where there is something to ask', async () => {
      const approval = resolver({ days: args.days }, ({ days }) =>
        days < 5 ? true : confirm('Sure?'),
      );
      const plan = definePrompt('plan', { argsSchema: Trip, resolve: { approval } }, () => 'went');
      const chat = await connectClient(era, serving(layer, [plan]));

      expect(await get(chat, 'plan', { city: 'Lyon' })).toBe('went');
      expect(await protocolErrorOf(get(chat, 'plan', { city: 'Lyon', days: '9' }))).toEqual({
        code: -32021,
        message:
          "Client did not declare the form elicitation capability required by resolver 'approval'",
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
      expect(await get(chat, 'plan', { city: 'Lyon' })).toBe('went');
    });

    test('E10, K8: an answer that does not fit ends the prompt without the words of a validator', async () => {
      const ask = resolver({}, () => elicit('Go?', Ok));
      const go = definePrompt('go', { resolve: { ask } }, () => 'went');
      const chat = await connectClient(era, serving(layer, [go]), {
        elicit: [accept({ ok: 'maybe' })],
      });
      const { code, message } = await protocolErrorOf(get(chat, 'go'));

      expect(code).toBe(-32603);
      expect(message).toMatch(/^Error getting prompt go: .*does not match the requested schema$/);
    });

    test('A13: the fields of a definition are listed as they are', async () => {
      const plan = definePrompt(
        'plan',
        {
          title: 'Plan a trip',
          description: 'Plans',
          icons: [
            { src: 'https://travel.example/plan.png', mimeType: 'image/png', sizes: ['48x48'] },
          ],
          _meta: { 'acme/team': 'desk' },
          argsSchema: z.object({
            city: z.string().describe('Where to'),
            mood: z.string().optional(),
          }),
        },
        () => '',
      );
      const chat = await connectClient(era, serving(layer, [plan]));

      expect((await chat.client.listPrompts()).prompts).toEqual([
        {
          name: 'plan',
          title: 'Plan a trip',
          description: 'Plans',
          icons: [
            { src: 'https://travel.example/plan.png', mimeType: 'image/png', sizes: ['48x48'] },
          ],
          _meta: { 'acme/team': 'desk' },
          arguments: [
            { name: 'city', description: 'Where to', required: true },
            { name: 'mood', required: false },
          ],
        },
      ]);
    });

    test('completable arguments are completed, optional ones and those beside resolvers too', async () => {
      const cities = ['Paris', 'Prague', 'Lyon'];
      const Completed = z.object({
        city: completable(z.string(), (typed) => cities.filter((city) => city.startsWith(typed))),
        street: completable(z.string(), (typed, context) => [
          `${typed} in ${context?.arguments?.city ?? 'no city'}`,
        ]).optional(),
        note: z.string().optional(),
      });
      const plan = definePrompt(
        'plan',
        {
          argsSchema: Completed,
          resolve: { sure: resolver({ city: argsOf(Completed).city }, () => confirm('Sure?')) },
        },
        ({ city, street = 'any street' }) => `${city}, ${street}`,
      );
      const plain = definePrompt('plain', { argsSchema: Trip }, () => '');
      const chat = await connectClient(era, serving(layer, [plain, plan]), {
        elicit: [accept({ confirm: true })],
      });
      const complete = async (
        argument: string,
        value: string,
        context?: Record<string, string>,
      ) => {
        const { completion } = await chat.client.complete({
          ref: { type: 'ref/prompt', name: 'plan' },
          argument: { name: argument, value },
          ...(context && { context: { arguments: context } }),
        });
        return completion.values;
      };

      expect(chat.client.getServerCapabilities()?.completions).toBeDefined();
      expect(await complete('city', 'P')).toEqual(['Paris', 'Prague']);
      expect(await complete('street', 'Rue', { city: 'Lyon' })).toEqual(['Rue in Lyon']);
      expect(await complete('note', 'x')).toEqual([]);
      expect(await complete('sure', 'x')).toEqual([]);
      expect(await complete('constructor', 'x')).toEqual([]);
      const unknown = chat.client.complete({
        ref: { type: 'ref/prompt', name: 'nope' },
        argument: { name: 'city', value: '' },
      });
      expect(await protocolErrorOf(unknown)).toEqual({
        code: -32602,
        message: 'Prompt nope not found',
      });
      expect(await get(chat, 'plan', { city: 'Lyon', street: 'Rue' })).toBe('Lyon, Rue');
    });

    test('A13: without completable arguments nothing about completion is declared', async () => {
      const chat = await connectClient(era, serving(layer, [definePrompt('plan', {}, () => '')]));

      expect(chat.client.getServerCapabilities()).toMatchObject({ prompts: {} });
      expect(chat.client.getServerCapabilities()?.completions).toBeUndefined();
    });

    test('an unknown prompt is not found', async () => {
      const chat = await connectClient(era, serving(layer, [definePrompt('plan', {}, () => '')]));

      expect(await protocolErrorOf(get(chat, 'nope'))).toEqual({
        code: -32602,
        message: 'Prompt nope not found',
      });
    });
  });
});

describe.each(layers)('over HTTP on %s', (layer) => {
  test('H13: -32021 has status 400, other errors of a prompt have 200', async () => {
    const ask = resolver({}, () => elicit('Go?', Ok));
    const handler = httpHandler(
      serving(layer, [
        definePrompt('go', { resolve: { ask } }, () => 'went'),
        definePrompt('fail', {}, () => {
          throw new Error('boom');
        }),
      ]),
    );
    const gated = await post(handler, 'prompts/get', { name: 'go' });
    const asked = await post(
      handler,
      'prompts/get',
      { name: 'go' },
      { capabilities: { elicitation: {} } },
    );
    const failed = await post(handler, 'prompts/get', { name: 'fail' });

    expect([gated.status, gated.body.error?.code]).toEqual([400, -32021]);
    expect([asked.status, asked.body.result?.resultType]).toEqual([200, 'input_required']);
    expect([failed.status, failed.body.error]).toEqual([
      200,
      { code: -32603, message: 'Error getting prompt fail: boom' },
    ]);
  });

  test('H12: a 2025 client that is served without a session cannot be asked', async () => {
    const ask = resolver({}, () => elicit('Go?', Ok));
    const handler = httpHandler(
      serving(layer, [
        definePrompt('go', { resolve: { ask } }, () => 'went'),
        definePrompt('quiet', {}, () => 'went'),
      ]),
    );
    const send = async (name: string): Promise<unknown> => {
      const response = await handler.fetch(
        new Request('http://server.test/mcp', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': '2025-11-25',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name } }),
        }),
      );
      const text = await response.text();
      return JSON.parse(text.startsWith('{') ? text : text.slice(text.indexOf('data: {') + 6));
    };

    expect(await send('quiet')).toMatchObject({
      result: { messages: [{ role: 'user', content: { type: 'text', text: 'went' } }] },
    });
    expect(await send('go')).toMatchObject({
      error: {
        code: -32600,
        message:
          "Cannot send 'elicitation/create': this transport context has no back-channel for server-initiated requests.",
      },
    });
  });
});

test('scopeChallenge reaches the SDK, which answers before anything of ours runs', async () => {
  const ran: string[] = [];
  const note = resolver({}, () => void ran.push('ran'));
  const plan = definePrompt(
    'plan',
    { scopeChallenge: requireScopes('trips:plan'), resolve: { note } },
    () => 'planned',
  );
  const handler = httpHandler(serving('McpServer', [plan]));
  const request = (scopes: string[]) => {
    const params = {
      name: 'plan',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    };
    return handler.fetch(
      new Request('http://server.test/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'prompts/get',
          'mcp-name': 'plan',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'prompts/get', params }),
      }),
      { authInfo: { token: 't', clientId: 'c', scopes } },
    );
  };

  const refused = await request([]);
  expect(refused.status).toBe(403);
  expect(refused.headers.get('www-authenticate')).toContain('trips:plan');
  expect(ran).toEqual([]);
  expect((await request(['trips:plan'])).status).toBe(200);
  expect(ran).toEqual(['ran']);
});

describe('a prompt by itself', () => {
  const price = resolver({ days: args.days }, ({ days }) => days * 80);
  const plan = definePrompt(
    'plan',
    { argsSchema: Trip, resolve: { price } },
    ({ city, price }) => `${city} for ${price}`,
  );

  test('D16: can be got without a server', async () => {
    expect(plan.name).toBe('plan');
    expect(Object.isFrozen(plan)).toBe(true);
    expect(await plan.get({ city: 'Lyon' })).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'Lyon for 240' } }],
    });
    expect(await definePrompt('bare', {}, () => 'bare').get(undefined)).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'bare' } }],
    });
  });

  test('D16: its arguments are validated in the words of the wire', async () => {
    const chat = await connectClient('modern', serving('McpServer', [plan]));
    const onTheWire = await protocolErrorOf(get(chat, 'plan', { days: 'x' }));

    expect(await protocolErrorOf(plan.get({ days: 'x' } as never))).toEqual(onTheWire);
    expect(await protocolErrorOf(plan.get(undefined as never))).toMatchObject({ code: -32602 });
    const dropped = await plan.get({ city: 'Lyon', price: 1 } as never);
    expect(JSON.stringify(dropped)).toContain('Lyon for 240');
  });

  test('D16: its errors are those of the wire, and there is nobody to ask', async () => {
    const sure = resolver({}, () => confirm('Sure?'));
    const asking = definePrompt('asking', { resolve: { sure } }, () => 'went');
    const failing = definePrompt('failing', {}, (): string => {
      throw new Error('boom');
    });

    expect(await protocolErrorOf(failing.get({}))).toEqual({
      code: -32603,
      message: 'Error getting prompt failing: boom',
    });
    expect(await protocolErrorOf(asking.get({}))).toMatchObject({ code: -32600 });
  });

  test('D17: from inside a body it asks where the protocol allows it', async () => {
    const sure = resolver({}, () => confirm('Sure?'));
    const inner = definePrompt('inner', { resolve: { sure } }, () => 'inner went');
    const outer = definePrompt('outer', {}, (_, ctx) => inner.get({}, ctx));
    const legacy = await connectClient('legacy', serving('McpServer', [outer]), {
      elicit: [accept({ confirm: true })],
    });
    const modern = await connectClient('modern', serving('McpServer', [outer]), { elicit: [] });

    expect(await get(legacy, 'outer')).toBe('inner went');
    expect(legacy.asked).toEqual(['Sure?']);
    expect(await protocolErrorOf(get(modern, 'outer'))).toEqual({
      code: -32603,
      message:
        'Error getting prompt inner: it asks a question, which a call from inside another handler cannot do on this protocol version: use its resolvers in the outer tool',
    });
    expect(modern.asked).toEqual([]);
  });
});

describe('on the 2025 era, message by message', () => {
  test.each(layers)('D4, E13: a prompt pushes its question and runs once (%s)', async (layer) => {
    const ran: string[] = [];
    const ask = resolver({ city: arg<string>() }, ({ city }) => {
      ran.push(city);
      return elicit(`Go to ${city}?`, Ok);
    });
    const go = definePrompt('go', { argsSchema: Trip, resolve: { ask } }, ({ ask }) => `${ask.ok}`);
    const client = await rawLegacy(serving(layer, [go]), {
      capabilities: { elicitation: {} },
      answer: () => ({ result: accept({ ok: true }) }),
    });
    const { result } = await client.request('prompts/get', {
      name: 'go',
      arguments: { city: 'Lyon' },
    });

    expect(result?.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'true' } }]);
    expect(client.received).toMatchObject([
      {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Go to Lyon?',
          requestedSchema: {
            type: 'object',
            properties: { ok: { type: 'boolean' } },
            required: ['ok'],
          },
        },
      },
    ]);
    expect(ran).toEqual(['Lyon']);
  });

  test('K5: a client that answers with a protocol error ends the prompt with it', async () => {
    const ask = resolver({}, () => elicit('Go?', Ok));
    const go = definePrompt('go', { resolve: { ask } }, nothing);
    const client = await rawLegacy(serving('McpServer', [go]), {
      capabilities: { elicitation: {} },
      answer: () => ({ error: { code: -32050, message: 'not now' } }),
    });
    const { error } = await client.request('prompts/get', { name: 'go' });

    expect(error).toEqual({ code: -32050, message: 'not now' });
  });
});
