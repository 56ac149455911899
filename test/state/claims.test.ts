/** The claims inside a token, checked against the request that returns it. */
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
  const bytes = await writeClaims({ state: 'awaiting-confirm', isRecord: false }, 600, {
    ...context,
    ...changes,
  });
  return JSON.parse(Buffer.from(bytes).toString()) as Claims;
}

/** Reads claims and returns the state, or the reason why they are refused. */
async function readOrReason(
  claims: Claims | string | Uint8Array,
  changes: Partial<ClaimContext> = {},
): Promise<string> {
  const bytes =
    claims instanceof Uint8Array
      ? claims
      : Buffer.from(typeof claims === 'string' ? claims : JSON.stringify(claims));
  try {
    return `state ${(await readClaims(bytes, { ...context, ...changes })).state}`;
  } catch (error) {
    if (!(error instanceof InvalidRequestStateError)) throw error;
    return error.message;
  }
}

const ACCEPTED = 'state awaiting-confirm';

describe('I30: the envelope', () => {
  test('I30: has exactly the documented properties', async () => {
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

  test('I30: has an audience and a principal only if the server knows them', async () => {
    const claims = await claimsOf({ audience: 'desk', principal: 'alice' });
    expect(Object.keys(claims).sort()).toEqual(
      ['v', 'iat', 'exp', 'm', 't', 'a', 's', 'aud', 'p'].sort(),
    );
    expect(claims.aud).toBe('desk');
    expect(claims.p).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });

  test('I30: returns the state that was written', async () => {
    expect(await readOrReason(await claimsOf())).toBe(ACCEPTED);
  });

  test.each([true, false])(
    'I30: tells the record of a call from the state of a handler: %s',
    async (isRecord) => {
      const bytes = await writeClaims({ state: 'awaiting-confirm', isRecord }, 600, context);
      expect(await readClaims(bytes, context)).toEqual({
        state: 'awaiting-confirm',
        isRecord,
        issuedAt: NOW,
      });
    },
  );

  test('I45: restores a state with lone surrogates exactly', async () => {
    const bytes = await writeClaims({ state: 'a\ud800b\udfffc', isRecord: false }, 600, context);
    expect((await readClaims(bytes, context)).state).toBe('a\ud800b\udfffc');
  });
});

describe('I31: a token with a lifetime of 600 seconds', () => {
  test.each([
    [0, ACCEPTED],
    [599, ACCEPTED],
    [599.999, ACCEPTED],
    [600, 'expired'],
    [600.001, 'expired'],
    [601, 'expired'],
  ])('I31: reads after %d seconds as: %s', async (seconds, expected) => {
    expect(await readOrReason(await claimsOf(), { now: NOW + seconds })).toBe(expected);
  });

  test('I31: lasts its full half second if it is minted at x.9 with a lifetime of 0.5', async () => {
    const minted = { ...context, now: 1000.9 };
    const bytes = await writeClaims({ state: 'awaiting-confirm', isRecord: false }, 0.5, minted);
    expect(await readOrReason(bytes, { now: 1001.3 })).toBe(ACCEPTED);
    expect(await readOrReason(bytes, { now: 1001.41 })).toBe('expired');
  });
});

describe('I32: a token from a server whose clock runs ahead', () => {
  test.each([
    [-30, ACCEPTED],
    [-60, ACCEPTED],
    [-60.001, 'minted in the future'],
    [-120, 'minted in the future'],
  ])('I32: reads %d seconds after its mint time as: %s', async (seconds, expected) => {
    expect(await readOrReason(await claimsOf(), { now: NOW + seconds })).toBe(expected);
  });
});

describe('I33: an invalid envelope', () => {
  test.each([
    ['text that is not JSON', 'awaiting-confirm'],
    ['an empty string', ''],
    ['a JSON string', '"awaiting-confirm"'],
    ['a number', '1'],
    ['null', 'null'],
    ['an array', '[]'],
    ['an empty object', '{}'],
  ])('I33: is malformed if it is %s', async (_, text) => {
    expect(await readOrReason(text)).toBe('malformed');
  });

  test('I33: is malformed if its state is not UTF-8', async () => {
    const bytes = Buffer.from(JSON.stringify(await claimsOf({})));
    bytes[bytes.indexOf('awaiting')] = 0xff;
    expect(await readOrReason(bytes)).toBe('malformed');
  });

  test('I33: is malformed if its bytes are not UTF-8', async () => {
    expect(await readOrReason(Uint8Array.of(0x22, 0xff, 0xfe, 0x22))).toBe('malformed');
  });

  test.each(['v', 'iat', 'exp', 's'])('I33: is malformed without the claim %s', async (name) => {
    const { [name]: _, ...rest } = await claimsOf();
    expect(await readOrReason(rest)).toBe('malformed');
  });

  test.each(['m', 't', 'a'])('I33: belongs to no request without the claim %s', async (name) => {
    const { [name]: _, ...rest } = await claimsOf();
    expect(await readOrReason(rest)).toBe('request binding');
  });

  test.each([0, 2, '1', null, true, [1]])('I33: is malformed with version %o', async (v) => {
    expect(await readOrReason({ ...(await claimsOf()), v })).toBe('malformed');
  });

  test.each([null, 7, true, { a: 1 }, ['awaiting-confirm']])(
    'I33: is malformed with the state %o',
    async (s) => {
      expect(await readOrReason({ ...(await claimsOf()), s })).toBe('malformed');
    },
  );

  describe.each(['iat', 'exp'])('with an invalid time %s', (name) => {
    test.each([String(NOW), null, true, [NOW], { now: NOW }, NaN, ''])(
      'I33: is malformed if the time is %o',
      async (time) => {
        // JSON has no NaN: it is written as null.
        expect(await readOrReason({ ...(await claimsOf()), [name]: time })).toBe('malformed');
      },
    );
  });

  test.each([
    ['exp', '1e999'],
    ['iat', '-1e999'],
    ['iat', '1e999'],
    ['exp', '-1e999'],
  ])('I33: is refused with the infinite time %s: %s', async (name, time) => {
    const text = JSON.stringify({ ...(await claimsOf()), [name]: 'HERE' });
    expect(await readOrReason(text.replace('"HERE"', time))).not.toBe(ACCEPTED);
  });
});

describe('I35: a token for one request', () => {
  test.each([
    ['another method', { method: 'prompts/get' }],
    ['another target', { target: 'destroy' }],
    ['other arguments', { args: 'RBNvo1WzZ4oRRq0W9-hkng' }],
  ])('I35: is refused for %s', async (_, change) => {
    const binding = { ...context.binding, ...change };
    expect(await readOrReason(await claimsOf(), { binding })).toBe('request binding');
  });
});

describe('I37: a token for one audience', () => {
  test.each([
    ['desk', 'desk', ACCEPTED],
    ['desk', 'shop', 'audience'],
    ['desk', undefined, 'audience'],
    [undefined, 'desk', 'audience'],
    [undefined, undefined, ACCEPTED],
  ])('I37: minted for %s and read by %s has the result: %s', async (minted, seen, expected) => {
    expect(await readOrReason(await claimsOf({ audience: minted }), { audience: seen })).toBe(
      expected,
    );
  });

  test('I37: is refused if its audience is null and the reader has none', async () => {
    expect(await readOrReason({ ...(await claimsOf()), aud: null })).toBe('audience');
  });
});

describe('I39, I41: a token for one principal', () => {
  test.each([
    ['alice', 'alice', ACCEPTED],
    ['alice', 'bob', 'principal'],
    ['alice', undefined, 'principal drift'],
    [undefined, 'alice', 'principal drift'],
    [undefined, undefined, ACCEPTED],
  ])(
    'I39, I41: minted for %s and returned by %s has the result: %s',
    async (minted, brought, expected) => {
      const claims = await claimsOf({ principal: minted });
      expect(await readOrReason(claims, { principal: brought })).toBe(expected);
    },
  );

  test.each(['A', '', 'not base64!', 7, { x: 1 }, true, ['x'], `${'A'.repeat(32)}=`])(
    'I42: is refused with the forged claim %o',
    async (p) => {
      expect(await readOrReason({ ...(await claimsOf()), p }, { principal: 'alice' })).toBe(
        'principal',
      );
    },
  );

  test('I41, I42: is refused with a claim of null, for a principal and for none', async () => {
    const claims = { ...(await claimsOf()), p: null };
    expect(await readOrReason(claims, { principal: 'alice' })).toBe('principal');
    expect(await readOrReason(claims)).toBe('principal drift');
  });
});
