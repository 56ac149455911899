/** The claims inside a token, held against the request that brings it back. */
import { InvalidRequestStateError } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';

import { readClaims, writeClaims } from '../../src/state/claims.js';
import type { ClaimContext } from '../../src/state/claims.js';

const NOW = 1_767_225_600.5;

const context: ClaimContext = {
  binding: { method: 'tools/call', target: 'deploy', args: '_fZbwPys4tn6ogEHRin4tQ' },
  audience: undefined,
  principal: undefined,
  now: NOW,
};

type Claims = Record<string, unknown>;

async function claimsOf(changes: Partial<ClaimContext> = {}): Promise<Claims> {
  const bytes = await writeClaims('awaiting-confirm', 600, { ...context, ...changes });
  return JSON.parse(Buffer.from(bytes).toString()) as Claims;
}

/** How claims read: the state, or the reason for which they are refused. */
async function reading(
  claims: Claims | string | Uint8Array,
  changes: Partial<ClaimContext> = {},
): Promise<string> {
  const bytes =
    claims instanceof Uint8Array
      ? claims
      : Buffer.from(typeof claims === 'string' ? claims : JSON.stringify(claims));
  try {
    return `state ${await readClaims(bytes, { ...context, ...changes })}`;
  } catch (error) {
    if (!(error instanceof InvalidRequestStateError)) throw error;
    return error.message;
  }
}

const ACCEPTED = 'state awaiting-confirm';

describe('I30: the envelope', () => {
  test('I30: has exactly the documented members', async () => {
    expect(await claimsOf()).toEqual({
      v: 1,
      iat: 1_767_225_600.5,
      exp: 1_767_226_200.5,
      m: 'tools/call',
      t: 'deploy',
      a: '_fZbwPys4tn6ogEHRin4tQ',
      s: 'awaiting-confirm',
    });
  });

  test('I30: has an audience and a principal only where there are such', async () => {
    const claims = await claimsOf({ audience: 'desk', principal: 'alice' });
    expect(Object.keys(claims).sort()).toEqual(
      ['v', 'iat', 'exp', 'm', 't', 'a', 's', 'aud', 'p'].sort(),
    );
    expect(claims.aud).toBe('desk');
    expect(claims.p).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });

  test('I30: reads back what it was written with', async () => {
    expect(await reading(await claimsOf())).toBe(ACCEPTED);
  });

  test('I45: a state with lone surrogates is restored exactly', async () => {
    const bytes = await writeClaims('a\ud800b\udfffc', 600, context);
    expect(await readClaims(bytes, context)).toBe('a\ud800b\udfffc');
  });
});

describe('I31: expiry', () => {
  test.each([
    [0, ACCEPTED],
    [599, ACCEPTED],
    [599.999, ACCEPTED],
    [600, 'expired'],
    [600.001, 'expired'],
    [601, 'expired'],
  ])('I31: after %d of 600 seconds: %s', async (seconds, expected) => {
    expect(await reading(await claimsOf(), { now: NOW + seconds })).toBe(expected);
  });

  test('I31: half a second minted at x.9 lives its full half second', async () => {
    const minted = { ...context, now: 1000.9 };
    const bytes = await writeClaims('awaiting-confirm', 0.5, minted);
    expect(await reading(bytes, { now: 1001.3 })).toBe(ACCEPTED);
    expect(await reading(bytes, { now: 1001.41 })).toBe('expired');
  });
});

describe('I32: a clock that runs ahead', () => {
  test.each([
    [-30, ACCEPTED],
    [-60, ACCEPTED],
    [-60.001, 'minted in the future'],
    [-120, 'minted in the future'],
  ])('I32: a token seen %d seconds from its mint: %s', async (seconds, expected) => {
    expect(await reading(await claimsOf(), { now: NOW + seconds })).toBe(expected);
  });
});

describe('I33: what is no envelope', () => {
  test.each([
    ['no JSON', 'awaiting-confirm'],
    ['nothing', ''],
    ['a text', '"awaiting-confirm"'],
    ['a number', '1'],
    ['null', 'null'],
    ['a list', '[]'],
    ['an empty object', '{}'],
  ])('I33: %s is malformed', async (_, text) => {
    expect(await reading(text)).toBe('malformed');
  });

  test('I33: bytes that are not UTF-8 are malformed', async () => {
    expect(await reading(Uint8Array.of(0x22, 0xff, 0xfe, 0x22))).toBe('malformed');
  });

  test.each(['v', 'iat', 'exp', 's'])('I33: an envelope without %s is malformed', async (name) => {
    const { [name]: _, ...rest } = await claimsOf();
    expect(await reading(rest)).toBe('malformed');
  });

  test.each(['m', 't', 'a'])('I33: an envelope without %s is of no request', async (name) => {
    const { [name]: _, ...rest } = await claimsOf();
    expect(await reading(rest)).toBe('request binding');
  });

  test.each([0, 2, '1', null, true, [1]])('I33: version %o is malformed', async (v) => {
    expect(await reading({ ...(await claimsOf()), v })).toBe('malformed');
  });

  test.each([null, 7, true, { a: 1 }, ['awaiting-confirm']])(
    'I33: the state %o is malformed',
    async (s) => {
      expect(await reading({ ...(await claimsOf()), s })).toBe('malformed');
    },
  );

  describe.each(['iat', 'exp'])('the time %s', (name) => {
    test.each([String(NOW), null, true, [NOW], { now: NOW }, NaN, ''])(
      'I33: of %o is refused',
      async (time) => {
        // JSON has no NaN: it is written as null.
        expect(await reading({ ...(await claimsOf()), [name]: time })).toBe('malformed');
      },
    );
  });

  test.each([
    ['exp', '1e999'],
    ['iat', '-1e999'],
    ['iat', '1e999'],
    ['exp', '-1e999'],
  ])('I33: the time %s of %s, which is not finite, is refused', async (name, time) => {
    const text = JSON.stringify({ ...(await claimsOf()), [name]: 'HERE' });
    expect(await reading(text.replace('"HERE"', time))).not.toBe(ACCEPTED);
  });
});

describe('I35: the request', () => {
  test.each([
    ['method', { method: 'prompts/get' }],
    ['target', { target: 'destroy' }],
    ['arguments', { args: 'RBNvo1WzZ4oRRq0W9-hkng' }],
  ])('I35: another %s is refused', async (_, change) => {
    const binding = { ...context.binding, ...change };
    expect(await reading(await claimsOf(), { binding })).toBe('request binding');
  });
});

describe('I37: the audience', () => {
  test.each([
    ['desk', 'desk', ACCEPTED],
    ['desk', 'shop', 'audience'],
    ['desk', undefined, 'audience'],
    [undefined, 'desk', 'audience'],
    [undefined, undefined, ACCEPTED],
  ])('I37: minted for %s, seen by %s: %s', async (minted, seen, expected) => {
    expect(await reading(await claimsOf({ audience: minted }), { audience: seen })).toBe(expected);
  });

  test('I37: an audience of null is not an absent one', async () => {
    expect(await reading({ ...(await claimsOf()), aud: null })).toBe('audience');
  });
});

describe('I39, I41: the principal', () => {
  test.each([
    ['alice', 'alice', ACCEPTED],
    ['alice', 'bob', 'principal'],
    ['alice', undefined, 'principal drift'],
    [undefined, 'alice', 'principal drift'],
    [undefined, undefined, ACCEPTED],
  ])('I39, I41: minted for %s, brought by %s: %s', async (minted, brought, expected) => {
    const claims = await claimsOf({ principal: minted });
    expect(await reading(claims, { principal: brought })).toBe(expected);
  });

  test.each(['A', '', 'not base64!', 7, { x: 1 }, true, ['x'], `${'A'.repeat(32)}=`])(
    'I42: the forged claim %o is refused',
    async (p) => {
      expect(await reading({ ...(await claimsOf()), p }, { principal: 'alice' })).toBe('principal');
    },
  );

  test('I41, I42: a claim of null is refused with a principal and without', async () => {
    const claims = { ...(await claimsOf()), p: null };
    expect(await reading(claims, { principal: 'alice' })).toBe('principal');
    expect(await reading(claims)).toBe('principal drift');
  });
});
