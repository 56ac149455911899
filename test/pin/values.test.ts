/** What can be pinned, and what is said of a value that cannot. */
import {
  confirm,
  defineTool,
  InvalidGraphError,
  install,
  requestStateSeal,
  resolver,
} from 'mcp-resolve';
import type { Schema } from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { type } from 'arktype';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

import { eras } from '../support/eras.js';
import { connectClient } from '../support/plainClient.js';
import { errorTextOf, textOf } from '../support/results.js';
import { type Factory, httpHandler, serving } from '../support/servers.js';
import { post } from '../support/wire.js';
import { answering, type RoundResult, roundsOf, messagesOf, summaryOf } from '../support/rounds.js';
import { pinnedIn, yes } from './rounds.js';

const tick = accept({ confirm: true });

/** A tool that pins a value, asks on top of it, and gives what its body got to `look`. */
function pinning(
  compute: () => unknown,
  pin: Schema,
  look: (value: unknown) => unknown = identity,
) {
  const value = resolver({}, compute, { pin, name: 'value' });
  const approve = resolver({ value }, (values) => {
    look(values.value);
    return confirm('Go ahead?');
  });
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

const misfits: [string, unknown, string][] = [
  ['a Map', new Map([['a', 1]]), 'it is an instance of Map'],
  ['a Set', new Set([1]), 'it is an instance of Set'],
  ['an instance', new Account(), 'it is an instance of Account'],
  ['bytes', new Uint8Array(2), 'it is an instance of Uint8Array'],
  ['an error', new Error('boom'), 'it is an instance of Error'],
  ['a function', () => 1, 'it is a function'],
  ['a symbol', Symbol('it'), 'it is a symbol'],
  ['a bigint', 1n, 'it is a bigint'],
  ['not a number', Number.NaN, 'it is NaN'],
  ['no end', Number.POSITIVE_INFINITY, 'it is Infinity'],
  ['no end below', Number.NEGATIVE_INFINITY, 'it is -Infinity'],
  ['nothing', undefined, 'it is undefined'],
  ['a cycle', cyclic, '.list.0.up contains itself'],
  ['a Map inside', { rows: [{ by: new Map() }] }, '.rows.0.by is an instance of Map'],
  ['a Set in a list', [1, new Set()], '.1 is an instance of Set'],
  ['an instance inside', { account: new Account() }, '.account is an instance of Account'],
  ['a promise inside', { later: Promise.resolve(1) }, '.later is an instance of Promise'],
  ['a function inside', { rows: { map: () => 1 } }, '.rows.map is a function'],
  ['a symbol inside', { tag: Symbol('it') }, '.tag is a symbol'],
  ['a bigint inside', { cents: [1, 2n] }, '.cents.1 is a bigint'],
  ['not a number inside', { rate: Number.NaN }, '.rate is NaN'],
  ['no end inside', { max: { of: Number.POSITIVE_INFINITY } }, '.max.of is Infinity'],
  ['nothing in a list', { list: [1, undefined] }, '.list.1 is undefined'],
  ['an object whose JSON is none', { toJSON: () => undefined }, 'it is undefined'],
  ['a hole in a list', { list: Object.assign([1], { 2: 3 }) }, '.list.1 is undefined'],
  ['a Date that is none', { at: new Date(Number.NaN) }, '.at is an invalid date'],
  ['an object whose JSON is a Map', { a: { toJSON: () => new Map() } }, '.a is an instance of Map'],
  ['an object whose JSON is a bigint', { a: { toJSON: () => 1n } }, '.a is a bigint'],
  ['an object whose JSON has NaN', { toJSON: () => ({ n: Number.NaN }) }, '.n is NaN'],
];

describe.each(eras)('%s', (era) => {
  test.each(misfits)('%s is a tool error that names the resolver and the place', async (...row) => {
    const [, value, misfit] = row;
    const chat = await connectClient(era, serving([pinning(() => value, z.any())]), { elicit: [] });

    expect(await chat.errorText('pin')).toBe(
      `Error executing tool pin: Resolver 'value' is pinned, but its value is not JSON: ${misfit}`,
    );
    expect(chat.asked).toEqual([]);
  });

  test('a value that its schema refuses is a tool error that says why', async () => {
    const tool = pinning(() => ({ cents: '4800' }), z.object({ cents: z.number() }));
    const chat = await connectClient(era, serving([tool]), { elicit: [] });

    expect(await chat.errorText('pin')).toBe(
      "Error executing tool pin: Resolver 'value' computed what its pin does not accept: cents: Invalid input: expected number, received string",
    );
    expect(chat.asked).toEqual([]);
  });

  test('a value that later rounds could not take is refused in the first one', async () => {
    const tool = pinning(() => new Date(0), z.date());
    const chat = await connectClient(era, serving([tool]), { elicit: [] });

    expect(await chat.errorText('pin')).toBe(
      "Error executing tool pin: Resolver 'value' computed what its pin does not accept: Invalid input: expected date, received string (a pin travels as JSON, where a Date is text: z.coerce.date() reads it back)",
    );
  });

  test('a schema may take its time', async () => {
    const seen: unknown[] = [];
    const Slow = z.object({ n: z.number() }).transform(async ({ n }) => {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      return { n: n + 1 };
    });
    let runs = 0;
    const tool = pinning(
      () => ({ n: (runs += 1) }),
      Slow,
      (value) => {
        seen.push(value);
        return value;
      },
    );
    const chat = await connectClient(era, serving([tool]), { elicit: [tick] });

    expect(await chat.text('pin')).toBe('{"n":2}');
    expect(seen).toEqual(Array.from({ length: era === 'modern' ? 3 : 2 }, () => ({ n: 2 })));
    expect(runs).toBe(1);
  });

  test('a slow schema that refuses is a tool error as well', async () => {
    const Slow = z.number().refine(async (n) => Promise.resolve(n > 1), 'too little');
    const chat = await connectClient(era, serving([pinning(() => 1, Slow)]), { elicit: [] });

    expect(await chat.errorText('pin')).toBe(
      "Error executing tool pin: Resolver 'value' computed what its pin does not accept: too little",
    );
  });

  const throwing: [string, () => unknown][] = [
    [
      'at once',
      () => {
        throw new Error('broken schema');
      },
    ],
    ['later', async () => Promise.reject(new Error('broken schema'))],
  ];

  test.each(throwing)('a schema that throws %s ends the call', async (_, validate) => {
    const broken = { '~standard': { ...z.any()['~standard'], validate } } as unknown as Schema;
    const chat = await connectClient(era, serving([pinning(() => 1, broken)]), { elicit: [] });

    expect(await chat.errorText('pin')).toBe('Error executing tool pin: broken schema');
  });

  const values: [string, unknown, Schema, unknown][] = [
    ['null', null, z.null(), null],
    ['a text', 'Grüße', z.string(), 'Grüße'],
    ['lone surrogates', 'a\ud800b\udc00', z.string(), 'a\ud800b\udc00'],
    ['line separators', '\u2028\u2029\u0000', z.string(), '\u2028\u2029\u0000'],
    ['the largest number', Number.MAX_VALUE, z.number(), Number.MAX_VALUE],
    ['the smallest number', Number.MIN_VALUE, z.number(), Number.MIN_VALUE],
    ['minus nothing', -0, z.number(), 0],
    ['false', false, z.boolean(), false],
    ['an empty list', [], z.array(z.number()), []],
    ['a Date', new Date(1), z.coerce.date(), new Date(1)],
    ['a Date inside', { at: new Date(1) }, z.object({ at: z.coerce.date() }), { at: new Date(1) }],
    ['what knows its JSON', new URL('https://a.example/b'), z.url(), 'https://a.example/b'],
    [
      'an instance that knows its JSON',
      { money: Object.assign(new Account(), { toJSON: () => ({ cents: 1 }) }) },
      z.object({ money: z.object({ cents: z.number() }) }),
      { money: { cents: 1 } },
    ],
    ['undefined members', { a: 1, b: undefined }, z.any(), { a: 1 }],
    ['members whose JSON is none', { a: 1, b: { toJSON: () => undefined } }, z.any(), { a: 1 }],
    [
      'an object without a prototype',
      Object.assign(Object.create(null), { a: 1 }),
      z.any(),
      { a: 1 },
    ],
    ['one object twice', { a: shared, b: [shared] }, z.any(), { a: { n: 1 }, b: [{ n: 1 }] }],
    ['keys like numbers', { 10: 'a', 2: 'b' }, z.any(), { 10: 'a', 2: 'b' }],
    [
      'a choice of shapes',
      { kind: 'b', b: 2 },
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), a: z.number() }),
        z.object({ kind: z.literal('b'), b: z.number() }),
      ]),
      { kind: 'b', b: 2 },
    ],
    ['a schema of another library', { n: 1 }, type({ n: 'number' }), { n: 1 }],
  ];

  test.each(values)('%s comes back as it went', async (_, value, schema, restored) => {
    const seen: unknown[] = [];
    const tool = pinning(
      () => value,
      schema,
      (given) => {
        seen.push(given);
        return given;
      },
    );
    const chat = await connectClient(era, serving([tool]), { elicit: [tick] });

    await chat.text('pin');
    const expected = Array.from({ length: era === 'modern' ? 3 : 2 }, () => restored);
    expect(seen).toStrictEqual(expected);
  });

  test('a member called __proto__ is data, and never a prototype', async () => {
    const seen: { own: boolean; polluted: unknown }[] = [];
    const hostile: unknown = JSON.parse('{"__proto__":{"admin":true},"a":1}');
    const tool = pinning(
      () => hostile,
      z.any(),
      (value) => {
        const { admin } = value as { admin?: unknown };
        seen.push({ own: Object.hasOwn(value as object, '__proto__'), polluted: admin });
        return value;
      },
    );
    const chat = await connectClient(era, serving([tool]), { elicit: [tick] });

    expect(await chat.text('pin')).toBe('{"__proto__":{"admin":true},"a":1}');
    expect(seen).toEqual(
      Array.from({ length: era === 'modern' ? 3 : 2 }, () => ({ own: true, polluted: undefined })),
    );
  });
});

describe('what is carried on', () => {
  test.each([
    ['by the schema itself', z.any()],
    ['by a schema that hands on what it got', z.object({ rows: z.array(z.any()) })],
  ])('is not what consumers can change, handed out %s', async (_, schema) => {
    const Rows = schema as z.ZodType<{ rows: { n: number }[] }>;
    const own = { rows: [{ n: 1 }] };
    const value = resolver({}, () => own, { pin: Rows, name: 'value' });
    const rude = resolver({ value }, (values) => {
      values.value.rows[0]!.n += 100;
      values.value.rows.push({ n: 7 });
    });
    const one = resolver({ rude }, () => confirm('1?'));
    const two = resolver({ rude, one }, () => confirm('2?'));
    const tool = defineTool('pin', { resolve: { two, value } }, (values) =>
      JSON.stringify(values.value),
    );
    const sendRound = roundsOf(tool);
    const first = await sendRound();
    const second = await sendRound(answering(first, { one: yes }));

    expect(pinnedIn(first)).toEqual({ value: { rows: [{ n: 1 }] } });
    expect(pinnedIn(second)).toEqual({ value: { rows: [{ n: 1 }] } });
    // Within a round consumers share a value, as they do with every resolver.
    expect(textOf(await sendRound(answering(second, { two: yes })))).toBe(
      '{"rows":[{"n":101},{"n":7}]}',
    );
    // What the resolver returned, and may keep, stays its own.
    expect(own).toEqual({ rows: [{ n: 1 }] });
  });

  test('is what the resolver returned, whatever becomes of that later', async () => {
    const kept = { n: 1 };
    const value = resolver({}, () => kept, { pin: z.object({ n: z.number() }), name: 'value' });
    const approve = resolver({ value }, () => {
      kept.n = 2;
      return confirm('Go ahead?');
    });
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

test('a schema that throws at a restored value ends the call, and the token stays good', async () => {
  let broken = false;
  const Moody = z.number().transform((n) => {
    if (broken) throw new Error('broken schema');
    return n;
  });
  const sendRound = roundsOf(pinning(() => 1, Moody));
  const retry = answering(await sendRound(), { approve: yes });
  broken = true;
  expect(errorTextOf(await sendRound(retry))).toBe('Error executing tool pin: broken schema');
  broken = false;
  expect(textOf(await sendRound(retry))).toBe('1');
});

test('a question inside a pinned value is a tool error, as everywhere', async () => {
  const tool = pinning(() => ({ ask: confirm('Really?') }), z.any());

  expect(errorTextOf(await tool.call(undefined))).toBe(
    "Error executing tool pin: Resolver 'value' returned a question inside another value, where it is not asked: return the question itself",
  );
});

describe('a state that grows too large', () => {
  const limited =
    (...tools: ReturnType<typeof pinning>[]): Factory =>
    () => {
      const server = new McpServer({ name: 'limited', version: '1.0.0' });
      install(server, tools, { seal });
      return server;
    };
  const seal = requestStateSeal({
    keys: ['a key of the tests, 32 bytes or more'],
    audience: 'limited',
    maxStateBytes: 2000,
  });
  const call = async (tool: ReturnType<typeof pinning>): Promise<RoundResult> => {
    const { body } = await post(
      httpHandler(limited(tool)),
      'tools/call',
      { name: tool.name, arguments: {} },
      { capabilities: { elicitation: {} } },
    );
    return body.result as unknown as RoundResult;
  };

  test('is a tool error that names the largest pinned value', async () => {
    const small = resolver({}, () => 'x'.repeat(100), { pin: z.string(), name: 'small' });
    const large = resolver({}, () => 'x'.repeat(3000), { pin: z.string(), name: 'large' });
    const approve = resolver({ small, large }, () => confirm('Go ahead?'));
    const tool = defineTool('pin', { resolve: { approve } }, () => 'done');

    expect(errorTextOf(await call(tool))).toMatch(
      /^Error executing tool pin: the state between rounds would take about \d+ bytes, more than maxStateBytes allows \(2000\); the largest pinned value is that of 'large' with 30\d\d bytes$/,
    );
  });

  test('is no error where nothing has to be asked', async () => {
    const large = resolver({}, () => 'x'.repeat(3000), { pin: z.string(), name: 'large' });
    const tool = defineTool('pin', { resolve: { large } }, (values) => `${values.large.length}`);

    expect(summaryOf(await call(tool))).toBe('3000');
  });

  test('is no error below the limit', async () => {
    expect(messagesOf(await call(pinning(() => 'x'.repeat(500), z.string())))).toEqual({
      approve: 'Go ahead?',
    });
  });
});

describe('what cannot be pinned', () => {
  const thrown = (make: () => unknown): InvalidGraphError => {
    try {
      make();
    } catch (error) {
      if (error instanceof InvalidGraphError) return error;
    }
    throw new Error('expected an InvalidGraphError');
  };

  test('a guard', () => {
    const may = resolver({}, () => true, { pin: z.boolean() });
    const error = thrown(() => defineTool('pay', { guards: [may] }, () => 'paid'));

    expect(error).toMatchObject({ code: 'ERR_GRAPH_NEED', path: ['pay', 'guard'] });
    expect(error.message).toContain(
      'A guard cannot be pinned: it is there to look again in every round. Remove its pin.',
    );
  });

  test('a guard that a parameter uses as well', () => {
    const may = resolver({}, () => true, { pin: z.boolean() });

    thrown(() => defineTool('pay', { guards: [may], resolve: { may } }, () => 'paid'));
  });

  test('what has to be disposed of', () => {
    const options = { pin: z.number(), dispose: () => undefined };
    const error = thrown(() => resolver({}, () => 1, options));

    expect(error.code).toBe('ERR_DEFINITION');
    expect(error.message).toBe(
      'A resolver has either pin or dispose: what is pinned is restored in later rounds without having been made there.',
    );
    thrown(() => resolver({}, () => null, { pin: z.null(), dispose: 'auto' }));
  });

  test.each([true, {}, 'number', z, () => undefined])('to %s, which is no schema', (pin) => {
    expect(thrown(() => resolver({}, () => 1, { pin: pin as never })).message).toBe(
      'The pin of a resolver is the schema of its value, such as z.object({ … }).',
    );
  });
});
