/** Tests prompts and resources on a low-level Server, next to the author's own handlers. */
import {
  acceptedContent,
  completable,
  inputRequired,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import {
  argsOf,
  confirm,
  definePrompt,
  defineResource,
  defineTool,
  install,
  resolver,
} from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import type { Factory } from '../support/servers.js';
import { rawLegacy } from '../support/wire.js';
import { createSeal, endOf, expectFrozen, flipped, overHttp, tokenOf } from '../sealing/desk.js';
import { get, read, template } from './library.js';

const INFO = { name: 'low', version: '1.0.0' };

const Trip = z.object({
  city: completable(z.string(), (typed) => ['Oslo', 'Lyon'].filter((at) => at.startsWith(typed))),
});
const sure = resolver({ city: argsOf(Trip).city }, ({ city }) => confirm(`Go to ${city}?`), {
  asks: 'form',
});
const rooms = new ResourceTemplate('rooms://{city}', {
  list: () => ({ resources: [{ uri: 'rooms://Oslo', name: 'Oslo' }] }),
  complete: { city: () => ['Oslo'] },
});

/** Creates the definitions of these tests. */
const createDefinitions = () => [
  definePrompt('plan', { argsSchema: Trip, resolve: { sure } }, ({ city }) => `plan for ${city}`),
  definePrompt('hello', {}, () => 'our hello'),
  defineResource('next', 'desk://next', {}, () => 'our next'),
  defineResource(
    'rooms',
    rooms,
    { variables: Trip, resolve: { sure } },
    ({ city }) => `in ${city}`,
  ),
];

/** Creates the result of a prompt. */
const userMessage = (text: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
});

/** Sets hand-written handlers. Their listings have two pages. */
function setHandlers(server: Server): void {
  const paged = (property: string, first: object, second: object) =>
    (({ params }: { params?: { cursor?: string | undefined } | undefined }) =>
      params?.cursor === 'page-2'
        ? { [property]: [second] }
        : { [property]: [first], nextCursor: 'page-2' }) as never;
  server.setRequestHandler(
    'prompts/list',
    paged('prompts', { name: 'theirs' }, { name: 'theirs_2' }),
  );
  server.setRequestHandler(
    'resources/list',
    paged('resources', { name: 'theirs', uri: 'their://1' }, { name: 'theirs', uri: 'their://2' }),
  );
  server.setRequestHandler(
    'resources/templates/list',
    paged(
      'resourceTemplates',
      { name: 'theirs', uriTemplate: 'their://{a}' },
      { name: 'theirs_2', uriTemplate: 'their://{a}/{b}' },
    ),
  );
  server.setRequestHandler('prompts/get', ({ params }) => {
    if (params.name === 'broken') throw new Error('broken by hand');
    return userMessage(`${params.name} by hand`);
  });
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    if (uri === 'their://gone') throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, text: `${uri} by hand` }] };
  });
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) => ({
    completion: { values: [`${ref.type} ${argument.name} by hand`] },
  }));
}

const capabilities = { prompts: {}, resources: { subscribe: true }, completions: {} };

describe.each(eras)('on the %s era', (era) => {
  describe.each(['before', 'after', 'both before and after'])(
    'with handlers of the author that are set %s install',
    (when) => {
      const factory = () => {
        const server = new Server(INFO, { capabilities });
        if (when.includes('before')) setHandlers(server);
        install(server, createDefinitions());
        if (when.includes('after')) setHandlers(server);
        return server;
      };

      test('A13: definitions answer their own names and uris, the handlers all others', async () => {
        const client = await connectClient(era, factory, {
          elicit: () => accept({ confirm: true }),
        });

        expect(await get(client, 'plan', { city: 'Lyon' })).toBe('plan for Lyon');
        expect(await get(client, 'hello')).toBe('our hello');
        expect(await get(client, 'theirs')).toBe('theirs by hand');
        expect(await get(client, 'anything')).toBe('anything by hand');
        expect(await read(client, 'desk://next')).toBe('our next');
        expect(await read(client, 'rooms://Lyon')).toBe('in Lyon');
        expect(await read(client, 'their://1')).toBe('their://1 by hand');
        expect(await read(client, 'rooms://Lyon/7')).toBe('rooms://Lyon/7 by hand');
        expect(await read(client, 'not a uri')).toBe('not a uri by hand');
        expect(client.asked).toEqual(['Go to Lyon?', 'Go to Lyon?']);
      });

      test('A13: listings contain both, with the definitions on the first page', async () => {
        const { client } = await connectClient(era, factory);
        const names = (list: readonly { name: string }[]): string[] =>
          list.map(({ name }) => name).sort();
        const second = { params: { cursor: 'page-2' } };

        const prompts = await client.request({ method: 'prompts/list' });
        expect(names(prompts.prompts)).toEqual(['hello', 'plan', 'theirs']);
        expect(prompts.nextCursor).toBe('page-2');
        const morePrompts = await client.request({ method: 'prompts/list', ...second });
        expect(names(morePrompts.prompts)).toEqual(['theirs_2']);

        const resources = await client.request({ method: 'resources/list' });
        expect(resources.resources.map(({ uri }) => uri).sort()).toEqual([
          'desk://next',
          'rooms://Oslo',
          'their://1',
        ]);
        expect(resources.nextCursor).toBe('page-2');
        const moreResources = await client.request({ method: 'resources/list', ...second });
        expect(moreResources.resources.map(({ uri }) => uri)).toEqual(['their://2']);

        const templates = await client.request({ method: 'resources/templates/list' });
        expect(names(templates.resourceTemplates)).toEqual(['rooms', 'theirs']);
        const moreTemplates = await client.request({
          method: 'resources/templates/list',
          ...second,
        });
        expect(names(moreTemplates.resourceTemplates)).toEqual(['theirs_2']);
      });

      test('A13: a client that follows all pages gets every entry once', async () => {
        const { client } = await connectClient(era, factory);

        expect((await client.listPrompts()).prompts.map(({ name }) => name).sort()).toEqual([
          'hello',
          'plan',
          'theirs',
          'theirs_2',
        ]);
        expect((await client.listResources()).resources.map(({ uri }) => uri).sort()).toEqual([
          'desk://next',
          'rooms://Oslo',
          'their://1',
          'their://2',
        ]);
      });

      test('definitions complete their own arguments, the handler all others', async () => {
        const { client } = await connectClient(era, factory);
        const complete = async (ref: object, name: string) => {
          const params = { ref, argument: { name, value: '' } };
          return (await client.complete(params as never)).completion.values;
        };

        expect(await complete({ type: 'ref/prompt', name: 'plan' }, 'city')).toEqual([
          'Oslo',
          'Lyon',
        ]);
        expect(await complete({ type: 'ref/prompt', name: 'hello' }, 'city')).toEqual([]);
        expect(await complete({ type: 'ref/prompt', name: 'theirs' }, 'city')).toEqual([
          'ref/prompt city by hand',
        ]);
        expect(await complete({ type: 'ref/resource', uri: 'rooms://{city}' }, 'city')).toEqual([
          'Oslo',
        ]);
        expect(await complete({ type: 'ref/resource', uri: 'desk://next' }, 'city')).toEqual([]);
        expect(await complete({ type: 'ref/resource', uri: 'their://{a}' }, 'a')).toEqual([
          'ref/resource a by hand',
        ]);
      });

      test('K4: errors of the handlers reach the client unchanged', async () => {
        const client = await connectClient(era, factory);

        expect(await protocolErrorOf(get(client, 'broken'))).toEqual({
          code: -32603,
          message: 'broken by hand',
        });
        expect(await protocolErrorOf(read(client, 'their://gone'))).toEqual({
          code: -32602,
          message: 'Resource not found: their://gone',
          data: { uri: 'their://gone' },
        });
      });

      test('capabilities that the author declared stay declared', async () => {
        const { client } = await connectClient(era, factory);

        expect(client.getServerCapabilities()).toMatchObject(capabilities);
      });
    },
  );

  test('A13: a server declares only the capabilities of its definitions', async () => {
    const declared = async (...definitions: ReturnType<typeof createDefinitions>) => {
      const { client } = await connectClient(era, () => {
        const server = new Server(INFO);
        install(server, definitions);
        return server;
      });
      return Object.keys(client.getServerCapabilities() ?? {}).sort();
    };
    const [plan, hello, next, room] = createDefinitions();

    expect(await declared(hello!)).toEqual(['prompts']);
    expect(await declared(plan!)).toEqual(['completions', 'prompts']);
    expect(await declared(next!)).toEqual(['resources']);
    expect(await declared(room!)).toEqual(['completions', 'resources']);
    expect(await declared(hello!, next!)).toEqual(['prompts', 'resources']);
  });

  test('A13: definitions can be installed one by one, and a later one can add completion', async () => {
    const { client, text } = await connectClient(
      era,
      () => {
        const server = new Server(INFO);
        for (const definition of createDefinitions().reverse()) install(server, [definition]);
        install(server, [defineTool('tool', {}, () => 'a tool')]);
        return server;
      },
      { elicit: () => accept({ confirm: true }) },
    );

    expect(await text('tool')).toBe('a tool');
    expect(await get({ client }, 'hello')).toBe('our hello');
    expect(await get({ client }, 'plan', { city: 'Oslo' })).toBe('plan for Oslo');
    expect(await read({ client }, 'rooms://Oslo')).toBe('in Oslo');
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'plan' },
      argument: { name: 'city', value: 'L' },
    });
    expect(completion.values).toEqual(['Lyon']);
  });

  test('A13: install options apply only to the definitions of that install', async () => {
    const failingPrompt = (name: string) =>
      definePrompt(name, {}, (): string => {
        throw new Error('boom');
      });
    const failingResource = (name: string) =>
      defineResource(name, `fail://${name}`, {}, (): string => {
        throw new Error('boom');
      });
    const client = await connectClient(era, () => {
      const server = new Server(INFO);
      server.onerror = () => undefined;
      install(server, [failingPrompt('open'), failingResource('open')], { errors: 'all' });
      install(server, [failingPrompt('masked'), failingResource('masked')]);
      return server;
    });
    const messageOf = async (call: Promise<string>) => (await protocolErrorOf(call)).message;

    expect(await messageOf(get(client, 'open'))).toBe('Error getting prompt open: boom');
    expect(await messageOf(get(client, 'masked'))).toBe('Error getting prompt masked');
    expect(await messageOf(read(client, 'fail://open'))).toBe(
      'Error reading resource fail://open: boom',
    );
    expect(await messageOf(read(client, 'fail://masked'))).toBe(
      'Error reading resource fail://masked',
    );
  });

  test('an author can set only some of the handlers', async () => {
    const { client } = await connectClient(era, () => {
      const server = new Server(INFO, { capabilities: { prompts: {}, resources: {} } });
      server.setRequestHandler('prompts/list', () => ({ prompts: [{ name: 'listed' }] }));
      server.setRequestHandler('resources/read', ({ params: { uri } }) => ({
        contents: [{ uri, text: 'by hand' }],
      }));
      install(server, createDefinitions());
      return server;
    });

    expect((await client.listPrompts()).prompts.map(({ name }) => name).sort()).toEqual([
      'hello',
      'listed',
      'plan',
    ]);
    expect(await protocolErrorOf(get({ client }, 'listed'))).toEqual({
      code: -32602,
      message: 'Prompt listed not found',
    });
    expect(await read({ client }, 'desk://other')).toBe('by hand');
    expect((await client.listResources()).resources).toHaveLength(2);
  });

  test('on an McpServer, definitions work next to prompts and resources of the author', async () => {
    const { client } = await connectClient(
      era,
      () => {
        const server = new McpServer(INFO);
        server.registerPrompt('before', {}, () => userMessage('before by hand'));
        server.registerResource('before', 'their://before', {}, ({ href }) => ({
          contents: [{ uri: href, text: 'before by hand' }],
        }));
        install(server, createDefinitions());
        server.registerPrompt('after', {}, () => userMessage('after by hand'));
        server.registerResource('after', template('their://{a}/{b}'), {}, ({ href }, { a, b }) => ({
          contents: [{ uri: href, text: `${String(a)} ${String(b)} by hand` }],
        }));
        return server;
      },
      { elicit: () => accept({ confirm: true }) },
    );

    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      'before',
      'plan',
      'hello',
      'after',
    ]);
    expect(await get({ client }, 'before')).toBe('before by hand');
    expect(await get({ client }, 'plan', { city: 'Oslo' })).toBe('plan for Oslo');
    expect(await get({ client }, 'after')).toBe('after by hand');
    expect(await read({ client }, 'their://before')).toBe('before by hand');
    expect(await read({ client }, 'their://x/y')).toBe('x y by hand');
    expect(await read({ client }, 'rooms://Oslo')).toBe('in Oslo');
    expect(await protocolErrorOf(get({ client }, 'nope'))).toMatchObject({
      message: 'Prompt nope not found',
    });
  });
});

describe('the state of a hand-written handler', () => {
  /** Runs a hand-written flow of two rounds, which returns the state that it read. */
  const byHand = (ctx: ServerContext): string | ReturnType<typeof inputRequired> => {
    const state = ctx.mcpReq.requestState<string>();
    if (state === undefined) {
      const question = inputRequired.elicit({
        message: 'By hand?',
        requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } } },
      });
      return inputRequired({ inputRequests: { question }, requestState: 'plain state' });
    }
    const answer = acceptedContent(ctx.mcpReq.inputResponses, 'question');
    return `${state} ${JSON.stringify(answer)}`;
  };
  const mixed =
    (options?: Parameters<typeof install>[2]): Factory =>
    () => {
      const server = new Server(INFO, { capabilities: { prompts: {}, resources: {} } });
      server.setRequestHandler('prompts/get', (_, ctx) => {
        const round = byHand(ctx);
        return typeof round === 'string' ? userMessage(round) : round;
      });
      install(server, createDefinitions(), options);
      server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) => {
        const round = byHand(ctx);
        return typeof round === 'string' ? { contents: [{ uri, text: round }] } : round;
      });
      return server;
    };
  const theirs = [
    ['prompts/get', { name: 'theirs' }],
    ['resources/read', { uri: 'their://1' }],
  ] as const;
  const mine = [
    ['prompts/get', { name: 'plan', arguments: { city: 'Oslo' } }],
    ['resources/read', { uri: 'rooms://Oslo' }],
  ] as const;
  const answered = { question: accept({ confirm: true }), sure: accept({ confirm: true }) };

  test('I6: is sent unchanged without a seal, while definitions seal their state', async () => {
    const send = overHttp(mixed());
    for (const [method, params] of theirs) {
      expect(tokenOf(await send(method, params))).toBe('plain state');
      const end = { ...params, requestState: 'any state', inputResponses: answered };
      expect(endOf(await send(method, end))).toBe('any state {"confirm":true}');
    }
    for (const [method, params] of mine) {
      const requestState = tokenOf(await send(method, params));
      expect(requestState).toMatch(/^v1\./);
      const end = { ...params, inputResponses: answered };
      expectFrozen(await send(method, { ...end, requestState: flipped(requestState) }));
      expect(endOf(await send(method, { ...end, requestState }))).toContain('Oslo');
    }
  });

  test('I3: is sealed if the author chose a seal', async () => {
    const { seal } = createSeal();
    const send = overHttp(mixed({ seal }));
    for (const [method, params] of [...theirs, ...mine]) {
      const requestState = tokenOf(await send(method, params));
      expect(requestState).toMatch(/^v1\./);
      const end = { ...params, inputResponses: answered };
      expectFrozen(await send(method, { ...end, requestState: 'plain state' }));
      expect(endOf(await send(method, { ...end, requestState }))).toMatch(/Oslo|plain state/);
    }
  });

  test('D15: is refused on the legacy era, as for definitions', async () => {
    const client = await rawLegacy(mixed(), {
      capabilities: { elicitation: {} },
      answer: () => ({ result: accept({ confirm: true }) }),
    });
    for (const [method, params] of [...theirs, ...mine]) {
      const forged = { ...params, requestState: 'plain state', inputResponses: answered };
      expect((await client.request(method, forged)).error).toMatchObject({
        code: -32602,
        message: 'Invalid or expired requestState',
      });
      expect(client.received.splice(0)).toEqual([]);
      const { result } = await client.request(method, { ...params, inputResponses: answered });
      expect(JSON.stringify(result)).toMatch(/Oslo|plain state/);
      expect(client.received.splice(0)).toHaveLength(1);
    }
  });
});

describe('install', () => {
  const [plan, , next, room] = createDefinitions();

  test.each([
    ['McpServer', () => new McpServer(INFO)],
    ['Server', () => new Server(INFO)],
  ])('C1: rejects a name or uri that is already registered on a %s', (_, make) => {
    const server = make();
    install(server, createDefinitions());

    expect(() => install(server, [plan!])).toThrow('Prompt plan is already registered');
    expect(() => install(server, [next!])).toThrow('Resource desk://next is already registered');
    expect(() => install(server, [room!])).toThrow('Resource template rooms is already registered');
  });

  test('I6: rejects a server with its own requestState.verify', () => {
    const options = { requestState: { verify: (state: string) => state } };
    for (const definition of createDefinitions()) {
      for (const server of [new McpServer(INFO, options), new Server(INFO, options)]) {
        expect(() => install(server, [definition])).toThrow(/requestState\.verify/);
      }
    }
  });
});
