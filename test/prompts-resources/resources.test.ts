/** Resources: where they are, what their bodies receive and return, and how they fail. */
import {
  ProtocolError,
  requireScopes,
  ResourceNotFoundError,
  ResourceTemplate,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import {
  arg,
  argsOf,
  confirm,
  defineResource,
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
import { layers, read, serving, servingHeard, template } from './library.js';

const Ok = z.object({ ok: z.boolean() });
const Trip = z.object({
  country: z.string(),
  id: z.coerce.number().int(),
  lang: z.string().default('en'),
});
const args = argsOf(Trip);
const trips = () => template('trips://{country}/{id}');

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(eras)('%s', (era) => {
  describe.each(layers)('%s', (layer) => {
    test('A1: a text or bytes are the content at the uri that was read', async () => {
      const { client } = await connectClient(
        era,
        serving(layer, [
          defineResource('text', 'desk://text', {}, () => 'Read me'),
          defineResource(
            'later',
            'desk://later',
            { mimeType: 'text/markdown' },
            async () => '# Hi',
          ),
          defineResource('bytes', 'desk://bytes', { mimeType: 'image/png' }, () =>
            Uint8Array.of(0, 1, 254, 255),
          ),
          defineResource('buffer', 'desk://buffer', {}, () => Buffer.from('Grüße')),
          defineResource('empty', 'desk://empty', {}, () => ''),
        ]),
      );
      const contents = async (uri: string) => (await client.readResource({ uri })).contents;

      expect(await contents('desk://text')).toEqual([{ uri: 'desk://text', text: 'Read me' }]);
      expect(await contents('desk://later')).toEqual([
        { uri: 'desk://later', mimeType: 'text/markdown', text: '# Hi' },
      ]);
      expect(await contents('desk://bytes')).toEqual([
        { uri: 'desk://bytes', mimeType: 'image/png', blob: 'AAH+/w==' },
      ]);
      expect(await contents('desk://buffer')).toEqual([
        { uri: 'desk://buffer', blob: Buffer.from('Grüße').toString('base64') },
      ]);
      expect(await contents('desk://empty')).toEqual([{ uri: 'desk://empty', text: '' }]);
    });

    test('A1: a complete result passes as it is', async () => {
      const result: ReadResourceResult = {
        contents: [
          { uri: 'desk://all/1', text: 'one', mimeType: 'text/plain', _meta: { 'acme/a': 1 } },
          { uri: 'desk://all/2', blob: 'AA==' },
        ],
        _meta: { 'acme/b': 2 },
      };
      const all = defineResource('all', 'desk://all', { mimeType: 'text/csv' }, () => result);
      const { client } = await connectClient(era, serving(layer, [all]));
      const got = await client.readResource({ uri: 'desk://all' });

      expect(got.contents).toEqual(result.contents);
      expect(got._meta).toMatchObject({ 'acme/b': 2 });
    });

    test.each<[string, () => unknown, string]>([
      ['nothing', () => undefined, 'nothing'],
      ['null', () => null, 'null'],
      ['a number', () => 7, 'a value of type number'],
      ['a list', () => [1, 2], 'a list'],
      ['an object without contents', () => ({ text: 'x' }), 'a value of type object'],
    ])('a body that returns %s is told what to return', async (_, body, what) => {
      const odd = defineResource('odd', 'desk://odd', {}, body as () => string);
      const chat = await connectClient(era, serving(layer, [odd]));

      expect(await protocolErrorOf(read(chat, 'desk://odd'))).toEqual({
        code: -32603,
        message: `Error reading resource odd: the body of 'odd' returned ${what}; the body of a resource returns a string, bytes or a ReadResourceResult`,
      });
    });

    test('C12: a body that asks at run time is told to leave that to a resolver', async () => {
      const body = (() => confirm('Sure?')) as unknown as () => string;
      const odd = defineResource('odd', 'desk://odd', {}, body);
      const chat = await connectClient(era, serving(layer, [odd]), { elicit: [] });
      const { code, message } = await protocolErrorOf(read(chat, 'desk://odd'));

      expect(code).toBe(-32603);
      expect(message).toContain("the body of 'odd' asked a question");
      expect(chat.asked).toEqual([]);
    });

    test('A2: the variables of a schema are coerced and completed, once, for resolvers and body alike', async () => {
      const price = resolver({ id: args.id, lang: args.lang }, (values) => values);
      const trip = defineResource(
        'trip',
        trips(),
        { variables: Trip, resolve: { price } },
        (values, ctx) => JSON.stringify({ values, uri: ctx.uri.href, raw: ctx.variables }),
      );
      const chat = await connectClient(era, serving(layer, [trip]));

      expect(JSON.parse(await read(chat, 'trips://no/7'))).toEqual({
        values: { country: 'no', id: 7, lang: 'en', price: { id: 7, lang: 'en' } },
        uri: 'trips://no/7',
        raw: { country: 'no', id: '7' },
      });
    });

    test('B8: variables that are not valid end the request before any resolver runs', async () => {
      const ran: string[] = [];
      const note = resolver({ id: args.id }, () => void ran.push('ran'));
      const trip = defineResource(
        'trip',
        trips(),
        { variables: Trip, resolve: { note } },
        () => '',
      );
      const chat = await connectClient(era, serving(layer, [trip]), { elicit: [] });

      expect(await protocolErrorOf(read(chat, 'trips://no/seven'))).toEqual({
        code: -32602,
        message:
          'Invalid variables for resource trip: id: Invalid input: expected number, received NaN',
      });
      expect(await protocolErrorOf(read(chat, 'trips://no/1.5'))).toMatchObject({ code: -32602 });
      expect(ran).toEqual([]);
    });

    test('a schema can wait for something', async () => {
      const Known = z.object({
        id: z.string().refine(async (id) => Promise.resolve(id !== '0'), 'no such trip'),
      });
      const known = defineResource(
        'known',
        template('known://{id}'),
        { variables: Known },
        ({ id }) => `trip ${id}`,
      );
      const chat = await connectClient(era, serving(layer, [known]));

      expect(await read(chat, 'known://5')).toBe('trip 5');
      expect(await protocolErrorOf(read(chat, 'known://0'))).toEqual({
        code: -32602,
        message: 'Invalid variables for resource known: id: no such trip',
      });
    });

    test('without a schema the names are those of the template', async () => {
      const upper = resolver({ where: arg<string | string[]>('country') }, ({ where }) =>
        String(where).toUpperCase(),
      );
      const trip = defineResource('trip', trips(), { resolve: { upper } }, (values, ctx) =>
        JSON.stringify([values, ctx.variables]),
      );
      const plain = defineResource('plain', template('plain://{a}/{b}'), {}, (values) =>
        JSON.stringify(values),
      );
      const chat = await connectClient(era, serving(layer, [trip, plain]));

      expect(JSON.parse(await read(chat, 'trips://no/7'))).toEqual([
        { country: 'no', id: '7', upper: 'NO' },
        { country: 'no', id: '7' },
      ]);
      expect(JSON.parse(await read(chat, 'plain://1/2'))).toEqual({ a: '1', b: '2' });
    });

    test('an exploded variable is a list where the uri has several values', async () => {
      const both = resolver({ b: arg<string | string[]>() }, ({ b }) => [b].flat().length);
      const raw = defineResource('raw', template('raw://x/{b*}'), { resolve: { both } }, (values) =>
        JSON.stringify(values),
      );
      const Listed = z.object({
        b: z.preprocess((b) => [b].flat(), z.array(z.coerce.number())),
      });
      const typed = defineResource(
        'typed',
        template('typed://x/{b*}'),
        { variables: Listed },
        ({ b }) => JSON.stringify(b),
      );
      const chat = await connectClient(era, serving(layer, [raw, typed]));

      expect(JSON.parse(await read(chat, 'raw://x/1'))).toEqual({ b: '1', both: 1 });
      expect(JSON.parse(await read(chat, 'raw://x/1,2,3'))).toEqual({
        b: ['1', '2', '3'],
        both: 3,
      });
      expect(await read(chat, 'typed://x/4')).toBe('[4]');
      expect(await read(chat, 'typed://x/4,5')).toBe('[4,5]');
      expect(await protocolErrorOf(read(chat, 'typed://x/4,five'))).toMatchObject({ code: -32602 });
    });

    test('a query operator gives its variables, in the order of the template as the SDK has it', async () => {
      const found = defineResource(
        'found',
        template('search://trips{?q,page}'),
        { variables: z.object({ q: z.string(), page: z.coerce.number() }) },
        ({ q, page }) => `${q} on page ${page}`,
      );
      const chat = await connectClient(era, serving(layer, [found]));

      expect(await read(chat, 'search://trips?q=lyon&page=2')).toBe('lyon on page 2');
      expect(await protocolErrorOf(read(chat, 'search://trips?page=2&q=lyon'))).toEqual({
        code: -32602,
        message: 'Resource not found: search://trips?page=2&q=lyon',
        data: { uri: 'search://trips?page=2&q=lyon' },
      });
    });

    test('a rest operator takes the slashes too', async () => {
      const file = defineResource('file', template('files://{+path}'), {}, ({ path }) =>
        String(path),
      );
      const chat = await connectClient(era, serving(layer, [file]));

      expect(await read(chat, 'files://a/b/c.txt')).toBe('a/b/c.txt');
    });

    test('a fixed uri goes before a template that matches it', async () => {
      const chat = await connectClient(
        era,
        serving(layer, [
          defineResource('any', template('desk://{room}'), {}, ({ room }) => `any ${String(room)}`),
          defineResource('one', 'desk://one', {}, () => 'the one'),
        ]),
      );

      expect(await read(chat, 'desk://one')).toBe('the one');
      expect(await read(chat, 'desk://two')).toBe('any two');
    });

    test('a uri is listed in the form in which it is read, and read in every form', async () => {
      const site = defineResource('site', 'https://Example.com', {}, (_, ctx) => ctx.uri.href);
      const chat = await connectClient(era, serving(layer, [site]));

      expect((await chat.client.listResources()).resources).toEqual([
        { name: 'site', uri: 'https://example.com/' },
      ]);
      for (const uri of ['https://example.com', 'https://example.com/', 'HTTPS://EXAMPLE.COM']) {
        expect((await chat.client.readResource({ uri })).contents).toEqual([
          { uri: 'https://example.com/', text: 'https://example.com/' },
        ]);
      }
    });

    test('A13: the fields of a definition are listed as they are', async () => {
      const about = {
        title: 'A trip',
        description: 'One trip',
        mimeType: 'application/json',
        icons: [{ src: 'https://travel.example/trip.png' }],
        annotations: { audience: ['user' as const], priority: 0.5 },
        _meta: { 'acme/team': 'desk' },
      };
      const list = () => ({
        resources: [{ uri: 'trips://no/1', name: 'Oslo', title: 'To Oslo' }],
      });
      const { client } = await connectClient(
        era,
        serving(layer, [
          defineResource(
            'next',
            'desk://next',
            { ...about, size: 7, cacheHint: { ttlMs: 5 } },
            () => '',
          ),
          defineResource(
            'trip',
            new ResourceTemplate('trips://{country}/{id}', { list }),
            about,
            () => '',
          ),
        ]),
      );

      expect((await client.listResources()).resources).toEqual([
        { name: 'next', uri: 'desk://next', size: 7, ...about },
        { ...about, uri: 'trips://no/1', name: 'Oslo', title: 'To Oslo' },
      ]);
      expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
        { name: 'trip', uriTemplate: 'trips://{country}/{id}', ...about },
      ]);
    });

    test('the variables of a template are completed, and a fixed uri has nothing to complete', async () => {
      const countries = ['norway', 'nepal', 'france'];
      const completed = new ResourceTemplate('trips://{country}/{id}', {
        list: undefined,
        complete: {
          country: (typed) => countries.filter((country) => country.startsWith(typed)),
          id: (_, context) => [`1 of ${context?.arguments?.country ?? 'none'}`],
        },
      });
      const sure = resolver({ country: args.country }, () => confirm('Sure?'));
      const { client } = await connectClient(
        era,
        serving(layer, [
          defineResource('next', 'desk://next', {}, () => ''),
          defineResource('trip', completed, { variables: Trip, resolve: { sure } }, () => ''),
        ]),
      );
      const complete = async (uri: string, name: string, value: string) => {
        const { completion } = await client.complete({
          ref: { type: 'ref/resource', uri },
          argument: { name, value },
          context: { arguments: { country: 'nepal' } },
        });
        return completion.values;
      };

      expect(await complete('trips://{country}/{id}', 'country', 'n')).toEqual(['norway', 'nepal']);
      expect(await complete('trips://{country}/{id}', 'id', '')).toEqual(['1 of nepal']);
      expect(await complete('trips://{country}/{id}', 'other', '')).toEqual([]);
      expect(await complete('desk://next', 'x', '')).toEqual([]);
      expect(await protocolErrorOf(complete('nope://{x}', 'x', ''))).toEqual({
        code: -32602,
        message: 'Resource template nope://{x} not found',
      });
    });

    test('E5, D11: an outcome tells a yes from a no, and an answer from a computed value', async () => {
      const approval = resolver({ id: args.id }, ({ id }) =>
        id < 5 ? true : confirm(`Show trip ${id}?`),
      );
      const trip = defineResource(
        'trip',
        trips(),
        { variables: Trip, resolve: { approval: outcome(approval) } },
        ({ approval }) => JSON.stringify(approval),
      );
      const chat = await connectClient(era, serving(layer, [trip]), {
        elicit: [accept({ confirm: true }), decline()],
      });

      expect(await read(chat, 'trips://no/4')).toBe(
        '{"action":"accept","data":true,"asked":false}',
      );
      expect(await read(chat, 'trips://no/6')).toBe('{"action":"accept","data":true,"asked":true}');
      expect(await read(chat, 'trips://no/7')).toBe('{"action":"decline"}');
      expect(chat.asked).toEqual(['Show trip 6?', 'Show trip 7?']);
    });

    test('a guard sees the variables, and ends the request', async () => {
      const member = resolver({ country: args.country }, ({ country }) => country === 'no');
      const trip = defineResource(
        'trip',
        trips(),
        { variables: Trip, guards: [member] },
        ({ id }) => `trip ${id}`,
      );
      const chat = await connectClient(era, serving(layer, [trip]));

      expect(await read(chat, 'trips://no/7')).toBe('trip 7');
      expect(await protocolErrorOf(read(chat, 'trips://fr/7'))).toEqual({
        code: -32603,
        message: "Error reading resource trip: Guard 'guard' refused",
      });
    });

    test.each<[string, unknown, string]>([
      ['an Error', new Error('boom'), 'boom'],
      ['a ToolError', new ToolError('no such trip'), 'no such trip'],
      ['a text', 'a text', 'a text'],
      ['null', null, 'null'],
    ])(
      'K1, K3: %s thrown anywhere is an error that names the resource',
      async (_, thrown, text) => {
        const fail = (): string => {
          throw thrown;
        };
        const failing = resolver({}, fail);
        const resources = [
          defineResource('resolver', 'fail://resolver', { resolve: { failing } }, () => 'ran'),
          defineResource('guard', 'fail://guard', { guards: [failing] }, () => 'ran'),
          defineResource('body', 'fail://body', {}, fail),
          defineResource('template', template('fail://{a}/{b}'), {}, async () => fail()),
        ];
        const { factory, heard } = servingHeard(layer, resources);
        const chat = await connectClient(era, factory);
        const failures = ['resolver', 'guard', 'body', 'template/x'];

        for (const place of failures) {
          expect(await protocolErrorOf(read(chat, `fail://${place}`))).toEqual({
            code: -32603,
            message: `Error reading resource ${place.split('/')[0]}: ${text}`,
          });
        }
        expect(heard).toEqual(thrown instanceof ToolError ? [] : failures.map(() => text));
      },
    );

    test("K3: with errors: 'toolErrorsOnly' only a ToolError is told, the rest reaches onerror", async () => {
      const fail = (error: Error) => (): string => {
        throw error;
      };
      const secret = fail(new Error('the password is hunter2'));
      const resources = [
        defineResource('body', 'fail://body', {}, secret),
        defineResource(
          'resolver',
          'fail://resolver',
          { resolve: { a: resolver({}, secret) } },
          () => '',
        ),
        defineResource('told', 'fail://told', {}, fail(new ToolError('no such trip'))),
      ];
      const { factory, heard } = servingHeard(layer, resources, { errors: 'toolErrorsOnly' });
      const chat = await connectClient(era, factory);
      const told = async (name: string) =>
        (await protocolErrorOf(read(chat, `fail://${name}`))).message;

      expect(await told('body')).toBe('Error reading resource body: an unexpected error occurred');
      expect(await told('resolver')).toBe(
        'Error reading resource resolver: an unexpected error occurred',
      );
      expect(await told('told')).toBe('Error reading resource told: no such trip');
      expect(heard).toEqual(['the password is hunter2', 'the password is hunter2']);
    });

    test('K3: a schema that throws finds the variables invalid, and keeps its words to the log', async () => {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
      const Throwing = z.object({
        id: z.string().transform((): string => {
          throw new Error('the password is hunter2');
        }),
      });
      const place = template('trips://{id}');
      const trip = defineResource('trip', place, { variables: Throwing }, ({ id }) => id);
      const chat = await connectClient(era, serving(layer, [trip], { errors: 'toolErrorsOnly' }));

      expect(await protocolErrorOf(read(chat, 'trips://7'))).toEqual({
        code: -32602,
        message: 'Invalid variables for resource trip: could not be checked',
      });
      expect(warn.mock.calls.flat().join()).toContain('the password is hunter2');
    });

    test('K4: a protocol error stays one, such as that nothing is there', async () => {
      const load = resolver({ id: args.id }, ({ id }, ctx) => {
        if (id > 100) throw new ResourceNotFoundError(`trips://no/${id}`);
        if (id > 10) throw new ProtocolError(-32050, 'Quota exhausted', { retryAfter: 60 });
        return ctx.callId.length;
      });
      const trip = defineResource(
        'trip',
        trips(),
        { variables: Trip, resolve: { load } },
        () => 'ok',
      );
      const { factory, heard } = servingHeard(layer, [trip], { errors: 'toolErrorsOnly' });
      const chat = await connectClient(era, factory);

      expect(await read(chat, 'trips://no/1')).toBe('ok');
      expect(await protocolErrorOf(read(chat, 'trips://no/11'))).toEqual({
        code: -32050,
        message: 'Quota exhausted',
        data: { retryAfter: 60 },
      });
      expect(await protocolErrorOf(read(chat, 'trips://no/101'))).toEqual({
        code: -32602,
        message: 'Resource not found: trips://no/101',
        data: { uri: 'trips://no/101' },
      });
      expect(heard).toEqual([]);
    });

    test('H1, H9: a client that cannot be asked gets -32021, where there is something to ask', async () => {
      const approval = resolver({ id: args.id }, ({ id }) => (id < 5 ? true : confirm('Sure?')));
      const trip = defineResource(
        'trip',
        trips(),
        { variables: Trip, resolve: { approval } },
        () => 'ok',
      );
      const chat = await connectClient(era, serving(layer, [trip]));

      expect(await read(chat, 'trips://no/4')).toBe('ok');
      expect(await protocolErrorOf(read(chat, 'trips://no/5'))).toEqual({
        code: -32021,
        message:
          "Client did not declare the form elicitation capability required by resolver 'approval'",
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
      expect(await read(chat, 'trips://no/4')).toBe('ok');
    });

    test('what is nowhere is not found', async () => {
      const chat = await connectClient(
        era,
        serving(layer, [defineResource('one', 'desk://one', {}, () => '')]),
      );

      expect(await protocolErrorOf(read(chat, 'desk://two'))).toEqual({
        code: -32602,
        message: 'Resource not found: desk://two',
        data: { uri: 'desk://two' },
      });
    });
  });
});

describe.each(layers)('over HTTP on %s', (layer) => {
  test('H13: -32021 has status 400, other errors of a resource have 200', async () => {
    const ask = resolver({}, () => elicit('Go?', Ok));
    const handler = httpHandler(
      serving(layer, [
        defineResource('go', 'desk://go', { resolve: { ask } }, () => 'went'),
        defineResource('fail', 'desk://fail', {}, () => {
          throw new Error('boom');
        }),
      ]),
    );
    const gated = await post(handler, 'resources/read', { uri: 'desk://go' });
    const capabilities = { elicitation: {} };
    const asked = await post(handler, 'resources/read', { uri: 'desk://go' }, { capabilities });
    const failed = await post(handler, 'resources/read', { uri: 'desk://fail' });

    expect([gated.status, gated.body.error?.code]).toEqual([400, -32021]);
    expect([asked.status, asked.body.result?.resultType]).toEqual([200, 'input_required']);
    expect([failed.status, failed.body.error]).toEqual([
      200,
      { code: -32603, message: 'Error reading resource fail: boom' },
    ]);
  });

  test('a cache hint stands in the result, and never in the questions before it', async () => {
    const sure = resolver({}, () => confirm('Sure?'));
    const handler = httpHandler(
      serving(layer, [
        defineResource(
          'hinted',
          'desk://hinted',
          { cacheHint: { ttlMs: 5000, cacheScope: 'public' } },
          () => '',
        ),
        defineResource('plain', 'desk://plain', {}, () => ''),
        defineResource(
          'asked',
          template('asked://{id}'),
          { cacheHint: { ttlMs: 700 }, resolve: { sure } },
          () => '',
        ),
      ]),
    );
    const capabilities = { elicitation: {} };
    const cached = async (params: Record<string, unknown>) => {
      const { body } = await post(handler, 'resources/read', params, { capabilities });
      return body.result;
    };

    expect(await cached({ uri: 'desk://hinted' })).toMatchObject({
      ttlMs: 5000,
      cacheScope: 'public',
    });
    expect(await cached({ uri: 'desk://plain' })).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    });
    const asked = await cached({ uri: 'asked://7' });
    expect(asked).toMatchObject({ resultType: 'input_required' });
    expect(asked).not.toHaveProperty('ttlMs');
    const end = await cached({
      uri: 'asked://7',
      requestState: asked?.requestState,
      inputResponses: { sure: accept({ confirm: true }) },
    });
    expect(end).toMatchObject({ resultType: 'complete', ttlMs: 700, cacheScope: 'private' });
  });
});

test('scopeChallenge reaches the SDK, and is not listed', async () => {
  const ran: string[] = [];
  const secret = defineResource(
    'secret',
    template('secret://{id}'),
    { scopeChallenge: requireScopes('trips:read') },
    () => {
      ran.push('ran');
      return 'read';
    },
  );
  const handler = httpHandler(serving('McpServer', [secret]));
  const listed = await post(handler, 'resources/templates/list', {});
  const read = (scopes: string[]) =>
    handler.fetch(
      new Request('http://server.test/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'resources/read',
          'mcp-name': 'secret://7',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'resources/read',
          params: {
            uri: 'secret://7',
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1.0.0' },
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
      }),
      { authInfo: { token: 't', clientId: 'c', scopes } },
    );

  expect(listed.body.result?.resourceTemplates).toEqual([
    { name: 'secret', uriTemplate: 'secret://{id}' },
  ]);
  expect((await read([])).status).toBe(403);
  expect(ran).toEqual([]);
  expect((await read(['trips:read'])).status).toBe(200);
  expect(ran).toEqual(['ran']);
});

describe('a resource by itself', () => {
  const price = resolver({ id: args.id }, ({ id }) => id * 80);
  const trip = defineResource(
    'trip',
    trips(),
    { variables: Trip, mimeType: 'text/plain', resolve: { price } },
    ({ country, price }, ctx) => `${country} for ${price} at ${ctx.uri.href}`,
  );

  test('D16: can be read without a server, at a text or a URL', async () => {
    const result = {
      contents: [
        { uri: 'trips://no/2', mimeType: 'text/plain', text: 'no for 160 at trips://no/2' },
      ],
    };
    expect(trip.name).toBe('trip');
    expect(Object.isFrozen(trip)).toBe(true);
    expect(await trip.read('trips://no/2')).toEqual(result);
    expect(await trip.read(new URL('trips://no/2'))).toEqual(result);
    const fixed = defineResource('site', 'https://example.com', {}, () => 'site');
    expect(await fixed.read('HTTPS://EXAMPLE.COM')).toEqual({
      contents: [{ uri: 'https://example.com/', text: 'site' }],
    });
  });

  test('D16: is only where it is, and its variables are validated in the words of the wire', async () => {
    const chat = await connectClient('modern', serving('McpServer', [trip]));
    for (const uri of ['trips://no/x', 'trips://no/2/3', 'other://x']) {
      expect(await protocolErrorOf(trip.read(uri))).toEqual(await protocolErrorOf(read(chat, uri)));
    }
    expect(await protocolErrorOf(trip.read('not a uri'))).toMatchObject({ code: -32602 });
  });

  test('D16: its errors are those of the wire, and there is nobody to ask', async () => {
    const sure = resolver({}, () => confirm('Sure?'));
    const asking = defineResource('asking', 'ask://it', { resolve: { sure } }, () => 'read');
    const failing = defineResource('failing', 'fail://it', {}, (): string => {
      throw new Error('boom');
    });

    expect(await protocolErrorOf(failing.read('fail://it'))).toEqual({
      code: -32603,
      message: 'Error reading resource failing: boom',
    });
    expect(await protocolErrorOf(asking.read('ask://it'))).toMatchObject({ code: -32600 });
  });

  test.each(eras)(
    'D17: from inside a body it sees its own uri, and not the outer one (%s)',
    async (era) => {
      const outer = defineResource('outer', template('outer://{id}'), {}, async ({ id }, ctx) => {
        const inner = await trip.read(`trips://no/${String(id)}`, ctx);
        return { contents: [...inner.contents, { uri: ctx.uri.href, text: 'outer' }] };
      });
      const { client } = await connectClient(era, serving('McpServer', [outer]));

      expect((await client.readResource({ uri: 'outer://2' })).contents).toEqual([
        { uri: 'trips://no/2', mimeType: 'text/plain', text: 'no for 160 at trips://no/2' },
        { uri: 'outer://2', text: 'outer' },
      ]);
    },
  );

  test('D17: from inside a body it asks where the protocol allows it', async () => {
    const sure = resolver({}, () => confirm('Sure?'));
    const inner = defineResource('inner', 'inner://it', { resolve: { sure } }, () => 'inner read');
    const outer = defineResource('outer', 'outer://it', {}, (_, ctx) =>
      inner.read('inner://it', ctx),
    );
    const legacy = await connectClient('legacy', serving('McpServer', [outer]), {
      elicit: [accept({ confirm: true })],
    });
    const modern = await connectClient('modern', serving('McpServer', [outer]), { elicit: [] });

    expect(await read(legacy, 'outer://it')).toBe('inner read');
    expect(await protocolErrorOf(read(modern, 'outer://it'))).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^Error reading resource inner: it asks a question/) as string,
    });
    expect(modern.asked).toEqual([]);
  });
});

describe('on the 2025 era, message by message', () => {
  test.each(layers)(
    'D4, D14: a resource pushes its questions one by one and runs once (%s)',
    async (layer) => {
      const ran: string[] = [];
      const first = resolver({ id: args.id }, ({ id }) => {
        ran.push('first');
        return elicit(`Trip ${id}?`, Ok);
      });
      const second = resolver({}, () => {
        ran.push('second');
        return elicit('Sure?', Ok);
      });
      const trip = defineResource(
        'trip',
        trips(),
        { variables: Trip, resolve: { first, second } },
        ({ first, second }) => `${first.ok} ${second.ok}`,
      );
      const client = await rawLegacy(serving(layer, [trip]), {
        capabilities: { elicitation: {} },
        answer: ({ id }) => ({ result: accept({ ok: id === 0 }) }),
      });
      const { result } = await client.request('resources/read', { uri: 'trips://no/7' });

      expect(result).toEqual({ contents: [{ uri: 'trips://no/7', text: 'true false' }] });
      expect(client.received.map(({ params }) => params?.message)).toEqual(['Trip 7?', 'Sure?']);
      expect(ran).toEqual(['first', 'second']);
    },
  );
});
