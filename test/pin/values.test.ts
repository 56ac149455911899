/** Tests which values can be pinned, and the errors for those that cannot. */
import {
  confirm,
  defineTool,
  InvalidGraphError,
  requestStateSeal,
  resolver,
  ToolError,
} from 'mcp-resolve';
import type { Schema } from 'mcp-resolve';
import { run } from 'mcp-resolve/testing';
import { type } from 'arktype';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { errorTextOf, textOf } from '../support/results.js';
import { answering, roundsOf } from '../support/rounds.js';
import { pinnedIn, yes } from './rounds.js';

/**
 * Creates a tool that pins a value, asks a question that depends on it, and returns it as JSON.
 * `look` receives the value in every round, and its result goes into the JSON.
 */
function pinning(
  compute: () => unknown,
  pin: Schema,
  look: (value: unknown) => unknown = identity,
) {
  const value = resolver({}, compute, { pin, name: 'value' });
  const approve = resolver(
    { value },
    (values) => {
      look(values.value);
      return confirm('Go ahead?');
    },
    { asks: 'form' },
  );
  return defineTool('pin', { resolve: { value, approve } }, (values) =>
    JSON.stringify(look(values.value) ?? null),
  );
}

const identity = (value: unknown): unknown => value;

class Account {
  readonly owner = 'alice';
}

const cyclic: { self?: unknown; list: unknown[] } = { list: [] };
cyclic.list.push({ up: cyclic });

const shared = { n: 1 };

const unnamed: unknown = Object.create(Object.create(null) as object);
const nameless = { constructor: {} };

const notJson: [string, unknown, string][] = [
  ['a Map', new Map([['a', 1]]), 'it is an instance of Map'],
  ['a Set', new Set([1]), 'it is an instance of Set'],
  ['a class instance', new Account(), 'it is an instance of Account'],
  ['bytes', new Uint8Array(2), 'it is an instance of Uint8Array'],
  ['an error', new Error('boom'), 'it is an instance of Error'],
  [
    'an object of a prototype without a constructor',
    Object.create(unnamed as object),
    'it is an object',
  ],
  ['an object whose constructor has no name', Object.create(nameless), 'it is an object'],
  ['a function', () => 1, 'it is a function'],
  ['a symbol', Symbol('it'), 'it is a symbol'],
  ['a bigint', 1n, 'it is a bigint'],
  ['NaN', Number.NaN, 'it is NaN'],
  ['Infinity', Number.POSITIVE_INFINITY, 'it is Infinity'],
  ['-Infinity', Number.NEGATIVE_INFINITY, 'it is -Infinity'],
  ['undefined', undefined, 'it is undefined'],
  ['an object that contains itself', cyclic, '.list.0.up contains itself'],
  ['an object with a Map', { rows: [{ by: new Map() }] }, '.rows.0.by is an instance of Map'],
  ['an array with a Set', [1, new Set()], '.1 is an instance of Set'],
  [
    'an object with a class instance',
    { account: new Account() },
    '.account is an instance of Account',
  ],
  ['an object with a promise', { later: Promise.resolve(1) }, '.later is an instance of Promise'],
  ['an object with a function', { rows: { map: () => 1 } }, '.rows.map is a function'],
  ['an object with a symbol', { tag: Symbol('it') }, '.tag is a symbol'],
  ['an object with a bigint', { cents: [1, 2n] }, '.cents.1 is a bigint'],
  ['an object with NaN', { rate: Number.NaN }, '.rate is NaN'],
  ['an object with Infinity', { max: { of: Number.POSITIVE_INFINITY } }, '.max.of is Infinity'],
  ['an array with undefined', { list: [1, undefined] }, '.list.1 is undefined'],
  ['an object whose toJSON returns undefined', { toJSON: () => undefined }, 'it is undefined'],
  ['an array with a hole', { list: Object.assign([1], { 2: 3 }) }, '.list.1 is undefined'],
  ['an object with an invalid Date', { at: new Date(Number.NaN) }, '.at is an invalid date'],
  [
    'an object whose toJSON returns a Map',
    { a: { toJSON: () => new Map() } },
    '.a is an instance of Map',
  ],
  ['an object whose toJSON returns a bigint', { a: { toJSON: () => 1n } }, '.a is a bigint'],
  ['an object whose toJSON returns NaN', { toJSON: () => ({ n: Number.NaN }) }, '.n is NaN'],
];

describe.each(eras)('a pinned value on the %s era', (era) => {
  test.each(notJson)('fails the call, with its place, if it is %s', async (_, value, problem) => {
    expect(
      await run(
        pinning(() => value, z.any()),
        {},
        { era },
      ),
    ).toMatchObject({
      isError: true,
      text: 'Error executing tool pin',
      cause: {
        message: `Resolver 'value' is pinned, but its value is not JSON: ${problem}. Pin a value that JSON can express, or remove \`pin\`.`,
      },
      questions: [],
    });
  });

  const validating = (validate: () => unknown) =>
    ({ '~standard': { ...z.any()['~standard'], validate } }) as unknown as Schema;
  const atLeastTwo = z.number().refine(async (n) => Promise.resolve(n > 1), 'too little');

  test.each<[string, unknown, Schema, string]>([
    [
      'its schema rejects it',
      { cents: '4800' },
      z.object({ cents: z.number() }),
      "Resolver 'value' returned a value that its `pin` schema rejects (field 'cents'). Return a value that matches the schema, or remove `pin`.",
    ],
    [
      'its schema rejects the JSON that later rounds would restore',
      new Date(0),
      z.date(),
      "Resolver 'value' returned a value that its `pin` schema rejects. Return a value that matches the schema, or remove `pin`. JSON turns a Date into a string, so restore it with z.coerce.date() in the schema.",
    ],
    [
      'its schema rejects an object with a Date',
      { id: 1, at: new Date(0) },
      z.object({ id: z.number(), at: z.date() }),
      "Resolver 'value' returned a value that its `pin` schema rejects (field 'at'). Return a value that matches the schema, or remove `pin`. JSON turns a Date into a string, so restore it with z.coerce.date() in the schema.",
    ],
    [
      'its asynchronous schema rejects it',
      1,
      atLeastTwo,
      "Resolver 'value' returned a value that its `pin` schema rejects. Return a value that matches the schema, or remove `pin`.",
    ],
    [
      'its schema throws',
      1,
      validating(() => {
        throw new Error('broken schema');
      }),
      'broken schema',
    ],
    [
      'its asynchronous schema throws',
      1,
      validating(async () => Promise.reject(new Error('broken schema'))),
      'broken schema',
    ],
  ])('fails the call if %s', async (_, value, schema, message) => {
    expect(
      await run(
        pinning(() => value, schema),
        {},
        { era },
      ),
    ).toMatchObject({
      isError: true,
      text: 'Error executing tool pin',
      cause: { message },
      questions: [],
    });
  });

  test('fails the call with the issues of its schema as the cause', async () => {
    const tool = pinning(() => ({ cents: '4800' }), z.object({ cents: z.number() }));
    const { cause } = await run(tool, {}, { era });

    expect(cause?.cause).toMatchObject([
      { path: ['cents'], message: 'Invalid input: expected number, received string' },
    ]);
  });

  /** Calls a tool that asks once, and returns its result and what `look` returned each time. */
  const lookInEveryRound = async (
    compute: () => unknown,
    schema: Schema,
    look: (value: unknown) => unknown = identity,
  ) => {
    const seen: unknown[] = [];
    const tool = pinning(compute, schema, (value) => {
      seen.push(look(value));
      return value;
    });
    const { isError, text } = await run(tool, {}, { era, answers: { approve: yes } });
    return { isError, text, seen };
  };

  /** Repeats a value: the question sees it in each round, and the body in the last one. */
  const inEveryRound = (value: unknown): unknown[] =>
    Array.from({ length: era === 'modern' ? 3 : 2 }, () => value);

  test('can have an asynchronous schema', async () => {
    const Slow = z.object({ n: z.number() }).transform(async ({ n }) => {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      return { n: n + 1 };
    });
    let runs = 0;

    expect(await lookInEveryRound(() => ({ n: (runs += 1) }), Slow)).toEqual({
      isError: false,
      text: '{"n":2}',
      seen: inEveryRound({ n: 2 }),
    });
    expect(runs).toBe(1);
  });

  const values: [string, unknown, Schema, unknown][] = [
    ['null', null, z.null(), null],
    ['a string', 'Grüße', z.string(), 'Grüße'],
    ['a string with lone surrogates', 'a\ud800b\udc00', z.string(), 'a\ud800b\udc00'],
    ['a string with line separators', '\u2028\u2029\u0000', z.string(), '\u2028\u2029\u0000'],
    ['the largest number', Number.MAX_VALUE, z.number(), Number.MAX_VALUE],
    ['the smallest number', Number.MIN_VALUE, z.number(), Number.MIN_VALUE],
    ['minus zero, as zero', -0, z.number(), 0],
    ['false', false, z.boolean(), false],
    ['an empty array', [], z.array(z.number()), []],
    ['a Date', new Date(1), z.coerce.date(), new Date(1)],
    [
      'an object with a Date',
      { at: new Date(1) },
      z.object({ at: z.coerce.date() }),
      { at: new Date(1) },
    ],
    ['an object with toJSON', new URL('https://a.example/b'), z.url(), 'https://a.example/b'],
    [
      'a class instance with toJSON',
      { money: Object.assign(new Account(), { toJSON: () => ({ cents: 1 }) }) },
      z.object({ money: z.object({ cents: z.number() }) }),
      { money: { cents: 1 } },
    ],
    ['an object with an undefined property', { a: 1, b: undefined }, z.any(), { a: 1 }],
    [
      'an object with a property whose toJSON returns undefined',
      { a: 1, b: { toJSON: () => undefined } },
      z.any(),
      { a: 1 },
    ],
    [
      'an object without a prototype',
      Object.assign(Object.create(null), { a: 1 }),
      z.any(),
      { a: 1 },
    ],
    [
      'an object that contains another one twice',
      { a: shared, b: [shared] },
      z.any(),
      { a: { n: 1 }, b: [{ n: 1 }] },
    ],
    ['an object with numeric keys', { 10: 'a', 2: 'b' }, z.any(), { 10: 'a', 2: 'b' }],
    [
      'an object of a discriminated union',
      { kind: 'b', b: 2 },
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), a: z.number() }),
        z.object({ kind: z.literal('b'), b: z.number() }),
      ]),
      { kind: 'b', b: 2 },
    ],
    ['a value with an ArkType schema', { n: 1 }, type({ n: 'number' }), { n: 1 }],
  ];

  test.each(values)('is restored in every round: %s', async (_, value, schema, restored) => {
    const { isError, seen } = await lookInEveryRound(() => value, schema);

    expect(isError).toBe(false);
    expect(seen).toStrictEqual(inEveryRound(restored));
  });

  test('keeps a property named __proto__ as data', async () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"admin":true},"a":1}');
    const look = (value: unknown) => ({
      own: Object.hasOwn(value as object, '__proto__'),
      polluted: (value as { admin?: unknown }).admin,
    });

    expect(await lookInEveryRound(() => hostile, z.any(), look)).toEqual({
      isError: false,
      text: '{"__proto__":{"admin":true},"a":1}',
      seen: inEveryRound({ own: true, polluted: undefined }),
    });
  });
});

describe('the state', () => {
  test.each([
    ['returns its input', z.any()],
    ['returns parts of its input', z.object({ rows: z.array(z.any()) })],
  ])('keeps a value that a consumer changes, with a schema that %s', async (_, schema) => {
    const Rows = schema as z.ZodType<{ rows: { n: number }[] }>;
    const own = { rows: [{ n: 1 }] };
    const value = resolver({}, () => own, { pin: Rows, name: 'value' });
    const rude = resolver({ value }, (values) => {
      values.value.rows[0]!.n += 100;
      values.value.rows.push({ n: 7 });
    });
    const one = resolver({ rude }, () => confirm('1?'), { asks: 'form' });
    const two = resolver({ rude, one }, () => confirm('2?'), { asks: 'form' });
    const tool = defineTool('pin', { resolve: { two, value } }, (values) =>
      JSON.stringify(values.value),
    );
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    const second = await sendRound(answering(first, { one: yes }));

    expect(pinnedIn(first)).toEqual({ value: { rows: [{ n: 1 }] } });
    expect(pinnedIn(second)).toEqual({ value: { rows: [{ n: 1 }] } });
    // Within a round, consumers share the value, as with every resolver.
    expect(textOf(await sendRound(answering(second, { two: yes })))).toBe(
      '{"rows":[{"n":101},{"n":7}]}',
    );
    // The object that the resolver returned stays unchanged.
    expect(own).toEqual({ rows: [{ n: 1 }] });
  });

  test('keeps the returned value even if the resolver changes it later', async () => {
    const kept = { n: 1 };
    const value = resolver({}, () => kept, { pin: z.object({ n: z.number() }), name: 'value' });
    const approve = resolver(
      { value },
      () => {
        kept.n = 2;
        return confirm('Go ahead?');
      },
      { asks: 'form' },
    );
    const tool = defineTool(
      'pin',
      { resolve: { value, approve } },
      (values) => `${values.value.n}`,
    );
    const sendRound = roundsOf(tool);
    const first = await sendRound();

    expect(pinnedIn(first)).toEqual({ value: { n: 1 } });
    expect(textOf(await sendRound(answering(first, { approve: yes })))).toBe('1');
  });
});

test('a schema that throws for a restored value fails the round, and the client can retry', async () => {
  let broken = false;
  const Moody = z.number().transform((n) => {
    if (broken) throw new ToolError('broken schema');
    return n;
  });
  const sendRound = roundsOf(pinning(() => 1, Moody));
  const retry = answering(await sendRound(), { approve: yes });
  broken = true;
  expect(errorTextOf(await sendRound(retry))).toBe('Error executing tool pin: broken schema');
  broken = false;
  expect(textOf(await sendRound(retry))).toBe('1');
});

test('a question inside a pinned value fails the call', async () => {
  const tool = pinning(() => ({ ask: confirm('Really?') }), z.any());

  expect((await tool.call(undefined)).cause).toMatchObject({
    message:
      "Resolver 'value' returned a question inside another value, where it has no effect. Return the question itself.",
  });
});

describe('maxStateBytes', () => {
  const seal = requestStateSeal({
    keys: ['a key of the tests, 32 bytes or more'],
    audience: 'limited',
    maxStateBytes: 2000,
  });
  const large = resolver({}, () => 'x'.repeat(3000), { pin: z.string(), name: 'large' });

  test('fails a call with too large a state, and names the largest pinned value', async () => {
    const small = resolver({}, () => 'x'.repeat(100), { pin: z.string(), name: 'small' });
    const approve = resolver({ small, large }, () => confirm('Go ahead?'), { asks: 'form' });
    const tool = defineTool('pin', { resolve: { approve } }, () => 'done');
    const { text, cause } = await run(tool, {}, { install: { seal } });

    expect(text).toBe('Error executing tool pin');
    expect(cause?.message).toMatch(
      /^The state between rounds would take about \d+ bytes, but `maxStateBytes` allows only 2000\. The largest pinned value is that of 'large' with 30\d\d bytes\. Pin less, ask for less, or raise `maxStateBytes`\.$/,
    );
  });

  test('does not limit a call that asks nothing', async () => {
    const tool = defineTool('pin', { resolve: { large } }, (values) => `${values.large.length}`);

    expect(await run(tool, {}, { install: { seal } })).toMatchObject({
      isError: false,
      text: '3000',
    });
  });

  test('allows a smaller state', async () => {
    const tool = pinning(() => 'x'.repeat(500), z.string());
    const { isError, questions } = await run(
      tool,
      {},
      { install: { seal }, answers: { approve: yes } },
    );

    expect(isError).toBe(false);
    expect(questions.map(({ message }) => message)).toEqual(['Go ahead?']);
  });
});

describe('pin is rejected', () => {
  const thrown = (make: () => unknown): InvalidGraphError => {
    try {
      make();
    } catch (error) {
      if (error instanceof InvalidGraphError) return error;
    }
    throw new Error('expected an InvalidGraphError');
  };

  test('for a guard', () => {
    const may = resolver({}, () => true, { pin: z.boolean() });
    const error = thrown(() => defineTool('pay', { guards: [may] }, () => 'paid'));

    expect(error).toMatchObject({ code: 'ERR_GRAPH_NEED', path: ['pay', 'guard'] });
    expect(error.message).toContain(
      "Tool 'pay': a guard cannot be pinned, because it must check again in every round. Remove its `pin`.",
    );
  });

  test('for a guard that fills a parameter as well', () => {
    const may = resolver({}, () => true, { pin: z.boolean() });

    thrown(() => defineTool('pay', { guards: [may], resolve: { may } }, () => 'paid'));
  });

  test('together with dispose', () => {
    const options = { pin: z.number(), dispose: () => undefined };
    const error = new TypeError(
      'resolver(): `pin` and `dispose` cannot be combined, because later rounds restore a pinned value and do not create it. Remove one of them.',
    );

    expect(() => resolver({}, () => 1, options)).toThrow(error);
    expect(() => resolver({}, () => null, { pin: z.null(), dispose: 'auto' })).toThrow(error);
  });

  test.each<[string, unknown]>([
    ['true', true],
    ['an object', {}],
    ['a string', 'number'],
    ['a module', z],
    ['a function', () => undefined],
  ])('if it is %s and not a schema', (_, pin) => {
    expect(() => resolver({}, () => 1, { pin: pin as never })).toThrow(
      new TypeError('resolver(): `pin` must be the schema of the value, such as z.object({ … }).'),
    );
  });
});
