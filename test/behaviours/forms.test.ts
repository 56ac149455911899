/** E13-E16: schemas as forms, schemas that no form can show, and the validation of answers. */
import { type ElicitResult, fromJsonSchema } from '@modelcontextprotocol/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { defineTool, elicit, resolver } from 'mcp-resolve';
import type { Schema } from 'mcp-resolve';
import { accept, run } from 'mcp-resolve/testing';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { questionsOf } from '../support/results.js';
import { roundsOf } from '../support/rounds.js';

/** Creates a tool that asks with a schema and shows the answer. */
const formTool = (schema: Schema) =>
  defineTool(
    'form',
    { resolve: { form: resolver({}, (): unknown => elicit('Fill in', schema)) } },
    ({ form }) => JSON.stringify(form),
  );

/** Returns the form of a schema as sent, without `$schema` and without an empty `required`. */
async function formOf(schema: Schema): Promise<Record<string, unknown>> {
  const { requests } = questionsOf(await roundsOf(formTool(schema))());
  const form = { ...(requests.form?.params?.requestedSchema as Record<string, unknown>) };
  delete form.$schema;
  if (Array.isArray(form.required) && form.required.length === 0) delete form.required;
  return form;
}

/** Fills in a form and returns the value that the tool receives. Throws if the call fails. */
async function submit(schema: Schema, content: object): Promise<unknown> {
  const answers = { form: accept(content as ElicitResult['content']) };
  const { isError, text } = await run(formTool(schema), {}, { answers });
  if (isError) throw new Error(text);
  return JSON.parse(text);
}

const jsonSchema = (properties: Record<string, object>, rest: object = {}): Schema =>
  fromJsonSchema({ type: 'object', properties, ...rest });

const UUID = '0b7a3c1e-5f6d-4c8b-9a1e-2d3f4a5b6c7d';

describe('E14: a form shows', () => {
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
      jsonSchema(
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
    [
      'JSON Schema',
      jsonSchema({ size: { type: 'string', enum: ['L', 'S'] } }, { required: ['size'] }),
    ],
    [
      'JSON Schema without a type',
      jsonSchema({ size: { enum: ['L', 'S'] } }, { required: ['size'] }),
    ],
  ])('E14: a choice (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { size: { type: 'string', enum: ['L', 'S'] } },
      required: ['size'],
    });
    expect(await submit(schema, { size: 'L' })).toEqual({ size: 'L' });
  });

  test.each<[string, Schema]>([
    [
      'JSON Schema',
      jsonSchema({
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
    expect(await submit(schema, { size: 'L' })).toEqual({ size: 'L' });
  });

  test.each<[string, Schema]>([
    ['zod', z.object({ tags: z.array(z.enum(['a', 'b'])) })],
    ['arktype', type({ tags: "('a' | 'b')[]" })],
    ['valibot', toStandardJsonSchema(v.object({ tags: v.array(v.picklist(['a', 'b'])) }))],
  ])('E14: a multiple choice (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } },
      required: ['tags'],
    });
    expect(await submit(schema, { tags: ['b'] })).toEqual({ tags: ['b'] });
  });

  test('E14: a multiple choice with titles (zod)', async () => {
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
    expect(await submit(Tags, { tags: ['b'] })).toEqual({ tags: ['b'] });
  });

  test('E14: a multiple choice with titles and bounds', async () => {
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

    expect(await formOf(jsonSchema({ tags }))).toEqual({ type: 'object', properties: { tags } });
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
  ])('E14: a refined field without its condition (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { code: { type: 'string' } },
      required: ['code'],
    });
    expect(await submit(schema, { code: 'c3' })).toEqual({ code: 'c3' });
    await expect(submit(schema, { code: 'd3' })).rejects.toThrow('does not match');
  });

  test('E14: fields called constructor and toString', async () => {
    const Odd = z.object({ constructor: z.string(), toString: z.string() });

    expect(await formOf(Odd)).toEqual({
      type: 'object',
      properties: { constructor: { type: 'string' }, toString: { type: 'string' } },
      required: ['constructor', 'toString'],
    });
    expect(await submit(Odd, { constructor: 'a', toString: 'b' })).toEqual({
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
  ])('E14: the declared fields only, whatever else the object allows (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { m: { type: 'string' } },
      required: ['m'],
    });
  });

  test('E14: no fields for an empty object', async () => {
    expect(await formOf(z.object({}))).toEqual({ type: 'object', properties: {} });
    expect(await submit(z.object({}), {})).toEqual({});
  });

  test('E14: the fields of an object that is registered under an id', async () => {
    const schema = z.object({ a: z.string() }).meta({ id: 'Address' });
    expect((await formOf(schema)).properties).toEqual({ a: { type: 'string' } });
  });
});

describe.each(eras)('E14: a form that cannot be shown, on the %s era', (era) => {
  const Recursive = z.object({
    get bad() {
      return z.array(Recursive);
    },
  });

  const unshowable: [string, Schema][] = [
    ['a nested object', z.object({ bad: z.object({ city: z.string() }) })],
    ['an optional nested object', z.object({ bad: z.object({ city: z.string() }).optional() })],
    ['an array of integers', z.object({ bad: z.array(z.int()) })],
    ['an array of any strings', z.object({ bad: z.array(z.string()) })],
    ['an array of objects', z.object({ bad: z.array(z.object({})) })],
    ['an array of arrays of choices', z.object({ bad: z.array(z.array(z.enum(['a']))) })],
    ['a union of two primitives', z.object({ bad: z.union([z.string(), z.number()]) })],
    ['a nullable union', z.object({ bad: z.union([z.string(), z.number()]).nullable() })],
    ['a field of any type', z.object({ bad: z.any() })],
    ['a field of unknown type', z.object({ bad: z.unknown() })],
    ['a field that is null', z.object({ bad: z.null() })],
    ['a field that is never valid', z.object({ bad: z.never() })],
    ['a record', z.object({ bad: z.record(z.string(), z.string()) })],
    ['a tuple', z.object({ bad: z.tuple([z.string(), z.number()]) })],
    ['numbers as choices', z.object({ bad: z.enum({ One: 1, Two: 2 }) })],
    ['a date object', z.object({ bad: z.date() })],
    ['a big integer', z.object({ bad: z.bigint() })],
    ['a map', z.object({ bad: z.map(z.string(), z.string()) })],
    ['a set', z.object({ bad: z.set(z.string()) })],
    ['a field that is undefined', z.object({ bad: z.undefined() })],
    ['a file', z.object({ bad: z.file() })],
    ['a custom type', z.object({ bad: z.custom<string>() })],
    ['a recursive field', Recursive],
    ['a nested object (arktype)', type({ bad: { city: 'string' } })],
    ['an array of any strings (arktype)', type({ bad: 'string[]' })],
    ['a union of two primitives (arktype)', type({ bad: 'string | number' })],
    ['a date object (arktype)', type({ bad: 'Date' })],
    [
      'a nested object (valibot)',
      toStandardJsonSchema(v.object({ bad: v.object({ city: v.string() }) })),
    ],
    [
      'an array of any strings (valibot)',
      toStandardJsonSchema(v.object({ bad: v.array(v.string()) })),
    ],
    [
      'a union of two primitives (valibot)',
      toStandardJsonSchema(v.object({ bad: v.union([v.string(), v.number()]) })),
    ],
    ['a date object (valibot)', toStandardJsonSchema(v.object({ bad: v.date() }))],
    ['a field of two types', jsonSchema({ bad: { type: ['string', 'number'] } })],
  ];

  test.each(unshowable)('E14: fails before it is sent if it has %s', async (_, schema) => {
    const { text, cause, questions } = await run(formTool(schema), {}, { era });

    expect(text).toBe('Error executing tool form');
    expect(cause?.message).toMatch(/\bbad\b/);
    expect(questions).toEqual([]);
  });

  test('E14: names every invalid field in the error, and no valid one', async () => {
    const Mixed = z.object({ good: z.string(), one: z.object({}), two: z.array(z.string()) });
    const { cause } = await run(formTool(Mixed), {}, { era });

    expect(cause?.message).toMatch(/\bone\b.*\btwo\b/);
    expect(cause?.message).not.toMatch(/\bgood\b/);
  });

  test.each<[string, Schema]>([
    ['a string', z.string()],
    ['an array', z.array(z.string())],
    ['a union of objects', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['a record', z.record(z.string(), z.string())],
  ])('E14: fails before it is sent if its schema is %s', async (_, schema) => {
    const { text, cause, questions } = await run(formTool(schema), {}, { era });

    expect(text).toBe('Error executing tool form');
    expect(cause?.message).toMatch(
      /^Resolver 'form' asks with a schema that a form cannot show: Elicitation /,
    );
    expect(questions).toEqual([]);
  });

  test('E14: keeps the other questions of its round from being sent', async () => {
    const good = resolver({}, () => elicit('Good?', z.object({ ok: z.boolean() })), {
      asks: 'form',
    });
    const bad = resolver({}, () => elicit('Bad?', z.object({ bad: z.array(z.string()) })), {
      asks: 'form',
    });
    const tool = defineTool('two', { resolve: { good, bad } }, () => 'ran');
    const { cause, questions } = await run(tool, {}, { era });

    expect(cause?.message).toMatch(/\bbad\b/);
    expect(questions).toEqual([]);
  });
});

describe('E15: an optional field', () => {
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
    ['JSON Schema type array', jsonSchema({ digit: { ...bare, type: ['integer', 'null'] } })],
    [
      'JSON Schema anyOf',
      jsonSchema({ digit: { anyOf: [bare, { type: 'null' }], default: null } }),
    ],
  ])('E15: renders as the plain type and is not required (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({ type: 'object', properties: { digit: bare } });
    expect(await submit(schema, { digit: 7 })).toEqual({ digit: 7 });
    await expect(submit(schema, {})).resolves.toBeDefined();
  });

  test.each<[string, Schema]>([
    ['zod', z.object({ digit: digit.nullable() })],
    ['arktype', type({ digit: '(0 <= number.integer <= 9) | null' })],
    ['valibot', toStandardJsonSchema(v.object({ digit: v.nullable(valibotDigit) }))],
  ])('E15: is required if it may be null but not left out (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { digit: bare },
      required: ['digit'],
    });
    expect(await submit(schema, { digit: 7 })).toEqual({ digit: 7 });
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
    ['JSON Schema', jsonSchema({ size: { type: ['string', 'null'], enum: ['L', 'S', null] } })],
  ])('E15: renders a choice as a plain choice (%s)', async (_, schema) => {
    expect(await formOf(schema)).toEqual({
      type: 'object',
      properties: { size: { type: 'string', enum: ['L', 'S'] } },
    });
  });

  test('E15: renders a multiple choice as a plain one', async () => {
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
  ])('E15: shows its default and takes it if left out (%s)', async (_, schema) => {
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
    expect(await submit(schema, {})).toEqual({
      text: 'x',
      real: 0,
      flag: false,
      size: 'L',
      tags: ['a'],
    });
  });

  test('E15: with a default is not required and takes it if left out (arktype)', async () => {
    const Defaulted = type({ text: "string = 'x'", flag: 'boolean = false' });

    expect(await formOf(Defaulted)).not.toHaveProperty('required');
    expect(await submit(Defaulted, {})).toEqual({ text: 'x', flag: false });
  });
});

describe('E16: a form and the validation of its answer agree on', () => {
  test.each<[string, Schema, object, object, object]>([
    [
      'an object that a transform renames (zod)',
      z.object({ vUser: z.string() }).transform(({ vUser }) => ({ user_name: vUser })),
      { vUser: { type: 'string' } },
      { vUser: 'octocat' },
      { user_name: 'octocat' },
    ],
    [
      'an object that a transform renames (arktype)',
      type({ vUser: 'string' }).pipe(({ vUser }) => ({ user_name: vUser })),
      { vUser: { type: 'string' } },
      { vUser: 'octocat' },
      { user_name: 'octocat' },
    ],
    [
      'an object that a transform renames (valibot)',
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
      'a date codec',
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
      'a trimmed string',
      z.object({ name: z.string().trim().toLowerCase() }),
      { name: { type: 'string' } },
      { name: '  ADA ' },
      { name: 'ada' },
    ],
  ])('E16: %s', async (_, schema, properties, content, value) => {
    expect(await formOf(schema)).toMatchObject({ properties, required: Object.keys(content) });
    expect(await submit(schema, content)).toEqual(value);
  });

  test('E16: the names of the input, not those of the output', async () => {
    const Renamed = z
      .object({ vUser: z.string() })
      .transform(({ vUser }) => ({ user_name: vUser }));

    await expect(submit(Renamed, { user_name: 'octocat' })).rejects.toThrow(
      'whose content does not match the requested schema',
    );
  });
});

describe('E14: a form leaves to validation', () => {
  test.each<[string, Schema, object, unknown, unknown]>([
    ['a pattern', z.object({ it: z.string().regex(/^a/) }), { type: 'string' }, 'b', 'ab'],
    ['a prefix', z.object({ it: z.string().startsWith('a') }), { type: 'string' }, 'b', 'ab'],
    [
      'a format that forms do not support',
      z.object({ it: z.uuid() }),
      { type: 'string' },
      'x',
      UUID,
    ],
    ['a pattern (arktype)', type({ it: /^a/ }), { type: 'string' }, 'b', 'ab'],
    ['an exclusive minimum', z.object({ it: z.number().gt(2) }), { type: 'number' }, 2, 2.5],
    [
      'a multiple of a number',
      z.object({ it: z.number().multipleOf(2) }),
      { type: 'number' },
      3,
      4,
    ],
    [
      'exclusive bounds of an integer',
      z.object({ it: z.int().gt(2).lt(9) }),
      { type: 'integer', minimum: 3, maximum: 8 },
      2,
      3,
    ],
    ['a literal', z.object({ it: z.literal(true) }), { type: 'boolean' }, false, true],
  ])('E14: %s', async (_, schema, shown, bad, good) => {
    const { properties } = await formOf(schema);
    expect(properties).toEqual({ it: shown });

    expect(await submit(schema, { it: good })).toEqual({ it: good });
    await expect(submit(schema, { it: bad })).rejects.toThrow(
      'does not match the requested schema',
    );
  });
});
