/**
 * Tests what is special about prompts: results, arguments, listing and completion. The tests of all
 * kinds of definition are in `shared.test.ts`.
 */
import { completable } from '@modelcontextprotocol/server';
import { argsOf, confirm, definePrompt, resolver } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { protocolErrorOf } from '../support/results.js';
import { get, layers, serving } from './library.js';

const Trip = z.object({ city: z.string(), days: z.coerce.number().default(3) });
const args = argsOf(Trip);

/** Creates the result of a prompt that returns a string. */
const userMessage = (text: string) => ({
  messages: [{ role: 'user', content: { type: 'text', text } }],
});

describe.each(eras)('a prompt on the %s era', (era) => {
  test.each([
    [{ city: 'Lyon' }, '{"city":"Lyon","days":3}'],
    [{ city: 'Lyon', days: '5' }, '{"city":"Lyon","days":5}'],
  ])('A1: receives %j as its schema returns it', async (given, text) => {
    const packing = definePrompt('packing', { argsSchema: Trip }, (values) =>
      JSON.stringify(values),
    );

    expect(await run(packing, given, { era })).toMatchObject({ isError: false, text });
  });

  test('A2, A4: receives arguments and resolved values in one object', async () => {
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

    expect(await run(plan, { city: 'Lyon', days: '2' }, { era })).toMatchObject({
      isError: false,
      text: '{"city":"Lyon","days":2,"tax":16,"price":{"where":"Lyon","euros":160}} prompts/get',
    });
  });

  test('B8: names all invalid arguments in one error', async () => {
    const Dates = z.object({ from: z.iso.date(), to: z.iso.date() });
    const prompt = definePrompt('p', { argsSchema: Dates }, () => '');

    expect((await run(prompt, { from: 'x', to: 'y' }, { era })).error).toEqual({
      code: -32602,
      message: 'Invalid arguments for prompt p: from: Invalid ISO date, to: Invalid ISO date',
    });
  });

  describe.each(layers)('on %s', (layer) => {
    test.each([
      ['a string', definePrompt('hello', {}, () => 'Hello')],
      ['a promise of a string', definePrompt('hello', {}, async () => 'Hello')],
    ])('A1: turns %s into one message of the user', async (_, hello) => {
      const { client } = await connectClient(era, serving(layer, [hello]));

      expect(await client.getPrompt({ name: 'hello' })).toMatchObject(userMessage('Hello'));
    });

    test.each([
      ['a plain', Trip],
      ['a strict', Trip.strict()],
      ['a loose', Trip.loose()],
    ])(
      'B1, B3: hides resolved parameters with %s schema, and drops their arguments',
      async (...row) => {
        const [, argsSchema] = row;
        const plan = definePrompt(
          'plan',
          { argsSchema, resolve: { budget: resolver({}, () => 100) } },
          ({ budget }) => `${String(budget)} euros`,
        );
        const { client } = await connectClient(era, serving(layer, [plan]));
        const { prompts } = await client.listPrompts();

        expect(prompts[0]?.arguments).toEqual([
          { name: 'city', required: true },
          { name: 'days', required: false },
        ]);
        expect(await get({ client }, 'plan', { city: 'Lyon', budget: '999' })).toBe('100 euros');
      },
    );

    test('B3: drops all arguments if it has no schema', async () => {
      const bare = definePrompt(
        'bare',
        { resolve: { budget: resolver({}, () => 100) } },
        (values) => JSON.stringify(values),
      );
      const { client } = await connectClient(era, serving(layer, [bare]));

      expect((await client.listPrompts()).prompts).toEqual([{ name: 'bare' }]);
      expect(await get({ client }, 'bare', { budget: '999', other: 'x' })).toBe('{"budget":100}');
    });

    test('B7, B8: validates its arguments once a round, before any resolver runs', async () => {
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
      const client = await connectClient(era, serving(layer, [plan]));

      expect(await protocolErrorOf(get(client, 'plan'))).toEqual({
        code: -32602,
        message:
          'Invalid arguments for prompt plan: city: Invalid input: expected string, received undefined',
      });
      expect(ran).toEqual([]);
      expect(await get(client, 'plan', { city: 'Lyon' })).toBe('LYON LYON');
      expect(ran).toEqual(['validated', 'resolved']);
    });

    test('takes a request without arguments if its schema requires none', async () => {
      const argsSchema = z.object({ city: z.string().default('Lyon') });
      const plan = definePrompt('plan', { argsSchema }, ({ city }) => city);
      const { client } = await connectClient(era, serving(layer, [plan]));

      expect(await client.getPrompt({ name: 'plan' })).toMatchObject(userMessage('Lyon'));
    });

    test('A13: is listed with the metadata of its definition', async () => {
      const metadata = {
        title: 'Plan a trip',
        description: 'Plans',
        icons: [
          { src: 'https://travel.example/plan.png', mimeType: 'image/png', sizes: ['48x48'] },
        ],
        _meta: { 'acme/team': 'desk' },
      };
      const argsSchema = z.object({
        city: z.string().describe('Where to'),
        mood: z.string().optional(),
      });
      const plan = definePrompt('plan', { ...metadata, argsSchema }, () => '');
      const { client } = await connectClient(era, serving(layer, [plan]));

      expect((await client.listPrompts()).prompts).toEqual([
        {
          name: 'plan',
          ...metadata,
          arguments: [
            { name: 'city', description: 'Where to', required: true },
            { name: 'mood', required: false },
          ],
        },
      ]);
    });

    test('completes completable arguments, including optional ones', async () => {
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
          resolve: {
            sure: resolver({ city: argsOf(Completed).city }, () => confirm('Sure?'), {
              asks: 'form',
            }),
          },
        },
        ({ city, street = 'any street' }) => `${city}, ${street}`,
      );
      const plain = definePrompt('plain', { argsSchema: Trip }, () => '');
      const { client } = await connectClient(era, serving(layer, [plain, plan]), {
        elicit: [accept({ confirm: true })],
      });
      const complete = async (
        argument: string,
        value: string,
        context?: Record<string, string>,
      ) => {
        const { completion } = await client.complete({
          ref: { type: 'ref/prompt', name: 'plan' },
          argument: { name: argument, value },
          ...(context && { context: { arguments: context } }),
        });
        return completion.values;
      };

      expect(client.getServerCapabilities()?.completions).toBeDefined();
      expect(await complete('city', 'P')).toEqual(['Paris', 'Prague']);
      expect(await complete('street', 'Rue', { city: 'Lyon' })).toEqual(['Rue in Lyon']);
      expect(await complete('note', 'x')).toEqual([]);
      expect(await complete('sure', 'x')).toEqual([]);
      expect(await complete('constructor', 'x')).toEqual([]);
      const unknown = client.complete({
        ref: { type: 'ref/prompt', name: 'nope' },
        argument: { name: 'city', value: '' },
      });
      expect(await protocolErrorOf(unknown)).toEqual({
        code: -32602,
        message: 'Prompt nope not found',
      });
      expect(await get({ client }, 'plan', { city: 'Lyon', street: 'Rue' })).toBe('Lyon, Rue');
    });

    test('A13: declares no completions without completable arguments', async () => {
      const plan = definePrompt('plan', {}, () => '');
      const { client } = await connectClient(era, serving(layer, [plan]));

      expect(client.getServerCapabilities()).toMatchObject({ prompts: {} });
      expect(client.getServerCapabilities()?.completions).toBeUndefined();
    });
  });
});

describe('a prompt without a server', () => {
  const price = resolver({ days: args.days }, ({ days }) => days * 80);
  const plan = definePrompt(
    'plan',
    { argsSchema: Trip, resolve: { price } },
    ({ city, price }) => `${city} for ${price}`,
  );

  test('D16: returns its result', async () => {
    expect(plan.name).toBe('plan');
    expect(Object.isFrozen(plan)).toBe(true);
    expect(await plan.get({ city: 'Lyon' })).toEqual(userMessage('Lyon for 240'));
    expect(await definePrompt('bare', {}, () => 'bare').get(undefined)).toEqual(
      userMessage('bare'),
    );
  });

  test('D16: validates its arguments as it does on the wire', async () => {
    const client = await connectClient('modern', serving('McpServer', [plan]));
    const onTheWire = await protocolErrorOf(get(client, 'plan', { days: 'x' }));

    expect(await protocolErrorOf(plan.get({ days: 'x' } as never))).toEqual(onTheWire);
    expect(await protocolErrorOf(plan.get(undefined as never))).toMatchObject({ code: -32602 });
    expect(await plan.get({ city: 'Lyon', price: 1 } as never)).toEqual(
      userMessage('Lyon for 240'),
    );
  });
});
