/** Canonical JSON and the digest of a request's arguments. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import {
  argumentsDigest,
  canonicalJson,
  copyOf,
  dataDigest,
  isTooDeep,
} from '../../src/state/canonical.js';

const parsed = (json: string): unknown => JSON.parse(json);

describe('I36: the digest of arguments', () => {
  test.each<[string, unknown, string]>([
    ['empty arguments', {}, 'RBNvo1WzZ4oRRq0W9-hkng'],
    ['missing arguments', undefined, 'RBNvo1WzZ4oRRq0W9-hkng'],
    ['null', null, 'RBNvo1WzZ4oRRq0W9-hkng'],
    ['ASCII', { env: 'prod' }, '_fZbwPys4tn6ogEHRin4tQ'],
    ['an accent', { env: 'é' }, 'rPEL2yQH4VbE3cfmKoFlnA'],
    ['a lone surrogate', { env: '\ud800-prod' }, 'bKbMaC5qRALUfpLFsAmW4Q'],
  ])('I36: matches the documented value for %s', async (_, args, expected) => {
    expect(await argumentsDigest(args)).toBe(expected);
  });

  test('I36: does not depend on the order of keys at any depth', async () => {
    const one = parsed('{"a":1,"b":{"c":[{"d":1,"e":2}],"f":null}}');
    const two = parsed('{"b":{"f":null,"c":[{"e":2,"d":1}]},"a":1}');
    expect(await argumentsDigest(one)).toBe(await argumentsDigest(two));
  });

  test.each([
    ['{"list":[1,2]}', '{"list":[2,1]}'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":null}', '{}'],
    ['{"a":{}}', '{"a":[]}'],
    ['{"a":{}}', '{"a":null}'],
    ['{"a":0}', '{"a":false}'],
    ['{"a":0}', '{"a":-0}'],
    ['{"list":[{"a":0.0}]}', '{"list":[{"a":-0.0}]}'],
    ['{"a":""}', '{"a":null}'],
    ['{"a":{"b":1}}', '{"a":1,"b":1}'],
    ['{"ab":"c"}', '{"a":"bc"}'],
    ['{"a":"\\ud800"}', '{"a":"\\udfff"}'],
    ['{"a":"\\ud800"}', '{"a":"\\ufffd"}'],
    ['{"\\ud800":1}', '{"\\udfff":1}'],
    ['{"a":"é"}', '{"a":"e\\u0301"}'],
    ['{"nested":{"__proto__":1}}', '{"nested":{}}'],
    ['{"nested":{"__proto__":{"a":1}}}', '{"nested":{"__proto__":{"a":2}}}'],
    ['{"constructor":1}', '{}'],
  ])('I36: differs between %s and %s', async (one, two) => {
    expect(await argumentsDigest(parsed(one))).not.toBe(await argumentsDigest(parsed(two)));
  });

  test('I36: ignores a property __proto__ at the top level, and only there', async () => {
    const plain = await argumentsDigest(parsed('{"a":1}'));
    expect(await argumentsDigest(parsed('{"a":1,"__proto__":{"b":2}}'))).toBe(plain);
    expect(await argumentsDigest(parsed('{"__proto__":7}'))).toBe('RBNvo1WzZ4oRRq0W9-hkng');
  });

  test('I36: has 22 characters of base64url', async () => {
    expect(await argumentsDigest({ any: 'thing' })).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });
});

test('the digest of data is its whole SHA-256, whatever the order of its keys', async () => {
  const hash = createHash('sha256').update('{"a":"\\u00e9","b":[1]}').digest('base64url');
  expect(await dataDigest({ b: [1], a: 'é' })).toBe(hash);
  await expect(dataDigest({ a: new Map() })).rejects.toThrow(TypeError);
});

describe('a copy of arguments', () => {
  test.each([
    '{"a":-0,"b":[0,-0.0]}',
    '{"a":[1e999,-1e999,null]}',
    '{"a":"\\ud800","\\udfff":1}',
    '{"a":{"__proto__":{"b":[1]}}}',
    '{"10":{"9":[{}]},"a":"é"}',
  ])('has the digest of %s, also after a change of the original', async (json) => {
    const args = parsed(json) as Record<string, unknown>;
    const before = await argumentsDigest(args);
    const copy = copyOf(args);
    change(args);
    expect(await argumentsDigest(args)).not.toBe(before);
    expect(await argumentsDigest(copy)).toBe(before);
  });

  test.each([
    ['undefined', { a: undefined, b: [undefined] }],
    ['a hole', { a: [, 1] }],
    ['a Date', { a: new Date(7) }],
    ['a bigint', { a: 7n }],
    ['an object without a prototype', Object.assign(Object.create(null), { a: [1] })],
  ])('keeps %s', async (_, args) => {
    expect(await argumentsDigest(copyOf(args))).toBe(await argumentsDigest(args));
  });

  test('does not follow a Date that changes', async () => {
    const args = { at: new Date(7) };
    const copy = copyOf(args);
    args.at.setTime(8);
    expect(await argumentsDigest(copy)).toBe(await argumentsDigest({ at: new Date(7) }));
  });

  test('leaves what has no digest to the digest, which refuses it', async () => {
    expect(() => argumentsDigest(copyOf({ a: new Map([[1, 2]]) }))).toThrow(TypeError);
  });

  /** Changes the deepest objects and arrays first. */
  function change(value: object): void {
    for (const member of Object.values(value)) {
      if (typeof member === 'object' && member !== null) change(member as object);
    }
    if (Array.isArray(value)) value.push('more');
    else Object.assign(value, { more: 1 });
  }
});

describe('I36: canonical JSON', () => {
  test.each<[unknown, string]>([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    [{ a: 'é 😀 \u007f "\\\n' }, '{"a":"\\u00e9 \\ud83d\\ude00 \\u007f \\"\\\\\\n"}'],
    [{ é: 1 }, '{"\\u00e9":1}'],
    ['\ud800', '"\\ud800"'],
    [[], '[]'],
    [null, 'null'],
  ])('I36: writes %o as %s', (value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  test.each<[unknown, string]>([
    [{ a: undefined }, '{"a":undefined}'],
    [{ a: 7n }, '{"a":7n}'],
    [[1, , 3], '[1,undefined,3]'],
    [{ a: new Date(7) }, '{"a":Date(7)}'],
    [{ a: new Date(Number.NaN) }, '{"a":Date(NaN)}'],
    [Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
  ])('writes %o, which a host made of the arguments, as %s', (value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });

  test.each([
    [new Map([['a', 1]])],
    [new Set(['a'])],
    [new URL('a:b')],
    [Symbol('a')],
    [() => 'a'],
    [/^pay (\w+)/.exec('pay bob and then eve')],
    [Object.assign(['a'], { [Symbol('b')]: 'c' })],
    [Object.assign(Array(3), { more: 'a' })],
    [{ [Symbol('a')]: 'b' }],
    [Object.defineProperty({}, 'a', { value: 'b' })],
  ])('refuses %o, which would look like another one', (value) => {
    expect(() => canonicalJson({ a: value })).toThrow(
      new TypeError(
        'The arguments contain a value that is neither JSON nor a Date nor a bigint, so the call cannot ask.',
      ),
    );
  });

  test('refuses a copy, too, of what it would refuse', () => {
    const match = /^pay (\w+)/.exec('pay bob and then eve');
    expect(() => canonicalJson(copyOf({ a: match }))).toThrow(TypeError);
  });

  test('I36: sorts keys by code point, not by UTF-16 unit', () => {
    // U+FF61 comes before U+1F600, whose first unit is smaller.
    const value = { '\u{1f600}': 1, '\uff61': 2, z: 3, '': 4, ab: 5, a: 6, '\ud800': 7 };
    expect(canonicalJson(value)).toBe(
      '{"":4,"a":6,"ab":5,"z":3,"\\ud800":7,"\\uff61":2,"\\ud83d\\ude00":1}',
    );
  });

  test('I36: sorts keys that begin alike by the first code point that differs', () => {
    const sorted = [
      ['', '\0', 'a', 'a\0', 'ab'],
      [
        'a\ud83d',
        'a\ud83da',
        'a\ud83dz',
        'a\uff61',
        'a\u{1f600}',
        'a\u{1f600}b',
        'a\u{1f601}',
        'b',
      ],
      ['\ud800', '\ud800\uff61', '\udbff\uff61', '\udc00', '\uff61', '\u{10000}', '\u{10ffff}'],
    ].flat();
    const shuffled = sorted.map((key, index) => [key, index]).reverse();
    expect(canonicalJson(Object.fromEntries(shuffled))).toMatch(
      new RegExp(`^[^:]*${sorted.map((_, index) => `:${index}`).join('[^:]*')}}$`),
    );
  });

  test('I36: sorts keys that have only surrogates by code point, too', () => {
    expect(canonicalJson({ '\u{10000}': 1, '\udc00': 2 })).toBe('{"\\udc00":2,"\\ud800\\udc00":1}');
  });

  test('I36: sorts keys that look like integers as strings', () => {
    expect(canonicalJson({ 10: 'ten', 9: 'nine', 1: 'one' })).toBe(
      '{"1":"one","10":"ten","9":"nine"}',
    );
  });

  test.each([
    ['1.0', '1'],
    ['1e21', '1e+21'],
    ['100000000000000000000', '100000000000000000000'],
    ['0.1', '0.1'],
    ['1E-7', '1e-7'],
    ['12345678901234567890', '12345678901234567000'],
  ])('I36: writes the number %s as JSON.stringify does: %s', (json, expected) => {
    expect(canonicalJson(parsed(json))).toBe(expected);
  });

  test('I36: keeps the sign of zero', () => {
    const written = ['[-0]', '[-0.0]', '[-0e3]', '[-1e-400]'].map((json) =>
      canonicalJson(parsed(json)),
    );
    expect(new Set(written)).toEqual(new Set(['[-0]']));
  });

  test('I36: keeps a number that is too large for a double apart from null, whatever its sign', () => {
    const written = ['[1e400]', '[-1e400]', '[null]'].map((json) => canonicalJson(parsed(json)));
    expect(written).toEqual(['[Infinity]', '[-Infinity]', '[null]']);
    expect(canonicalJson([NaN])).toBe('[NaN]');
  });
});

describe('the depth check', () => {
  const nested = (levels: number, array: boolean): unknown => {
    const [open, close] = array ? ['[', ']'] : ['{"a":', '}'];
    return parsed(`${open.repeat(levels)}${array ? '' : 1}${close.repeat(levels)}`);
  };

  test.each([true, false])('accepts 256 levels and refuses 257 (arrays: %s)', (array) => {
    expect(isTooDeep(nested(256, array))).toBe(false);
    expect(isTooDeep(nested(257, array))).toBe(true);
  });

  test('refuses 20,000 levels without a stack overflow', () => {
    expect(isTooDeep(nested(20_000, true))).toBe(true);
    expect(isTooDeep(nested(20_000, false))).toBe(true);
  });

  test('accepts values that are neither objects nor arrays', () => {
    for (const value of [undefined, null, 'x', 7, true]) expect(isTooDeep(value)).toBe(false);
  });
});
