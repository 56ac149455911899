/**
 * Tests names, arguments and uris of hostile clients. The server rejects them or treats them as
 * plain data.
 */
import { McpServer, Server } from '@modelcontextprotocol/server';
import { arg, argsOf, confirm, definePrompt, defineResource, install, resolver } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';

import { rawLegacy } from '../support/wire.js';
import { createSeal, endOf, expectFrozen, overHttp, overStdio, tokenOf } from '../sealing/desk.js';
import { layers, serving, template } from './library.js';

const Trip = z.looseObject({ city: z.string() });
const seen = resolver({ city: argsOf(Trip).city }, ({ city }) => city);
/** Returns the values of a body as JSON, with a check of their prototype. */
const describeValues = (values: object): string =>
  JSON.stringify({ own: Object.entries(values), plain: isPlain(values) });
const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

/** Serves a plain SDK server, whose errors are the expected ones. */
const plainSdk = (register: (server: McpServer) => unknown) =>
  overStdio(() => {
    const server = new McpServer({ name: 'plain', version: '1.0.0' });
    register(server);
    return server;
  });

const plan = definePrompt('plan', { argsSchema: Trip, resolve: { seen } }, describeValues);
const trip = defineResource('trip', template('trips://x/{city}'), {}, describeValues);
const file = defineResource('file', template('files://root/{+path}'), {}, ({ path }) =>
  String(path),
);
const sure = resolver({ city: arg<string | string[]>() }, () => confirm('Sure?'), { asks: 'form' });
const asked = defineResource(
  'asked',
  template('asked://{city}'),
  { resolve: { sure } },
  ({ city }) => String(city),
);
const definitions = [plan, trip, file, asked];

const inputResponses = { sure: accept({ confirm: true }) };

afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([]);
});

describe.each(layers)('on %s', (layer) => {
  const open = () => overStdio(serving(layer, definitions, { seal: createSeal().seal }));
  const own = (...entries: [string, unknown][]) => JSON.stringify({ own: entries, plain: true });

  test('a prompt argument named __proto__ changes no prototype and is dropped', async () => {
    const send = open();
    const reply = await send(
      'prompts/get',
      { name: 'plan', arguments: { city: 'Lyon', proto: 'x' } },
      { rewrite: (message) => message.replace('"proto":"x"', '"__proto__":"x"') },
    );

    expect(endOf(reply)).toBe(own(['city', 'Lyon'], ['seen', 'Lyon']));
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then'])(
    'a prompt argument named %s is an ordinary argument',
    async (name) => {
      const reply = await open()('prompts/get', {
        name: 'plan',
        arguments: { city: 'Lyon', [name]: 'x' },
      });
      expect(endOf(reply)).toBe(own(['city', 'Lyon'], [name, 'x'], ['seen', 'Lyon']));
    },
  );

  test('a prompt argument that is not a string gets the error of a plain SDK server', async () => {
    const send = open();
    const plain = plainSdk((server) =>
      server.registerPrompt('plan', { argsSchema: Trip }, () => ({ messages: [] })),
    );
    for (const city of [7, null, true, ['Lyon'], { a: 1 }]) {
      const params = { name: 'plan', arguments: { city } };
      const { error } = await send('prompts/get', params);
      expect(error).toBeDefined();
      expect(error).toEqual((await plain('prompts/get', params)).error);
    }
    expect(endOf(await send('prompts/get', { name: 'plan', arguments: { city: 'x' } }))).toBe(
      own(['city', 'x'], ['seen', 'x']),
    );
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'a prompt named %j is not found and not completed',
    async (name) => {
      const send = open();
      expect((await send('prompts/get', { name })).error?.code).toBe(-32602);
      const ref = { type: 'ref/prompt', name };
      const reply = await send('completion/complete', {
        ref,
        argument: { name: 'city', value: '' },
      });
      expect(reply.error).toBeDefined();
      expect(endOf(await send('resources/read', { uri: 'files://root/a' }))).toBe('a');
    },
  );

  test('template variables named like methods of Object are ordinary variables', async () => {
    const odd = defineResource(
      'odd',
      template('odd://{constructor}/{toString}/{valueOf}'),
      { resolve: { it: resolver({ it: arg<string | string[]>('toString') }, ({ it }) => it) } },
      describeValues,
    );
    const reply = await overStdio(serving(layer, [odd]))('resources/read', { uri: 'odd://a/b/c' });

    expect(endOf(reply)).toBe(
      own(['constructor', 'a'], ['toString', 'b'], ['valueOf', 'c'], ['it', 'b']),
    );
  });

  test('a template variable named __proto__ changes no prototype and is dropped', async () => {
    const odd = defineResource('odd', template('odd://{__proto__}/{b*}'), {}, describeValues);
    const send = overStdio(serving(layer, [odd]));

    expect(endOf(await send('resources/read', { uri: 'odd://a/b' }))).toBe(own(['b', 'b']));
    expect(endOf(await send('resources/read', { uri: 'odd://a/b,c' }))).toBe(
      own(['b', ['b', 'c']]),
    );
  });

  test.each([
    ['an encoded slash', 'trips://x/a%2Fb', 'a%2Fb'],
    ['an encoded NUL', 'trips://x/%00', '%00'],
    ['a broken encoding', 'trips://x/%zz%', '%zz%'],
    ['bytes that are not UTF-8', 'trips://x/%ff%fe', '%ff%fe'],
    ['letters that have to be encoded', 'trips://x/Zürich ü', 'Z%C3%BCrich%20%C3%BC'],
    ['a lone surrogate', 'trips://x/\ud800', '%EF%BF%BD'],
    ['a line break and a tab', 'trips://x/Ly\no\tn', 'Lyon'],
    ['a query and a fragment', 'trips://x/a?b=c#d', 'a?b=c#d'],
    ['quotes and braces', 'trips://x/"{city}"', '%22%7Bcity%7D%22'],
  ])('a resource can be read at a uri with %s', async (_, uri, city) => {
    expect(endOf(await open()('resources/read', { uri }))).toBe(own(['city', city]));
  });

  test.each([
    ['files://root/../../etc/passwd', 'etc/passwd'],
    ['files://root/a/%2e%2e/%2E%2E/etc/passwd', 'etc/passwd'],
    ['files://root/a/./b/../c', 'a/c'],
    ['files://root/..%2f..%2fetc', '..%2f..%2fetc'],
  ])('the path of %s is normalized before it is matched', async (uri, path) => {
    expect(endOf(await open()('resources/read', { uri }))).toBe(path);
  });

  test('a uri of half a million letters is read, and a longer one fails with a short error', async () => {
    const send = open();
    const long = 'y'.repeat(500_000);

    expect(endOf(await send('resources/read', { uri: `files://root/${long}` }))).toBe(long);
    const tooLong = await send('resources/read', { uri: `files://root/${'y'.repeat(1_000_000)}` });
    expect(tooLong.error?.code).toBe(-32603);
    expect(tooLong.text.length).toBeLessThan(1000);
    expect(endOf(await send('resources/read', { uri: 'files://root/a' }))).toBe('a');
  });

  test.each([7, null, true, {}, '', 'not a uri', 'trips:', '//x/y', 'trips://x/'])(
    'the uri %j gets the error of a plain SDK server, and the next request works',
    async (uri) => {
      const send = open();
      const plain = plainSdk((server) =>
        server.registerResource('trip', template('trips://x/{city}'), {}, () => ({ contents: [] })),
      );
      const { error } = await send('resources/read', { uri });
      expect(error).toBeDefined();
      expect(error).toEqual((await plain('resources/read', { uri })).error);
      expect(endOf(await send('resources/read', { uri: 'files://root/a' }))).toBe('a');
    },
  );

  test('I35, I45: a token is refused for another spelling of its uri', async () => {
    const send = open();
    const spellings = ['asked://\ud800', 'asked://\ud801', 'asked://\ufffd', 'asked://%EF%BF%BD'];
    for (const uri of spellings) {
      const requestState = tokenOf(await send('resources/read', { uri }));
      for (const other of spellings.filter((spelling) => spelling !== uri)) {
        expectFrozen(await send('resources/read', { uri: other, inputResponses, requestState }));
      }
      const end = await send('resources/read', { uri, inputResponses, requestState });
      expect(endOf(end)).toBe('%EF%BF%BD');
    }
  });

  test('I45: a token is refused for a prompt argument with another lone surrogate', async () => {
    const go = definePrompt(
      'go',
      {
        argsSchema: Trip,
        resolve: { sure: resolver({}, () => confirm('Sure?'), { asks: 'form' }) },
      },
      ({ city }) => city,
    );
    const send = overHttp(serving(layer, [go], { seal: createSeal().seal }));
    const to = (city: string) => ({ name: 'go', arguments: { city } });
    const requestState = tokenOf(await send('prompts/get', to('a\ud800')));

    expectFrozen(await send('prompts/get', { ...to('a\ud801'), inputResponses, requestState }));
    const end = await send('prompts/get', { ...to('a\ud800'), inputResponses, requestState });
    expect(endOf(end)).toBe('a\ud800');
  });

  test('G23: answers under __proto__ and unknown keys are ignored', async () => {
    const send = open();
    const uri = 'asked://Lyon';
    const requestState = tokenOf(await send('resources/read', { uri }));
    const reply = await send(
      'resources/read',
      { uri, requestState, inputResponses: { proto: inputResponses, ghost: inputResponses.sure } },
      { rewrite: (message) => message.replace('"proto":', '"__proto__":') },
    );

    expect(Object.keys(reply.result?.inputRequests as object)).toEqual(['sure']);
  });

  test('a legacy server rejects hostile names and uris, and keeps the connection open', async () => {
    const { request } = await rawLegacy(serving(layer, definitions));
    for (const uri of [
      7,
      null,
      '',
      'not a uri',
      'trips://x/',
      `files://root/${'y'.repeat(1_000_000)}`,
    ]) {
      expect((await request('resources/read', { uri })).error).toBeDefined();
    }
    for (const name of ['__proto__', 'constructor', 7, null]) {
      expect((await request('prompts/get', { name })).error).toBeDefined();
    }
    const { result } = await request('resources/read', { uri: 'trips://x/%2F' });
    expect(result).toEqual({
      contents: [{ uri: 'trips://x/%2F', text: own(['city', '%2F']) }],
    });
  });
});

test('prompts named like methods of Object go to the handler of a low-level Server', async () => {
  const send = overStdio(() => {
    const server = new Server({ name: 'low', version: '1.0.0' }, { capabilities: { prompts: {} } });
    server.setRequestHandler('prompts/get', ({ params }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `${params.name} by hand` } }],
    }));
    install(server, definitions);
    return server;
  });
  for (const name of ['__proto__', 'constructor', 'toString']) {
    expect(endOf(await send('prompts/get', { name }))).toBe(`${name} by hand`);
  }
});
