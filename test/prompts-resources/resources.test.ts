/**
 * Tests what is special about resources: uris, variables, contents, listing and completion. The
 * tests of all kinds of definition are in `shared.test.ts`.
 */
import { ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { arg, argsOf, confirm, defineResource, resolver } from 'mcp-resolve';
import type { Resource } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import { httpHandler } from '../support/servers.js';
import { post } from '../support/wire.js';
import { layers, read, serving, servingReported, template } from './library.js';

const Trip = z.object({
  country: z.string(),
  id: z.coerce.number().int(),
  lang: z.string().default('en'),
});
const args = argsOf(Trip);
const trips = () => template('trips://{country}/{id}');

describe.each(eras)('a resource on the %s era', (era) => {
  /** Reads a resource and returns its text, which must not be an error. */
  const textAt = async (resource: Resource, uri: string): Promise<string> => {
    const { isError, text } = await run(resource, uri, { era });
    expect(isError, text).toBe(false);
    return text;
  };

  test('A2: receives variables as its schema returns them, in resolvers and body alike', async () => {
    const price = resolver({ id: args.id, lang: args.lang }, (values) => values);
    const trip = defineResource(
      'trip',
      trips(),
      { variables: Trip, resolve: { price } },
      (values, ctx) => JSON.stringify({ values, uri: ctx.uri.href, raw: ctx.variables }),
    );

    expect(JSON.parse(await textAt(trip, 'trips://no/7'))).toEqual({
      values: { country: 'no', id: 7, lang: 'en', price: { id: 7, lang: 'en' } },
      uri: 'trips://no/7',
      raw: { country: 'no', id: '7' },
    });
  });

  test('can have an asynchronous schema', async () => {
    const Known = z.object({
      id: z.string().refine(async (id) => Promise.resolve(id !== '0'), 'no such trip'),
    });
    const known = defineResource(
      'known',
      template('known://{id}'),
      { variables: Known },
      ({ id }) => `trip ${id}`,
    );

    expect(await textAt(known, 'known://5')).toBe('trip 5');
    expect((await run(known, 'known://0', { era })).error).toEqual({
      code: -32602,
      message: 'Invalid variables for resource known: id: no such trip',
    });
  });

  test('receives the variables of its template if it has no schema', async () => {
    const upper = resolver({ where: arg<string | string[]>('country') }, ({ where }) =>
      String(where).toUpperCase(),
    );
    const trip = defineResource('trip', trips(), { resolve: { upper } }, (values, ctx) =>
      JSON.stringify([values, ctx.variables]),
    );
    const plain = defineResource('plain', template('plain://{a}/{b}'), {}, (values) =>
      JSON.stringify(values),
    );

    expect(JSON.parse(await textAt(trip, 'trips://no/7'))).toEqual([
      { country: 'no', id: '7', upper: 'NO' },
      { country: 'no', id: '7' },
    ]);
    expect(JSON.parse(await textAt(plain, 'plain://1/2'))).toEqual({ a: '1', b: '2' });
  });

  test('receives an exploded variable as an array if the uri has several values', async () => {
    const both = resolver({ b: arg<string | string[]>() }, ({ b }) => [b].flat().length);
    const raw = defineResource('raw', template('raw://x/{b*}'), { resolve: { both } }, (values) =>
      JSON.stringify(values),
    );
    const Numbers = z.object({
      b: z.preprocess((b) => [b].flat(), z.array(z.coerce.number())),
    });
    const typed = defineResource(
      'typed',
      template('typed://x/{b*}'),
      { variables: Numbers },
      ({ b }) => JSON.stringify(b),
    );

    expect(JSON.parse(await textAt(raw, 'raw://x/1'))).toEqual({ b: '1', both: 1 });
    expect(JSON.parse(await textAt(raw, 'raw://x/1,2,3'))).toEqual({
      b: ['1', '2', '3'],
      both: 3,
    });
    expect(await textAt(typed, 'typed://x/4')).toBe('[4]');
    expect(await textAt(typed, 'typed://x/4,5')).toBe('[4,5]');
    expect((await run(typed, 'typed://x/4,five', { era })).error).toMatchObject({ code: -32602 });
  });

  test('receives query variables, in the order of its template only', async () => {
    const found = defineResource(
      'found',
      template('search://trips{?q,page}'),
      { variables: z.object({ q: z.string(), page: z.coerce.number() }) },
      ({ q, page }) => `${q} on page ${page}`,
    );

    expect(await textAt(found, 'search://trips?q=lyon&page=2')).toBe('lyon on page 2');
    expect((await run(found, 'search://trips?page=2&q=lyon', { era })).error).toEqual({
      code: -32602,
      message: 'Resource not found: search://trips?page=2&q=lyon',
      data: { uri: 'search://trips?page=2&q=lyon' },
    });
  });

  test('receives a reserved variable with its slashes', async () => {
    const file = defineResource('file', template('files://{+path}'), {}, ({ path }) =>
      String(path),
    );

    expect(await textAt(file, 'files://a/b/c.txt')).toBe('a/b/c.txt');
  });

  describe.each(layers)('on %s', (layer) => {
    const bytes = Uint8Array.of(0, 1, 254, 255);

    test.each<[string, Resource, object]>([
      ['a string', defineResource('it', 'desk://it', {}, () => 'Read me'), { text: 'Read me' }],
      ['an empty string', defineResource('it', 'desk://it', {}, () => ''), { text: '' }],
      [
        'a promise of a string',
        defineResource('it', 'desk://it', { mimeType: 'text/markdown' }, async () => '# Hi'),
        { mimeType: 'text/markdown', text: '# Hi' },
      ],
      [
        'bytes',
        defineResource('it', 'desk://it', { mimeType: 'image/png' }, () => bytes),
        { mimeType: 'image/png', blob: 'AAH+/w==' },
      ],
      [
        'a Buffer',
        defineResource('it', 'desk://it', {}, () => Buffer.from('Grüße')),
        { blob: 'R3LDvMOfZQ==' },
      ],
    ])('A1: turns %s into the content at the requested uri', async (_, resource, content) => {
      const { client } = await connectClient(era, serving(layer, [resource]));

      expect((await client.readResource({ uri: 'desk://it' })).contents).toEqual([
        { uri: 'desk://it', ...content },
      ]);
    });

    test('B8: rejects invalid variables before any resolver runs', async () => {
      const ran: string[] = [];
      const note = resolver({ id: args.id }, () => void ran.push('ran'));
      const config = { variables: Trip, resolve: { note } };
      const trip = defineResource('trip', trips(), config, () => '');
      const client = await connectClient(era, serving(layer, [trip]), { elicit: [] });

      expect(await protocolErrorOf(read(client, 'trips://no/seven'))).toEqual({
        code: -32602,
        message:
          'Invalid variables for resource trip: id: Invalid input: expected number, received NaN',
      });
      expect(await protocolErrorOf(read(client, 'trips://no/1.5'))).toMatchObject({ code: -32602 });
      expect(ran).toEqual([]);
    });

    test('K4: fails with the ResourceNotFoundError that a resolver throws', async () => {
      const load = resolver({ id: args.id }, ({ id }) => {
        if (id > 100) throw new ResourceNotFoundError(`trips://no/${id}`);
        return id;
      });
      const config = { variables: Trip, resolve: { load } };
      const trip = defineResource('trip', trips(), config, () => 'ok');
      const { factory, reported } = servingReported(layer, [trip]);
      const client = await connectClient(era, factory);

      expect(await read(client, 'trips://no/1')).toBe('ok');
      expect(await protocolErrorOf(read(client, 'trips://no/101'))).toEqual({
        code: -32602,
        message: 'Resource not found: trips://no/101',
        data: { uri: 'trips://no/101' },
      });
      expect(reported).toEqual([]);
    });

    test('at a fixed uri takes precedence over a template that matches the uri', async () => {
      const client = await connectClient(
        era,
        serving(layer, [
          defineResource('any', template('desk://{room}'), {}, ({ room }) => `any ${String(room)}`),
          defineResource('one', 'desk://one', {}, () => 'the one'),
        ]),
      );

      expect(await read(client, 'desk://one')).toBe('the one');
      expect(await read(client, 'desk://two')).toBe('any two');
    });

    test('is listed at its normalized uri, and read at every spelling of it', async () => {
      const site = defineResource('site', 'https://Example.com', {}, (_, ctx) => ctx.uri.href);
      const { client } = await connectClient(era, serving(layer, [site]));

      expect((await client.listResources()).resources).toEqual([
        { name: 'site', uri: 'https://example.com/' },
      ]);
      for (const uri of ['https://example.com', 'https://example.com/', 'HTTPS://EXAMPLE.COM']) {
        expect((await client.readResource({ uri })).contents).toEqual([
          { uri: 'https://example.com/', text: 'https://example.com/' },
        ]);
      }
    });

    test('A13: is listed with the metadata of its definition', async () => {
      const metadata = {
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
            { ...metadata, size: 7, cacheHint: { ttlMs: 5 } },
            () => '',
          ),
          defineResource(
            'trip',
            new ResourceTemplate('trips://{country}/{id}', { list }),
            metadata,
            () => '',
          ),
        ]),
      );

      expect((await client.listResources()).resources).toEqual([
        { name: 'next', uri: 'desk://next', size: 7, ...metadata },
        { ...metadata, uri: 'trips://no/1', name: 'Oslo', title: 'To Oslo' },
      ]);
      expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
        { name: 'trip', uriTemplate: 'trips://{country}/{id}', ...metadata },
      ]);
    });

    test('completes the variables of its template, and nothing at a fixed uri', async () => {
      const countries = ['norway', 'nepal', 'france'];
      const completed = new ResourceTemplate('trips://{country}/{id}', {
        list: undefined,
        complete: {
          country: (typed) => countries.filter((country) => country.startsWith(typed)),
          id: (_, context) => [`1 of ${context?.arguments?.country ?? 'none'}`],
        },
      });
      const sure = resolver({ country: args.country }, () => confirm('Sure?'), { asks: 'form' });
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
  });
});

test.each(layers)('a result has the cache hint, but a question has not (%s)', async (layer) => {
  const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });
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
  const readAt = async (params: Record<string, unknown>) => {
    const { body } = await post(handler, 'resources/read', params, { capabilities });
    return body.result;
  };

  expect(await readAt({ uri: 'desk://hinted' })).toMatchObject({
    ttlMs: 5000,
    cacheScope: 'public',
  });
  expect(await readAt({ uri: 'desk://plain' })).toMatchObject({
    ttlMs: 0,
    cacheScope: 'private',
  });
  const asked = await readAt({ uri: 'asked://7' });
  expect(asked).toMatchObject({ resultType: 'input_required' });
  expect(asked).not.toHaveProperty('ttlMs');
  const end = await readAt({
    uri: 'asked://7',
    requestState: asked?.requestState,
    inputResponses: { sure: accept({ confirm: true }) },
  });
  expect(end).toMatchObject({ resultType: 'complete', ttlMs: 700, cacheScope: 'private' });
});

describe('a resource without a server', () => {
  const price = resolver({ id: args.id }, ({ id }) => id * 80);
  const trip = defineResource(
    'trip',
    trips(),
    { variables: Trip, mimeType: 'text/plain', resolve: { price } },
    ({ country, price }, ctx) => `${country} for ${price} at ${ctx.uri.href}`,
  );

  test('D16: is read at a string or a URL', async () => {
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

  test('D16: rejects uris and variables as it does on the wire', async () => {
    const client = await connectClient('modern', serving('McpServer', [trip]));
    for (const uri of ['trips://no/x', 'trips://no/2/3', 'other://x']) {
      expect(await protocolErrorOf(trip.read(uri))).toEqual(
        await protocolErrorOf(read(client, uri)),
      );
    }
    expect(await protocolErrorOf(trip.read('not a uri'))).toMatchObject({ code: -32602 });
  });

  test.each(eras)('D17: has its own uri inside the body of another (%s)', async (era) => {
    const outer = defineResource('outer', template('outer://{id}'), {}, async ({ id }, ctx) => {
      const inner = await trip.read(`trips://no/${String(id)}`, ctx);
      return { contents: [...inner.contents, { uri: ctx.uri.href, text: 'outer' }] };
    });

    expect((await run(outer, 'outer://2', { era })).result?.contents).toEqual([
      { uri: 'trips://no/2', mimeType: 'text/plain', text: 'no for 160 at trips://no/2' },
      { uri: 'outer://2', text: 'outer' },
    ]);
  });
});
