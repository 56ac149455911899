/** E13-E16: how a schema is shown as a form, which schemas cannot be, and that answers fit both. */
import { type CallToolResult, fromJsonSchema } from '@modelcontextprotocol/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { defineTool, elicit, resolver } from 'mcp-resolve';
import type { Schema } from 'mcp-resolve';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, questionsOf, textOf } from '../support/results.js';
import { answering, roundsOf, serving } from '../support/rounds.js';

const asking = (schema: Schema) =>
  defineTool(
    'form',
    { resolve: { form: resolver({}, (): unknown => elicit('Fill in', schema)) } },
    ({ form }) => JSON.stringify(form),
  );

/** A schema's form as it goes over the wire, without its dialect and an empty list of names. */
async function formOf(schema: Schema): Promise<Record<string, unknown>> {
  const { requests } = questionsOf(await roundsOf(asking(schema))());
  const form = { ...(requests.form?.params?.requestedSchema as Record<string, unknown>) };
  delete form.$schema;
  if (Array.isArray(form.required) && form.required.length === 0) delete form.required;
  return form;
}

/** What a form's answer comes to. */
async function filled(schema: Schema, content: object): Promise<unknown> {
  const sendRound = roundsOf(asking(schema));
  const done = await sendRound(
    answering(await sendRound(), { form: { action: 'accept', content } }),
  );
  return JSON.parse(textOf(done));
}

const json = (properties: Record<string, object>, rest: object = {}): Schema =>
  fromJsonSchema({ type: 'object', properties, ...rest });

const UUID = '0b7a3c1e-5f6d-4c8b-9a1e-2d3f4a5b6c7d';

describe('E14: what a form can show', () => {
  const primitives = {
    type: 'object',
    properties: {
      text: { type: 'string' },
      real: { type: 'number' },
      flag: { type: 'boolean' },
    },
  };

  test.each<[string, Schema]>([
    ['zod', z.object({ text: z.string(), real: z.number(), flag: z.boolean() })],
    ['arktype', type({ text: 'string', real: 'number', flag: 'boolean' })],
    [
      'valibot',
      toStandardJsonSchema(v.object({ text: v.string(), real: v.number(), flag: v.boolean() })),
    ],
  ])('E14: strings, numbers and booleans (%s)', async (_, schema) => {
    const { required, ...form } = await formOf(schema);

    expect(form).toEqual(primitives);
    expect(required).toHaveLength(3);
    expect(required).toEqual(expect.arrayContaining(['text', 'real', 'flag']));
  });

  test.each<[string, Schema]>([
    ['zod', z.object({ count: z.number().int().min(1).max(5) })],
    ['arktype', type({ count: '1 <= number.integer <= 5' })],
    [
      'valibot',
      toStandardJsonSchema(
        v.object({ count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(5)) }),
      ),
    ],
  ])('E14: integers with their bounds (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { count: { type: 'integer', minimum: 1, maximum: 5 } },
      required: ['count'],
    });
  });

  test.each<[string, Schema]>([
    ['zod', z.object({ mail: z.email(), link: z.url(), day: z.iso.date(), at: z.iso.datetime() })],
    [
      'valibot',
      toStandardJsonSchema(
        v.object({
          mail: v.pipe(v.string(), v.email()),
          link: v.pipe(v.string(), v.url()),
          day: v.pipe(v.string(), v.isoDate()),
          at: v.pipe(v.string(), v.isoTimestamp()),
        }),
      ),
    ],
    [
      'JSON Schema',
      json(
        {
          mail: { type: 'string', format: 'email' },
          link: { type: 'string', format: 'uri' },
          day: { type: 'string', format: 'date' },
          at: { type: 'string', format: 'date-time' },
        },
        { required: ['mail', 'link', 'day', 'at'] },
      ),
    ],
  ])('E14: the formats email, uri, date and date-time (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: {
        mail: { type: 'string', format: 'email' },
        link: { type: 'string', format: 'uri' },
        day: { type: 'string', format: 'date' },
        at: { type: 'string', format: 'date-time' },
      },
      required: ['mail', 'link', 'day', 'at'],
    });
  });

  test('E14: the formats email and uri (arktype)', async () => {
    const { properties } = await formOf(type({ mail: 'string.email', link: 'string.url' }));

    expect(properties).toEqual({
      mail: { type: 'string', format: 'email' },
      link: { type: 'string', format: 'uri' },
    });
  });

  test.each<[string, Schema]>([
    ['zod', z.object({ size: z.enum(['L', 'S']) })],
    ['zod, of an enum object', z.object({ size: z.enum({ Large: 'L', Small: 'S' }) })],
    ['zod, of literals', z.object({ size: z.literal(['L', 'S']) })],
    ['arktype', type({ size: "'L' | 'S'" })],
    ['valibot', toStandardJsonSchema(v.object({ size: v.picklist(['L', 'S']) }))],
    ['JSON Schema', json({ size: { type: 'string', enum: ['L', 'S'] } }, { required: ['size'] })],
    ['JSON Schema without a type', json({ size: { enum: ['L', 'S'] } }, { required: ['size'] })],
  ])('E14: a choice (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { size: { type: 'string', enum: ['L', 'S'] } },
      required: ['size'],
    });
    expect(await filled(schema, { size: 'L' })).toEqual({ size: 'L' });
  });

  test.each<[string, Schema]>([
    [
      'JSON Schema',
      json({
        size: {
          type: 'string',
          oneOf: [
            { const: 'S', title: 'Small' },
            { const: 'L', title: 'Large' },
          ],
        },
      }),
    ],
    [
      'zod',
      z.object({
        size: z
          .union([z.literal('S').meta({ title: 'Small' }), z.literal('L').meta({ title: 'Large' })])
          .optional(),
      }),
    ],
  ])('E14: a choice with titles (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: {
        size: {
          type: 'string',
          oneOf: [
            { const: 'S', title: 'Small' },
            { const: 'L', title: 'Large' },
          ],
        },
      },
    });
    expect(await filled(schema, { size: 'L' })).toEqual({ size: 'L' });
  });

  test.each<[string, Schema]>([
    ['zod', z.object({ tags: z.array(z.enum(['a', 'b'])) })],
    ['arktype', type({ tags: "('a' | 'b')[]" })],
    ['valibot', toStandardJsonSchema(v.object({ tags: v.array(v.picklist(['a', 'b'])) }))],
  ])('E14: several choices (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } },
      required: ['tags'],
    });
    expect(await filled(schema, { tags: ['b'] })).toEqual({ tags: ['b'] });
  });

  test('E14: several choices with titles (zod)', async () => {
    const Tags = z.object({
      tags: z.array(
        z.union([
          z.literal('a').meta({ title: 'Apple' }),
          z.literal('b').meta({ title: 'Banana' }),
        ]),
      ),
    });

    expect(await formOf(Tags)).toMatchObject({
      properties: {
        tags: {
          type: 'array',
          items: {
            anyOf: [
              { const: 'a', title: 'Apple' },
              { const: 'b', title: 'Banana' },
            ],
          },
        },
      },
    });
    expect(await filled(Tags, { tags: ['b'] })).toEqual({ tags: ['b'] });
  });

  test('E14: several choices with titles and bounds', async () => {
    const tags = {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: {
        anyOf: [
          { const: 'a', title: 'Apple' },
          { const: 'b', title: 'Banana' },
        ],
      },
    };

    expect(await formOf(json({ tags }))).toEqual({ type: 'object', properties: { tags } });
  });

  test('E14: titles, descriptions and lengths', async () => {
    const Named = z.object({
      name: z.string().min(2).max(30).meta({ title: 'Name', description: 'Your full name' }),
    });

    expect(await formOf(Named)).toEqual({
      type: 'object',
      properties: {
        name: {
          type: 'string',
          title: 'Name',
          description: 'Your full name',
          minLength: 2,
          maxLength: 30,
        },
      },
      required: ['name'],
    });
  });

  test('E14: a field whose schema is registered under an id', async () => {
    const Size = z.enum(['L', 'S']).meta({ id: 'e14-size' });

    expect(await formOf(z.object({ shirt: Size, trousers: Size }))).toMatchObject({
      properties: {
        shirt: { type: 'string', enum: ['L', 'S'] },
        trousers: { type: 'string', enum: ['L', 'S'] },
      },
      required: ['shirt', 'trousers'],
    });
  });

  test.each<[string, Schema]>([
    ['zod', z.object({ code: z.string().refine((code) => code.startsWith('c')) })],
    ['arktype', type({ code: type('string').narrow((code) => code.startsWith('c')) })],
    [
      'valibot',
      toStandardJsonSchema(
        v.object({
          code: v.pipe(
            v.string(),
            v.check((code) => code.startsWith('c')),
          ),
        }),
      ),
    ],
  ])('E14: a field with a condition that only validation knows (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { code: { type: 'string' } },
      required: ['code'],
    });
    expect(await filled(schema, { code: 'c3' })).toEqual({ code: 'c3' });
    await expect(filled(schema, { code: 'd3' })).rejects.toThrow('does not match');
  });

  test('E14: fields called constructor and toString', async () => {
    const Odd = z.object({ constructor: z.string(), toString: z.string() });

    expect(await formOf(Odd)).toEqual({
      type: 'object',
      properties: { constructor: { type: 'string' }, toString: { type: 'string' } },
      required: ['constructor', 'toString'],
    });
    expect(await filled(Odd, { constructor: 'a', toString: 'b' })).toEqual({
      constructor: 'a',
      toString: 'b',
    });
  });

  test.each<[string, Schema]>([
    ['zod, plain', z.object({ m: z.string() })],
    ['zod, strict', z.strictObject({ m: z.string() })],
    ['zod, loose', z.looseObject({ m: z.string() })],
    ['zod, intersection', z.intersection(z.object({ m: z.string() }), z.object({}))],
    ['arktype, strict', type({ '+': 'reject', m: 'string' })],
    ['valibot, strict', toStandardJsonSchema(v.strictObject({ m: v.string() }))],
    ['valibot, loose', toStandardJsonSchema(v.looseObject({ m: v.string() }))],
  ])('E14: what else an object may hold is not shown (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { m: { type: 'string' } },
      required: ['m'],
    });
  });

  test('E14: an empty form', async () => {
    expect(await formOf(z.object({}))).toEqual({ type: 'object', properties: {} });
    expect(await filled(z.object({}), {})).toEqual({});
  });
});

describe.each(eras)('E14: what a form cannot show fails before anything is sent (%s)', (era) => {
  const Recursive = z.object({
    get bad() {
      return z.array(Recursive);
    },
  });

  const unshowable: [string, Schema][] = [
    ['a nested object', z.object({ bad: z.object({ city: z.string() }) })],
    ['an optional nested object', z.object({ bad: z.object({ city: z.string() }).optional() })],
    ['a list of integers', z.object({ bad: z.array(z.int()) })],
    ['a bare string list', z.object({ bad: z.array(z.string()) })],
    ['a list of objects', z.object({ bad: z.array(z.object({})) })],
    ['a list of lists of choices', z.object({ bad: z.array(z.array(z.enum(['a']))) })],
    ['a union of two primitives', z.object({ bad: z.union([z.string(), z.number()]) })],
    ['a nullable union', z.object({ bad: z.union([z.string(), z.number()]).nullable() })],
    ['anything', z.object({ bad: z.any() })],
    ['the unknown', z.object({ bad: z.unknown() })],
    ['null alone', z.object({ bad: z.null() })],
    ['nothing', z.object({ bad: z.never() })],
    ['a record', z.object({ bad: z.record(z.string(), z.string()) })],
    ['a tuple', z.object({ bad: z.tuple([z.string(), z.number()]) })],
    ['numbers as choices', z.object({ bad: z.enum({ One: 1, Two: 2 }) })],
    ['a date object', z.object({ bad: z.date() })],
    ['a big integer', z.object({ bad: z.bigint() })],
    ['a map', z.object({ bad: z.map(z.string(), z.string()) })],
    ['a set', z.object({ bad: z.set(z.string()) })],
    ['an undefined', z.object({ bad: z.undefined() })],
    ['a file', z.object({ bad: z.file() })],
    ['a custom type', z.object({ bad: z.custom<string>() })],
    ['itself', Recursive],
    ['a nested object (arktype)', type({ bad: { city: 'string' } })],
    ['a bare string list (arktype)', type({ bad: 'string[]' })],
    ['a union of two primitives (arktype)', type({ bad: 'string | number' })],
    ['a date object (arktype)', type({ bad: 'Date' })],
    [
      'a nested object (valibot)',
      toStandardJsonSchema(v.object({ bad: v.object({ city: v.string() }) })),
    ],
    ['a bare string list (valibot)', toStandardJsonSchema(v.object({ bad: v.array(v.string()) }))],
    [
      'a union of two primitives (valibot)',
      toStandardJsonSchema(v.object({ bad: v.union([v.string(), v.number()]) })),
    ],
    ['a date object (valibot)', toStandardJsonSchema(v.object({ bad: v.date() }))],
    ['two types', json({ bad: { type: ['string', 'number'] } })],
  ];

  test.each(unshowable)('E14: %s', async (_, schema) => {
    const { errorText, asked } = await connectClient(era, serving(asking(schema)), {
      elicit: [{ action: 'accept', content: {} }],
    });

    expect(await errorText('form')).toMatch(/^Error executing tool form: .*\bbad\b/);
    expect(asked).toEqual([]);
  });

  test('E14: every bad field is named, and no good one', async () => {
    const Mixed = z.object({ good: z.string(), one: z.object({}), two: z.array(z.string()) });
    const { errorText } = await connectClient(era, serving(asking(Mixed)), {
      elicit: [{ action: 'accept', content: {} }],
    });

    const text = await errorText('form');
    expect(text).toMatch(/\bone\b.*\btwo\b/);
    expect(text).not.toMatch(/\bgood\b/);
  });

  test.each<[string, Schema]>([
    ['a text', z.string()],
    ['a list', z.array(z.string())],
    ['a union of objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['a record', z.record(z.string(), z.string())],
  ])('E14: %s in place of the object', async (_, schema) => {
    const { errorText, asked } = await connectClient(era, serving(asking(schema)), {
      elicit: [{ action: 'accept', content: {} }],
    });

    expect(await errorText('form')).toMatch(
      /^Error executing tool form: Resolver 'form' asks with a schema that no form can show: Elicitation /,
    );
    expect(asked).toEqual([]);
  });

  test('E14: one form that cannot be shown keeps the others of the round back', async () => {
    const good = resolver({}, () => elicit('Good?', z.object({ ok: z.boolean() })));
    const bad = resolver({}, () => elicit('Bad?', z.object({ bad: z.array(z.string()) })));
    const tool = defineTool('two', { resolve: { good, bad } }, () => 'ran');
    const { errorText, asked } = await connectClient(era, serving(tool), {
      elicit: [{ action: 'accept', content: { ok: true } }],
    });

    expect(await errorText('two')).toMatch(/\bbad\b/);
    expect(asked).toEqual([]);
  });
});

describe('E15: optional fields', () => {
  const bare = { type: 'integer', minimum: 0, maximum: 9 };
  const digit = z.int().min(0).max(9);
  const valibotDigit = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(9));

  test.each<[string, Schema]>([
    ['zod optional', z.object({ digit: digit.optional() })],
    ['zod nullish', z.object({ digit: digit.nullish() })],
    ['zod nullable().default(null)', z.object({ digit: digit.nullable().default(null) })],
    ['zod nullable().optional()', z.object({ digit: digit.nullable().optional() })],
    ['arktype optional', type({ 'digit?': '0 <= number.integer <= 9' })],
    ['arktype optional and null', type({ 'digit?': '(0 <= number.integer <= 9) | null' })],
    ['arktype default null', type({ digit: '(0 <= number.integer <= 9) | null = null' })],
    ['valibot optional', toStandardJsonSchema(v.object({ digit: v.optional(valibotDigit) }))],
    ['valibot nullish', toStandardJsonSchema(v.object({ digit: v.nullish(valibotDigit) }))],
    [
      'valibot nullish with null',
      toStandardJsonSchema(v.object({ digit: v.nullish(valibotDigit, null) })),
    ],
    ['JSON Schema type list', json({ digit: { ...bare, type: ['integer', 'null'] } })],
    ['JSON Schema anyOf', json({ digit: { anyOf: [bare, { type: 'null' }], default: null } })],
  ])('E15: %s renders as the bare primitive and is not required', async (_, schema) => {
    expect(await formOf(schema)).toEqual({ type: 'object', properties: { digit: bare } });
    expect(await filled(schema, { digit: 7 })).toEqual({ digit: 7 });
    await expect(filled(schema, {})).resolves.toBeDefined();
  });

  test.each<[string, Schema]>([
    ['zod', z.object({ digit: digit.nullable() })],
    ['arktype', type({ digit: '(0 <= number.integer <= 9) | null' })],
    ['valibot', toStandardJsonSchema(v.object({ digit: v.nullable(valibotDigit) }))],
  ])('E15: a field that may be null but not left out stays required (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { digit: bare },
      required: ['digit'],
    });
    expect(await filled(schema, { digit: 7 })).toEqual({ digit: 7 });
  });

  test.each<[string, Schema]>([
    ['zod optional', z.object({ size: z.enum(['L', 'S']).optional() })],
    ['zod nullish', z.object({ size: z.enum(['L', 'S']).nullish() })],
    ['zod default null', z.object({ size: z.enum(['L', 'S']).nullable().default(null) })],
    ['arktype optional', type({ 'size?': "'L' | 'S'" })],
    ['arktype optional and null', type({ 'size?': "'L' | 'S' | null" })],
    [
      'valibot nullish',
      toStandardJsonSchema(v.object({ size: v.nullish(v.picklist(['L', 'S'])) })),
    ],
    ['JSON Schema', json({ size: { type: ['string', 'null'], enum: ['L', 'S', null] } })],
  ])('E15: an optional choice is a bare choice (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { size: { type: 'string', enum: ['L', 'S'] } },
    });
  });

  test('E15: an optional list of choices is a bare one', async () => {
    const Tags = z.object({ tags: z.array(z.enum(['a', 'b'])).nullish() });

    expect(await formOf(Tags)).toEqual({
      type: 'object',
      properties: { tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } },
    });
  });

  test.each<[string, Schema]>([
    [
      'zod',
      z.object({
        text: z.string().default('x'),
        real: z.number().default(0),
        flag: z.boolean().default(false),
        size: z.enum(['L', 'S']).default('L'),
        tags: z.array(z.enum(['a', 'b'])).default(['a']),
      }),
    ],
    [
      'zod, nullable too',
      z.object({
        text: z.string().nullable().default('x'),
        real: z.number().nullable().default(0),
        flag: z.boolean().nullable().default(false),
        size: z.enum(['L', 'S']).nullable().default('L'),
        tags: z
          .array(z.enum(['a', 'b']))
          .nullable()
          .default(['a']),
      }),
    ],
    [
      'valibot',
      toStandardJsonSchema(
        v.object({
          text: v.optional(v.string(), 'x'),
          real: v.optional(v.number(), 0),
          flag: v.optional(v.boolean(), false),
          size: v.optional(v.picklist(['L', 'S']), 'L'),
          tags: v.optional(v.array(v.picklist(['a', 'b'])), ['a']),
        }),
      ),
    ],
  ])('E15: real defaults are shown and fill in (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string', default: 'x' },
        real: { type: 'number', default: 0 },
        flag: { type: 'boolean', default: false },
        size: { type: 'string', enum: ['L', 'S'], default: 'L' },
        tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
      },
    });
    expect(await filled(schema, {})).toEqual({
      text: 'x',
      real: 0,
      flag: false,
      size: 'L',
      tags: ['a'],
    });
  });

  test('E15: a field with a default is not required and fills in (arktype)', async () => {
    const Defaulted = type({ text: "string = 'x'", flag: 'boolean = false' });

    expect(await formOf(Defaulted)).not.toHaveProperty('required');
    expect(await filled(Defaulted, {})).toEqual({ text: 'x', flag: false });
  });
});

describe('E16: the form and the validation of its answer describe the same input', () => {
  test.each<[string, Schema, object, object, object]>([
    [
      'a rename through a transform of the whole (zod)',
      z.object({ vUser: z.string() }).transform(({ vUser }) => ({ user_name: vUser })),
      { vUser: { type: 'string' } },
      { vUser: 'octocat' },
      { user_name: 'octocat' },
    ],
    [
      'a rename through a transform of the whole (arktype)',
      type({ vUser: 'string' }).pipe(({ vUser }) => ({ user_name: vUser })),
      { vUser: { type: 'string' } },
      { vUser: 'octocat' },
      { user_name: 'octocat' },
    ],
    [
      'a rename through a transform of the whole (valibot)',
      toStandardJsonSchema(
        v.pipe(
          v.object({ vUser: v.string() }),
          v.transform(({ vUser }) => ({ user_name: vUser })),
        ),
      ),
      { vUser: { type: 'string' } },
      { vUser: 'octocat' },
      { user_name: 'octocat' },
    ],
    [
      'a transformed field',
      z.object({ name: z.string().transform((name) => name.length) }),
      { name: { type: 'string' } },
      { name: 'Ada' },
      { name: 3 },
    ],
    [
      'a coerced number',
      z.object({ n: z.coerce.number() }),
      { n: { type: 'number' } },
      { n: 7 },
      { n: 7 },
    ],
    [
      'a codec of a date',
      z.object({
        at: z.codec(z.iso.datetime(), z.date(), {
          decode: (text) => new Date(text),
          encode: (date) => date.toISOString(),
        }),
      }),
      { at: { type: 'string', format: 'date-time' } },
      { at: '2026-07-28T00:00:00Z' },
      { at: '2026-07-28T00:00:00.000Z' },
    ],
    [
      'a trimmed text',
      z.object({ name: z.string().trim().toLowerCase() }),
      { name: { type: 'string' } },
      { name: '  ADA ' },
      { name: 'ada' },
    ],
  ])('E16: %s', async (_, schema, properties, content, value) => {
    expect(await formOf(schema)).toMatchObject({ properties, required: Object.keys(content) });
    expect(await filled(schema, content)).toEqual(value);
  });

  test('E16: an answer in the names of the output is refused', async () => {
    const Renamed = z
      .object({ vUser: z.string() })
      .transform(({ vUser }) => ({ user_name: vUser }));

    await expect(filled(Renamed, { user_name: 'octocat' })).rejects.toThrow(
      'whose content does not match the requested schema',
    );
  });
});

describe('E14: what a form has no word for is left to the validation of the answer', () => {
  test.each<[string, Schema, object, unknown, unknown]>([
    ['a pattern', z.object({ it: z.string().regex(/^a/) }), { type: 'string' }, 'b', 'ab'],
    ['a beginning', z.object({ it: z.string().startsWith('a') }), { type: 'string' }, 'b', 'ab'],
    ['a format that forms lack', z.object({ it: z.uuid() }), { type: 'string' }, 'x', UUID],
    ['a pattern (arktype)', type({ it: /^a/ }), { type: 'string' }, 'b', 'ab'],
    ['more than', z.object({ it: z.number().gt(2) }), { type: 'number' }, 2, 2.5],
    ['a multiple', z.object({ it: z.number().multipleOf(2) }), { type: 'number' }, 3, 4],
    [
      'more than, among whole numbers',
      z.object({ it: z.int().gt(2).lt(9) }),
      { type: 'integer', minimum: 3, maximum: 8 },
      2,
      3,
    ],
    ['always true', z.object({ it: z.literal(true) }), { type: 'boolean' }, false, true],
  ])('E14: %s', async (_, schema, shown, bad, good) => {
    const { properties } = await formOf(schema);
    expect(properties).toEqual({ it: shown });

    expect(await filled(schema, { it: good })).toEqual({ it: good });
    const sendRound = roundsOf(asking(schema));
    const refused = await sendRound(
      answering(await sendRound(), { form: { action: 'accept', content: { it: bad } } }),
    );
    expect(errorTextOf(refused as CallToolResult)).toContain('does not match the requested schema');
  });

  test('E14: a form that is a reference to its own definition', async () => {
    const schema = z.object({ a: z.string() }).meta({ id: 'Address' });
    expect((await formOf(schema)).properties).toEqual({ a: { type: 'string' } });
  });
});
