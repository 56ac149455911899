/** Names, arguments and uris that nobody means well with: refused or taken as they are, and no more. */
import { McpServer, Server } from '@modelcontextprotocol/server';
import { arg, argsOf, confirm, definePrompt, defineResource, install, resolver } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';

import { rawLegacy } from '../support/wire.js';
import { endOf, expectFrozen, overHttp, overStdio, sealing, tokenOf } from '../sealing/desk.js';
import { layers, serving, template } from './library.js';

const Trip = z.looseObject({ city: z.string() });
const seen = resolver({ city: argsOf(Trip).city }, ({ city }) => city);
const describeValues = (values: object): string =>
  JSON.stringify({ own: Object.entries(values), plain: isPlain(values) });
const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

const plan = definePrompt('plan', { argsSchema: Trip, resolve: { seen } }, describeValues);
const trip = defineResource('trip', template('trips://x/{city}'), {}, describeValues);
const file = defineResource('file', template('files://root/{+path}'), {}, ({ path }) =>
  String(path),
);
const sure = resolver({ city: arg<string | string[]>() }, () => confirm('Sure?'));
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
  const open = () => overStdio(serving(layer, definitions, { seal: sealing().seal }));
  const own = (...entries: [string, unknown][]) => JSON.stringify({ own: entries, plain: true });

  test('an argument __proto__ of a prompt changes no prototype and reaches nobody', async () => {
    const send = open();
    const reply = await send(
      'prompts/get',
      { name: 'plan', arguments: { city: 'Lyon', proto: 'x' } },
      { rewrite: (message) => message.replace('"proto":"x"', '"__proto__":"x"') },
    );

    expect(endOf(reply)).toBe(own(['city', 'Lyon'], ['seen', 'Lyon']));
  });

  test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then'])(
    'an argument %s of a prompt is an argument like any other',
    async (name) => {
      const reply = await open()('prompts/get', {
        name: 'plan',
        arguments: { city: 'Lyon', [name]: 'x' },
      });
      expect(endOf(reply)).toBe(own(['city', 'Lyon'], [name, 'x'], ['seen', 'Lyon']));
    },
  );

  test('an argument that is no text is refused as the SDK refuses it, before anything runs', async () => {
    const send = open();
    const bare = overStdio(() => {
      const server = new McpServer({ name: 'bare', version: '1.0.0' });
      server.registerPrompt('plan', { argsSchema: Trip }, () => ({ messages: [] }));
      return server;
    });
    for (const city of [7, null, true, ['Lyon'], { a: 1 }]) {
      const params = { name: 'plan', arguments: { city } };
      const { error } = await send('prompts/get', params);
      expect(error).toBeDefined();
      expect(error).toEqual((await bare('prompts/get', params)).error);
    }
    expect(endOf(await send('prompts/get', { name: 'plan', arguments: { city: 'x' } }))).toBe(
      own(['city', 'x'], ['seen', 'x']),
    );
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'a prompt called %j is none of ours',
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

  test('variables that are called like members of Object are variables like any other', async () => {
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

  test('a variable __proto__ changes no prototype of what the body gets', async () => {
    const odd = defineResource('odd', template('odd://{__proto__}/{b*}'), {}, describeValues);
    const send = overStdio(serving(layer, [odd]));

    expect(endOf(await send('resources/read', { uri: 'odd://a/b' }))).toBe(own(['b', 'b']));
    expect(endOf(await send('resources/read', { uri: 'odd://a/b,c' }))).toBe(
      own(['b', ['b', 'c']]),
    );
  });

  test.each([
    ['an encoded slash', 'trips://x/a%2Fb', 'a%2Fb'],
    ['an encoded nul', 'trips://x/%00', '%00'],
    ['a broken encoding', 'trips://x/%zz%', '%zz%'],
    ['bytes that are no UTF-8', 'trips://x/%ff%fe', '%ff%fe'],
    ['letters that a uri has to encode', 'trips://x/Zürich ü', 'Z%C3%BCrich%20%C3%BC'],
    ['a lone surrogate', 'trips://x/\ud800', '%EF%BF%BD'],
    ['a line break and a tab', 'trips://x/Ly\no\tn', 'Lyon'],
    ['a query and a fragment', 'trips://x/a?b=c#d', 'a?b=c#d'],
    ['quotes and braces', 'trips://x/"{city}"', '%22%7Bcity%7D%22'],
  ])('%s in a uri is a variable as the uri has it', async (_, uri, city) => {
    expect(endOf(await open()('resources/read', { uri }))).toBe(own(['city', city]));
  });

  test.each([
    ['files://root/../../etc/passwd', 'etc/passwd'],
    ['files://root/a/%2e%2e/%2E%2E/etc/passwd', 'etc/passwd'],
    ['files://root/a/./b/../c', 'a/c'],
    ['files://root/..%2f..%2fetc', '..%2f..%2fetc'],
  ])('%s is normalised before it is matched, and encoded dots stay encoded', async (uri, path) => {
    expect(endOf(await open()('resources/read', { uri }))).toBe(path);
  });

  test('a uri of half a million letters is read, and one that is too long ends with an error', async () => {
    const send = open();
    const long = 'y'.repeat(500_000);

    expect(endOf(await send('resources/read', { uri: `files://root/${long}` }))).toBe(long);
    const tooLong = await send('resources/read', { uri: `files://root/${'y'.repeat(1_000_000)}` });
    expect(tooLong.error?.code).toBe(-32603);
    expect(tooLong.text.length).toBeLessThan(1000);
    expect(endOf(await send('resources/read', { uri: 'files://root/a' }))).toBe('a');
  });

  test.each([7, null, true, {}, '', 'not a uri', 'trips:', '//x/y', 'trips://x/'])(
    'a uri %j is refused as the SDK refuses it, and the next request is answered',
    async (uri) => {
      const send = open();
      const bare = overStdio(() => {
        const server = new McpServer({ name: 'bare', version: '1.0.0' });
        server.registerResource('trip', template('trips://x/{city}'), {}, () => ({ contents: [] }));
        return server;
      });
      const { error } = await send('resources/read', { uri });
      expect(error).toBeDefined();
      expect(error).toEqual((await bare('resources/read', { uri })).error);
      expect(endOf(await send('resources/read', { uri: 'files://root/a' }))).toBe('a');
    },
  );

  test('I35, I45: a token is for the uri to the letter, also where two uris are read as one', async () => {
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

  test('I45: lone surrogates in the arguments of a prompt are told apart', async () => {
    const going = definePrompt(
      'go',
      { argsSchema: Trip, resolve: { sure: resolver({}, () => confirm('Sure?')) } },
      ({ city }) => city,
    );
    const send = overHttp(serving(layer, [going], { seal: sealing().seal }));
    const to = (city: string) => ({ name: 'go', arguments: { city } });
    const requestState = tokenOf(await send('prompts/get', to('a\ud800')));

    expectFrozen(await send('prompts/get', { ...to('a\ud801'), inputResponses, requestState }));
    const end = await send('prompts/get', { ...to('a\ud800'), inputResponses, requestState });
    expect(endOf(end)).toBe('a\ud800');
  });

  test('G23: answers under __proto__ and unknown keys answer nothing', async () => {
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

  test('the same on the 2025 era: refused, and the connection goes on', async () => {
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

test('names of Object’s members go to the author’s handler of a low-level Server', async () => {
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
