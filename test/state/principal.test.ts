/** The claim about whose state it is, and who that is by default. */
import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';

import {
  authenticatedPrincipal,
  bindsPrincipal,
  principalClaim,
} from '../../src/state/principal.js';
import { Warnings } from '../../src/state/warnings.js';

describe('I42: the claim', () => {
  test('I42: for alice under a salt of zeros is the known one', async () => {
    const claim = await principalClaim('alice', new Uint8Array(8));
    expect(claim).toBe('AAAAAAAAAACt4TExT2c1Y6i6rpA-02TF');
    expect(await bindsPrincipal(claim, 'alice')).toBe(true);
  });

  test('I42: is salted anew each time, so that two of one person cannot be linked', async () => {
    const [one, two] = [await principalClaim('alice'), await principalClaim('alice')];
    expect(one).not.toBe(two);
    expect(one.slice(11)).not.toBe(two.slice(11));
    expect(await bindsPrincipal(one, 'alice')).toBe(true);
    expect(await bindsPrincipal(two, 'alice')).toBe(true);
    expect(await bindsPrincipal(one, 'bob')).toBe(false);
  });

  test.each([
    'A',
    '',
    7,
    null,
    undefined,
    { x: 1 },
    'AAAAAAAAAACt4TExT2c1Y6i6rpA-02TF=',
    'AAAAAAAAAACt4TExT2c1Y6i6rpA-02TFAAAA',
    'AAAAAAAAAACt4TExT2c1Y6i6rpA',
    'AAAAAAAAAACt4TExT2c1Y6i6rpA-02TG',
  ])('I42: %o binds nobody', async (claim) => {
    expect(await bindsPrincipal(claim, 'alice')).toBe(false);
  });

  test.each([
    ['\ud800', '\udfff'],
    ['\ud800', '\ufffd'],
    ['a\ud800b', 'a\udc00b'],
    ['\udc00\ud800', '\ud800\udc00'],
    ['é', 'e\u0301'],
    ['', ' '],
  ])('I45: tells the principals %j and %j apart', async (one, two) => {
    const claim = await principalClaim(one);
    expect(await bindsPrincipal(claim, one)).toBe(true);
    expect(await bindsPrincipal(claim, two)).toBe(false);
  });
});

describe('I40: the default principal', () => {
  const said: string[] = [];
  const warnings = Warnings.of({ warn: (message) => said.push(message) });
  const principalWith = (authInfo?: Partial<AuthInfo>): string | undefined =>
    authenticatedPrincipal(
      { mcpReq: {}, ...(authInfo && { http: { authInfo } }) } as unknown as ServerContext,
      warnings,
    );

  test.each<[Partial<AuthInfo>, string]>([
    [
      { clientId: 'client-123', extra: { iss: 'https://id.test', sub: 'alice' } },
      '["client-123","https://id.test","alice"]',
    ],
    [{ clientId: 'client-123', extra: { sub: 'alice' } }, '["client-123",null,"alice"]'],
    [{ clientId: 'client-123', extra: {} }, '["client-123",null,null]'],
    [{ clientId: 'client-123' }, '["client-123",null,null]'],
    [{ clientId: 'client-123', extra: { sub: 7, iss: {} } }, '["client-123",{},7]'],
    [{ clientId: 'a","b', extra: { sub: 'c' } }, '["a\\",\\"b",null,"c"]'],
  ])('I40: of %o is %s', (authInfo, expected) => {
    expect(principalWith(authInfo)).toBe(expected);
  });

  test('I40: is nobody where no token was validated', () => {
    expect(principalWith()).toBeUndefined();
  });

  test('I40: the token is not part of it', () => {
    expect(principalWith({ token: 'secret-bearer', clientId: 'c', extra: { sub: 's' } })).toBe(
      '["c",null,"s"]',
    );
  });

  test('I40: a missing subject was warned of once', () => {
    expect(said).toEqual([
      "a validated token has no subject (authInfo.extra.sub), so all users of one OAuth client count as one person; have the token verifier supply 'sub', or give requestStateSeal a 'principal'",
    ]);
  });
});
