/** The request, the time and the audience that a token is bound to, through real servers. */
import { confirm, defineTool, requestStateSeal, resolver } from 'mcp-resolve';
import type { RequestStateSeal } from 'mcp-resolve';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import { serving } from '../support/servers.js';
import {
  ACCEPT,
  acceptQuestion,
  ask,
  createSeal,
  desk,
  endOf,
  expectFrozen,
  layers,
  moments,
  overHttp,
  overStdio,
  retry,
  type Seen,
  STAGING,
  tokenOf,
  useFixedDate,
} from './desk.js';
import { went } from './went.js';

const NOW = 1_767_225_600_500;

useFixedDate(NOW);

type Claims = Record<string, unknown>;

async function claimsIn(seal: RequestStateSeal, token: string): Promise<Claims> {
  const bytes = await seal['~policy'].codec.unseal(token);
  return JSON.parse(Buffer.from(bytes).toString()) as Claims;
}

async function forged(seal: RequestStateSeal, claims: unknown): Promise<string> {
  return seal['~policy'].codec.seal(Buffer.from(JSON.stringify(claims)));
}

describe('I30: the envelope', () => {
  test('I30: of a hand-written state has exactly the documented claims', async () => {
    const { seal } = createSeal();
    const token = await ask(overHttp(desk({ seal })));
    expect(await claimsIn(seal, token)).toEqual({
      v: 1,
      iat: 1_767_225_600.5,
      exp: 1_767_226_200.5,
      m: 'tools/call',
      t: 'deploy',
      a: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/) as string,
      s: 'awaiting-confirm',
      aud: 'desk',
    });
  });

  test('I30, I36: of a resource has its uri and the digest of empty arguments', async () => {
    const { seal } = createSeal();
    const reply = await overHttp(desk({ seal }))('resources/read', { uri: 'desk://rooms/7' });
    expect(await claimsIn(seal, tokenOf(reply))).toMatchObject({
      m: 'resources/read',
      t: 'desk://rooms/7',
      a: 'RBNvo1WzZ4oRRq0W9-hkng',
    });
  });

  test('I36: has the documented digest for the arguments {"env":"prod"}', async () => {
    const { seal } = createSeal();
    const prod = { name: 'deploy', arguments: { env: 'prod' } };
    const token = await ask(overHttp(desk({ seal })), prod);
    expect(await claimsIn(seal, token)).toHaveProperty('a', '_fZbwPys4tn6ogEHRin4tQ');
  });

  test('I30: of a tool with resolvers has the record of the call in s, and says that it is one', async () => {
    const { seal } = createSeal();
    const send = overHttp(serving([went], { seal }));
    const { s, ...claims } = await claimsIn(seal, await ask(send, { name: 'went' }));
    expect(Object.keys(claims).sort()).toEqual(['a', 'aud', 'exp', 'iat', 'm', 'r', 't', 'v']);
    expect(claims.r).toBe(1);
    expect(JSON.parse(s as string)).toEqual({
      v: 8,
      id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/) as string,
      definition: 'tools/call went',
      args: 'RBNvo1WzZ4oRRq0W9-hkng',
      start: 1_767_225_600.5,
      deadline: 1_767_229_200.5,
      outcomes: {},
      asked: { confirm: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/) as string },
    });
  });
});

describe('I31, I32: the lifetime of a token', () => {
  test.each([
    [599, 'is valid'],
    [599.999, 'is valid'],
    [600, 'is refused'],
    [601, 'is refused'],
    [-30, 'is valid'],
    [-60, 'is valid'],
    [-61, 'is refused'],
    [-120, 'is refused'],
  ])('I31, I32: %d seconds after its mint time it %s', async (seconds, expected) => {
    const { seal } = createSeal();
    const send = overHttp(desk({ seal }));
    const token = await ask(send);
    vi.setSystemTime(NOW + seconds * 1000);
    const reply = await retry(send, token);
    if (expected === 'is valid') expect(endOf(reply)).toBe('deployed to staging');
    else expectFrozen(reply);
  });

  test('I31: a token that is minted at x.9 for half a second lasts that half second', async () => {
    vi.setSystemTime(1_767_225_600_900);
    const { seal } = createSeal({ ttlSeconds: 0.5 });
    const send = overHttp(desk({ seal }));
    const token = await ask(send);
    vi.setSystemTime(1_767_225_601_399);
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
    vi.setSystemTime(1_767_225_601_401);
    expectFrozen(await retry(send, token));
  });

  test.each<[string, Claims]>([
    ['exp as a string', { exp: '9999999999' }],
    ['exp of null', { exp: null }],
    ['iat as a string', { iat: '1767225600' }],
    ['iat of NaN, written as null', { iat: NaN }],
    ['another version', { v: 2 }],
    ['a state that is not a string', { s: { a: 1 } }],
    ['no state', { s: undefined }],
  ])('I33: the server refuses an authenticated envelope with %s', async (_, change) => {
    const { seal, logged } = createSeal();
    const seen: Seen = [];
    const send = overHttp(desk({ seal, seen }));
    const claims = await claimsIn(seal, await ask(send));
    expectFrozen(await retry(send, await forged(seal, { ...claims, ...change })));
    expect(logged).toEqual(['requestState rejected on tools/call: malformed']);
    expect(seen).toHaveLength(1);
    expect(endOf(await retry(send, await forged(seal, claims)))).toBe('deployed to staging');
  });

  test.each(['not JSON', '', '7', 'null', '[]', '"awaiting-confirm"'])(
    'I33: the server refuses an authenticated token with the content %j',
    async (text) => {
      const { seal } = createSeal();
      const token = await seal['~policy'].codec.seal(Buffer.from(text));
      expectFrozen(await retry(overHttp(desk({ seal })), token));
    },
  );

  test('I34: every round has a new token with its own lifetime', async () => {
    const { seal } = createSeal();
    const sure = resolver({}, () => confirm('Go?'), { asks: 'form', name: 'confirm' });
    const really = resolver({ sure }, () => confirm('Really?'), { asks: 'form', name: 'really' });
    const tool = defineTool('went', { resolve: { really } }, () => 'went');
    const send = overHttp(serving([tool], { seal }));
    const first = await ask(send, { name: 'went' });
    vi.setSystemTime(NOW + 5000);
    const second = tokenOf(await retry(send, first, { name: 'went' }));
    expect(second).not.toBe(first);
    expect(await claimsIn(seal, first)).toMatchObject({ iat: 1_767_225_600.5 });
    expect(await claimsIn(seal, second)).toMatchObject({
      iat: 1_767_225_605.5,
      exp: 1_767_226_205.5,
    });
    vi.setSystemTime(NOW + 604_000);
    expectFrozen(await retry(send, first, { name: 'went' }));
    expect(endOf(await acceptQuestion(send, 'really', second))).toBe('went');
  });
});

describe.each(layers)('on %s', (layer) => {
  describe.each(moments)('protected %s its handlers are set', (when) => {
    const open = () => {
      const { seal, logged } = createSeal();
      return { send: overHttp(desk({ layer, when, seal })), logged };
    };

    test('I35: a token is valid only for its tool, arguments and method', async () => {
      const { send } = open();
      const token = await ask(send);
      expectFrozen(await retry(send, token, { ...STAGING, name: 'other' }));
      expectFrozen(await retry(send, token, { ...STAGING, arguments: { env: 'production' } }));
      expectFrozen(await retry(send, token, { name: 'deploy' }));
      expectFrozen(
        await send('prompts/get', { ...STAGING, inputResponses: ACCEPT, requestState: token }),
      );
      expect(endOf(await retry(send, token))).toBe('deployed to staging');
    });

    test('I35: a token of a resource is valid only for its uri, whatever name the request has', async () => {
      const { send } = open();
      const decoy = { name: 'decoy' };
      const seven = { uri: 'desk://rooms/7', ...decoy };
      const token = tokenOf(await send('resources/read', seven));
      const answered = { inputResponses: ACCEPT, requestState: token };
      expectFrozen(await send('resources/read', { uri: 'desk://rooms/8', ...decoy, ...answered }));
      const end = await send('resources/read', { ...seven, ...answered });
      expect(endOf(end)).toBe('deployed to desk://rooms/7');
    });

    test('I36: a token of a resource does not depend on arguments', async () => {
      const { send } = open();
      const uri = 'desk://rooms/7';
      const token = tokenOf(await send('resources/read', { uri, arguments: { a: 1 } }));
      const end = { uri, arguments: { a: 2 }, inputResponses: ACCEPT, requestState: token };
      expect(endOf(await send('resources/read', end))).toBe('deployed to desk://rooms/7');
    });

    test('I35: a token of a tool is valid only for its name, whatever uri the request has', async () => {
      const { send } = open();
      const token = await ask(send, { ...STAGING, uri: 'desk://a' });
      expectFrozen(await retry(send, token, { ...STAGING, name: 'other', uri: 'desk://a' }));
      const end = await retry(send, token, { ...STAGING, uri: 'desk://b' });
      expect(endOf(end)).toBe('deployed to staging');
    });

    test('I36: a token does not depend on the order of keys at any depth', async () => {
      const { send } = open();
      const one = '{"env":"staging","plan":{"steps":[{"id":1,"do":"x"}],"by":"me"}}';
      const two = '{"plan":{"by":"me","steps":[{"do":"x","id":1}]},"env":"staging"}';
      const asked = (json: string) => ({
        name: 'deploy',
        arguments: JSON.parse(json) as Record<string, unknown>,
      });
      const token = await ask(send, asked(one));
      expect(endOf(await retry(send, token, asked(two)))).toBe('deployed to staging');
      expectFrozen(await retry(send, token, asked(one.replace('"id":1', '"id":2'))));
    });

    test('Z7: a token of the argument 0 is refused for -0, and the other way round', async () => {
      const { send } = open();
      const zero = { name: 'deploy', arguments: { env: 'staging', steps: [{ by: 0 }] } };
      // `JSON.stringify` writes -0 as 0.
      const rewrite = (message: string) => message.replace('"by":0', '"by":-0');
      const answered = (token: string) => ({
        ...zero,
        inputResponses: ACCEPT,
        requestState: token,
      });

      const ofZero = await ask(send, zero);
      const ofMinusZero = tokenOf(await send('tools/call', zero, { rewrite }));
      expectFrozen(await send('tools/call', answered(ofZero), { rewrite }));
      expectFrozen(await send('tools/call', answered(ofMinusZero)));
      expect(endOf(await send('tools/call', answered(ofZero)))).toBe('deployed to staging');
      const end = await send('tools/call', answered(ofMinusZero), { rewrite });
      expect(endOf(end)).toBe('deployed to staging');
    });

    test('I36: a token is valid for absent and for empty arguments', async () => {
      const { send } = open();
      const absent = await ask(send, { name: 'deploy' });
      const empty = { name: 'deploy', arguments: {} };
      expect(endOf(await retry(send, absent, empty))).toBe('deployed to nowhere');
      const end = await retry(send, await ask(send, empty), { name: 'deploy' });
      expect(endOf(end)).toBe('deployed to nowhere');
    });

    test('I36: a token does not depend on metadata, progress tokens and answers', async () => {
      const { send } = open();
      const token = await ask(send, { ...STAGING, _meta: { progressToken: 'a', 'acme/x': 1 } });
      const params = { ...STAGING, _meta: { progressToken: 'b', 'acme/y': 2 } };
      expect(endOf(await retry(send, token, params))).toBe('deployed to staging');
      const declined = { inputResponses: { confirm: { action: 'decline' } }, requestState: token };
      const end = await send('tools/call', { ...STAGING, ...declined });
      expect(endOf(end)).toBe('deployment to staging cancelled');
    });

    test('I36: a token depends on a nested property __proto__, but not on one at the top level', async () => {
      const { send } = open();
      const withArguments = (json: string) => ({
        name: 'deploy',
        arguments: JSON.parse(json) as Record<string, unknown>,
      });
      const top = withArguments('{"env":"staging","__proto__":{"x":1}}');
      const token = await ask(send, top);
      expect(endOf(await retry(send, token))).toBe('deployed to staging');
      expect(endOf(await retry(send, await ask(send), top))).toBe('deployed to staging');

      const nested = withArguments('{"env":"staging","a":{"__proto__":{"x":1}}}');
      const bound = await ask(send, nested);
      expect(endOf(await retry(send, bound, nested))).toBe('deployed to staging');
      expectFrozen(await retry(send, bound, withArguments('{"env":"staging","a":{}}')));
      expectFrozen(
        await retry(send, bound, withArguments('{"env":"staging","a":{"__proto__":{"x":2}}}')),
      );
    });

    test.each(['\ud800', '\udfff'])(
      'I45: a token distinguishes lone surrogates in arguments (%j)',
      async (surrogate) => {
        const { send } = open();
        const params = (char: string) => ({ name: 'deploy', arguments: { env: `a${char}b` } });
        const token = await ask(send, params(surrogate));
        for (const other of ['\ud801', '\udffe', '\ufffd', ''])
          expectFrozen(await retry(send, token, params(other)));
        expect(endOf(await retry(send, token, params(surrogate)))).toContain('deployed to a');
      },
    );
  });
});

describe('I35, I36: a token of a tool with resolvers', () => {
  test('I36: depends on the raw arguments, not on generated defaults', async () => {
    let generated = 0;
    const tool = defineTool(
      'went',
      {
        inputSchema: z.object({
          env: z.string().transform((env) => `${env}!`),
          stamp: z.number().default(() => (generated += 1)),
        }),
        resolve: { sure: resolver({}, () => confirm('Go?'), { asks: 'form', name: 'confirm' }) },
      },
      ({ env, stamp }) => `${env} ${stamp}`,
    );
    const { seal } = createSeal();
    const send = overStdio(serving([tool], { seal }));
    const params = { name: 'went', arguments: { env: 'staging' } };
    const token = await ask(send, params);
    expectFrozen(await retry(send, token, { name: 'went', arguments: { env: 'staging!' } }));
    const before = generated;
    expect(endOf(await retry(send, token, params))).toBe(`staging! ${generated}`);
    expect(generated).toBeGreaterThan(before);
  });
});

describe('I37: the audience', () => {
  test('I37: separates servers with the same key', async () => {
    const { seal: billing } = createSeal({ audience: 'billing' });
    const { seal: payments, logged } = createSeal({ audience: 'payments' });
    const token = await ask(overHttp(desk({ seal: billing })));
    expectFrozen(await retry(overHttp(desk({ seal: payments })), token));
    expect(logged).toEqual(['requestState rejected on tools/call: audience']);
  });

  test('I37: takes precedence over the name of the server', async () => {
    const one = overHttp(desk({ name: 'one', seal: createSeal({ audience: 'prod-fleet' }).seal }));
    const two = overHttp(desk({ name: 'two', seal: createSeal({ audience: 'prod-fleet' }).seal }));
    expect(endOf(await retry(two, await ask(one)))).toBe('deployed to staging');
  });

  test('I37: defaults to the name of the server', async () => {
    const seal = requestStateSeal.ephemeral({ logger: { warn: () => undefined } });
    const token = await ask(overHttp(desk({ name: 'billing', seal })));
    expect(await claimsIn(seal, token)).toHaveProperty('aud', 'billing');
    expectFrozen(await retry(overHttp(desk({ name: 'payments', seal })), token));
    expect(endOf(await retry(overHttp(desk({ name: 'billing', seal })), token))).toBe(
      'deployed to staging',
    );
  });

  test('I37: must be present or absent at both servers', async () => {
    const seal = requestStateSeal.ephemeral({ logger: { warn: () => undefined } });
    const named = overHttp(desk({ name: 'billing', seal }));
    const nameless = overHttp(desk({ name: '', seal }));
    const [one, two] = [await ask(named), await ask(nameless)];
    expect(await claimsIn(seal, two)).not.toHaveProperty('aud');
    expectFrozen(await retry(nameless, one));
    expectFrozen(await retry(named, two));
    expect(endOf(await retry(nameless, two))).toBe('deployed to staging');
  });

  test('I38: is not necessary for the default seal on a server without a name', async () => {
    const send = overStdio(desk({ name: '' }));
    expect(endOf(await retry(send, await ask(send)))).toBe('deployed to staging');
  });
});

describe('I45: a state with lone surrogates', () => {
  test.each(['\ud800', 'a\udfffb', '\udc00\ud800', '😀\ud83d'])(
    'I45: is restored exactly: %j',
    async (state) => {
      const seen: Seen = [];
      const { seal } = createSeal();
      const send = overHttp(desk({ seal, seen, state }));
      expect(endOf(await retry(send, await ask(send)))).toBe('deployed to staging');
      expect(seen[1]).toEqual(['staging', state]);
    },
  );
});

test('I46: a client can use a valid token again for the same request', async () => {
  const seen: Seen = [];
  const { seal } = createSeal();
  const send = overHttp(desk({ seal, seen }));
  const token = await ask(send);
  expect(endOf(await retry(send, token))).toBe('deployed to staging');
  expect(endOf(await retry(send, token))).toBe('deployed to staging');
  expect(seen).toHaveLength(3);
});
