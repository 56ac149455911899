/** The principal claim of a token, and the default principal. */
import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';

import {
  authenticatedPrincipal,
  bindsPrincipal,
  principalClaim,
} from '../../src/state/principal.js';
import type { Logger } from '../../src/log.js';

describe('I42: the principal claim', () => {
  test('I42: matches the documented value for alice with a salt of zeros', async () => {
    const claim = await principalClaim('alice', new Uint8Array(8));
    expect(claim).toBe('AAAAAAAAAACt4TExT2c1Y6i6rpA-02TF');
    expect(await bindsPrincipal(claim, 'alice')).toBe(true);
  });

  test('I42: has a new salt each time, so two claims of one user cannot be linked', async () => {
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
  ])('I42: matches no principal if it is %o', async (claim) => {
    expect(await bindsPrincipal(claim, 'alice')).toBe(false);
  });

  test.each([
    ['\ud800', '\udfff'],
    ['\ud800', '\ufffd'],
    ['a\ud800b', 'a\udc00b'],
    ['\udc00\ud800', '\ud800\udc00'],
    ['é', 'e\u0301'],
    ['', ' '],
  ])('I45: differs between the principals %j and %j', async (one, two) => {
    const claim = await principalClaim(one);
    expect(await bindsPrincipal(claim, one)).toBe(true);
    expect(await bindsPrincipal(claim, two)).toBe(false);
  });
});

describe('I40: the default principal', () => {
  const principalWith = (
    authInfo?: Partial<AuthInfo>,
    logger: Logger = { warn: () => undefined },
  ): string | undefined =>
    authenticatedPrincipal(
      { mcpReq: {}, ...(authInfo && { http: { authInfo } }) } as unknown as ServerContext,
      logger,
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
  ])('I40: for the token %o is %s', (authInfo, expected) => {
    expect(principalWith(authInfo)).toBe(expected);
  });

  test('I40: is undefined without a validated token', () => {
    expect(principalWith()).toBeUndefined();
  });

  test('I40: does not contain the token', () => {
    expect(principalWith({ token: 'secret-bearer', clientId: 'c', extra: { sub: 's' } })).toBe(
      '["c",null,"s"]',
    );
  });

  test('I40: warns once of tokens without a subject', () => {
    const logged: string[] = [];
    const logger = { warn: (message: string) => void logged.push(message) };
    principalWith(undefined, logger);
    principalWith({ clientId: 'c', extra: { sub: 'alice' } }, logger);
    expect(logged).toEqual([]);
    principalWith({ clientId: 'c', extra: {} }, logger);
    principalWith({ clientId: 'c' }, logger);
    expect(logged).toEqual([
      'A validated token has no subject (`authInfo.extra.sub`), so all users of one OAuth client count as one user. Have the token verifier set `sub`, or pass `principal` to requestStateSeal().',
    ]);
  });
});
