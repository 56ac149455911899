/** For which request, for how long and for which service a token holds, through real servers. */
import { McpServer } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import type { RequestStateSeal } from 'mcp-resolve';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';

import {
  ACCEPT,
  ask,
  desk,
  endOf,
  expectFrozen,
  layers,
  moments,
  overHttp,
  overStdio,
  retry,
  sealing,
  type Seen,
  STAGING,
  tokenOf,
} from './desk.js';

const NOW = 1_767_225_600_500;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

type Claims = Record<string, unknown>;

async function claimsIn(seal: RequestStateSeal, token: string): Promise<Claims> {
  const bytes = await seal['~policy'].codec.unseal(token);
  return JSON.parse(Buffer.from(bytes).toString()) as Claims;
}

async function forged(seal: RequestStateSeal, claims: unknown): Promise<string> {
  return seal['~policy'].codec.seal(Buffer.from(JSON.stringify(claims)));
}

describe('I30: the envelope', () => {
  test('I30: of a hand-written state has exactly the documented members', async () => {
    const { seal } = sealing();
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

  test('I30, I36: names uri and the digest of nothing for a resource', async () => {
    const { seal } = sealing();
    const reply = await overHttp(desk({ seal }))('resources/read', { uri: 'desk://rooms/7' });
    expect(await claimsIn(seal, tokenOf(reply))).toMatchObject({
      m: 'resources/read',
      t: 'desk://rooms/7',
      a: 'RBNvo1WzZ4oRRq0W9-hkng',
    });
  });

  test('I36: names the known digest of {"env":"prod"}', async () => {
    const { seal } = sealing();
    const prod = { name: 'deploy', arguments: { env: 'prod' } };
    const token = await ask(overHttp(desk({ seal })), prod);
    expect(await claimsIn(seal, token)).toHaveProperty('a', '_fZbwPys4tn6ogEHRin4tQ');
  });

  test('I30: of resolvers holds the record of the call in s, and nothing else beside', async () => {
    const { seal } = sealing();
    const went = defineTool(
      'went',
      { resolve: { sure: resolver({}, () => confirm('Go?'), { name: 'confirm' }) } },
      () => 'went',
    );
    const send = overHttp(() => {
      const server = new McpServer({ name: 'desk', version: '1.0.0' });
      install(server, [went], { seal });
      return server;
    });
    const { s, ...claims } = await claimsIn(seal, await ask(send, { name: 'went' }));
    expect(Object.keys(claims).sort()).toEqual(['a', 'aud', 'exp', 'iat', 'm', 't', 'v']);
    expect(JSON.parse(s as string)).toEqual({
      v: 4,
      id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/) as string,
      start: 1_767_225_600.5,
      outcomes: {},
      asked: { confirm: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/) as string },
    });
  });
});

describe('I31, I32: time', () => {
  test.each([
    [599, true],
    [599.999, true],
    [600, false],
    [601, false],
    [-30, true],
    [-60, true],
    [-61, false],
    [-120, false],
  ])('I31, I32: seen %d seconds after its mint, a token holds: %s', async (seconds, holds) => {
    const { seal } = sealing();
    const send = overHttp(desk({ seal }));
    const token = await ask(send);
    vi.setSystemTime(NOW + seconds * 1000);
    const reply = await retry(send, token);
    if (holds) expect(endOf(reply)).toBe('deployed to staging');
    else expectFrozen(reply);
  });

  test('I31: half a second that begins at x.9 lasts its half second', async () => {
    vi.setSystemTime(1_767_225_600_900);
    const { seal } = sealing({ ttlSeconds: 0.5 });
    const send = overHttp(desk({ seal }));
    const token = await ask(send);
    vi.setSystemTime(1_767_225_601_399);
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
    vi.setSystemTime(1_767_225_601_401);
    expectFrozen(await retry(send, token));
  });

  test.each<[string, Claims]>([
    ['exp as text', { exp: '9999999999' }],
    ['exp of null', { exp: null }],
    ['iat as text', { iat: '1767225600' }],
    ['iat of null, which is how NaN is written', { iat: NaN }],
    ['another version', { v: 2 }],
    ['a state that is no text', { s: { a: 1 } }],
    ['no state', { s: undefined }],
  ])('I33: an authenticated envelope with %s is refused', async (_, change) => {
    const { seal, said } = sealing();
    const seen: Seen = [];
    const send = overHttp(desk({ seal, seen }));
    const claims = await claimsIn(seal, await ask(send));
    expectFrozen(await retry(send, await forged(seal, { ...claims, ...change })));
    expect(said).toEqual(['requestState rejected on tools/call: malformed']);
    expect(seen).toHaveLength(1);
    expect(endOf(await retry(send, await forged(seal, claims)))).toBe('deployed to staging');
  });

  test.each(['not JSON', '', '7', 'null', '[]', '"awaiting-confirm"'])(
    'I33: authenticated bytes that are %j are refused',
    async (text) => {
      const { seal } = sealing();
      const token = await seal['~policy'].codec.seal(Buffer.from(text));
      expectFrozen(await retry(overHttp(desk({ seal })), token));
    },
  );

  test('I34: every round has a fresh token that lasts its own time', async () => {
    const { seal } = sealing();
    const sure = resolver({}, () => confirm('Go?'), { name: 'confirm' });
    const really = resolver({ sure }, () => confirm('Really?'), { name: 'really' });
    const went = defineTool('went', { resolve: { really } }, () => 'went');
    const send = overHttp(() => {
      const server = new McpServer({ name: 'desk', version: '1.0.0' });
      install(server, [went], { seal });
      return server;
    });
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
    const inputResponses = { really: { action: 'accept', content: { confirm: true } } };
    const end = await send('tools/call', { name: 'went', inputResponses, requestState: second });
    expect(endOf(end)).toBe('went');
  });
});

describe.each(layers)('on %s', (layer) => {
  describe.each(moments)('with handlers wrapped %s', (when) => {
    const open = () => {
      const { seal, said } = sealing();
      return { send: overHttp(desk({ layer, when, seal })), said };
    };

    test('I35: a token is for its tool, its arguments and its method, and still completes', async () => {
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

    test('I35: a token of a resource is for its uri, whatever else the request carries', async () => {
      const { send } = open();
      const decoy = { name: 'decoy' };
      const seven = { uri: 'desk://rooms/7', ...decoy };
      const token = tokenOf(await send('resources/read', seven));
      const answered = { inputResponses: ACCEPT, requestState: token };
      expectFrozen(await send('resources/read', { uri: 'desk://rooms/8', ...decoy, ...answered }));
      const end = await send('resources/read', { ...seven, ...answered });
      expect(endOf(end)).toBe('deployed to desk://rooms/7');
    });

    test('I36: only the uri binds a resource', async () => {
      const { send } = open();
      const uri = 'desk://rooms/7';
      const token = tokenOf(await send('resources/read', { uri, arguments: { a: 1 } }));
      const end = { uri, arguments: { a: 2 }, inputResponses: ACCEPT, requestState: token };
      expect(endOf(await send('resources/read', end))).toBe('deployed to desk://rooms/7');
    });

    test('I35: a token of a tool is for its name, whatever uri the request carries', async () => {
      const { send } = open();
      const token = await ask(send, { ...STAGING, uri: 'desk://a' });
      expectFrozen(await retry(send, token, { ...STAGING, name: 'other', uri: 'desk://a' }));
      const end = await retry(send, token, { ...STAGING, uri: 'desk://b' });
      expect(endOf(end)).toBe('deployed to staging');
    });

    test('I36: the order of keys does not matter at any depth', async () => {
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

    test('I36: absent and empty arguments are equal', async () => {
      const { send } = open();
      const absent = await ask(send, { name: 'deploy' });
      const empty = { name: 'deploy', arguments: {} };
      expect(endOf(await retry(send, absent, empty))).toBe('deployed to nowhere');
      const end = await retry(send, await ask(send, empty), { name: 'deploy' });
      expect(endOf(end)).toBe('deployed to nowhere');
    });

    test('I36: metadata, progress tokens and answers do not bind', async () => {
      const { send } = open();
      const token = await ask(send, { ...STAGING, _meta: { progressToken: 'a', 'acme/x': 1 } });
      const params = { ...STAGING, _meta: { progressToken: 'b', 'acme/y': 2 } };
      expect(endOf(await retry(send, token, params))).toBe('deployed to staging');
      const declined = { inputResponses: { confirm: { action: 'decline' } }, requestState: token };
      const end = await send('tools/call', { ...STAGING, ...declined });
      expect(endOf(end)).toBe('deployment to staging cancelled');
    });

    test('I36: a member __proto__ at the top of the arguments is ignored, a nested one is not', async () => {
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
      'I45: lone surrogates in arguments are told apart (%j)',
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

describe('I35, I36: a tool of resolvers', () => {
  test('I36: binds the raw arguments: defaults that differ each round do not matter', async () => {
    let generated = 0;
    const went = defineTool(
      'went',
      {
        inputSchema: z.object({
          env: z.string().transform((env) => `${env}!`),
          stamp: z.number().default(() => (generated += 1)),
        }),
        resolve: { sure: resolver({}, () => confirm('Go?'), { name: 'confirm' }) },
      },
      ({ env, stamp }) => `${env} ${stamp}`,
    );
    const { seal } = sealing();
    const send = overStdio(() => {
      const server = new McpServer({ name: 'desk', version: '1.0.0' });
      install(server, [went], { seal });
      return server;
    });
    const params = { name: 'went', arguments: { env: 'staging' } };
    const token = await ask(send, params);
    expectFrozen(await retry(send, token, { name: 'went', arguments: { env: 'staging!' } }));
    const before = generated;
    expect(endOf(await retry(send, token, params))).toBe(`staging! ${generated}`);
    expect(generated).toBeGreaterThan(before);
  });
});

describe('I37: the audience', () => {
  test('I37: servers that share a key but not the audience reject each other', async () => {
    const { seal: billing } = sealing({ audience: 'billing' });
    const { seal: payments, said } = sealing({ audience: 'payments' });
    const token = await ask(overHttp(desk({ seal: billing })));
    expectFrozen(await retry(overHttp(desk({ seal: payments })), token));
    expect(said).toEqual(['requestState rejected on tools/call: audience']);
  });

  test('I37: an explicit audience stands above the name of the server', async () => {
    const one = overHttp(desk({ name: 'one', seal: sealing({ audience: 'prod-fleet' }).seal }));
    const two = overHttp(desk({ name: 'two', seal: sealing({ audience: 'prod-fleet' }).seal }));
    expect(endOf(await retry(two, await ask(one)))).toBe('deployed to staging');
  });

  test('I37: without one, the name of the server is the audience', async () => {
    const seal = requestStateSeal.ephemeral({ logger: { warn: () => undefined } });
    const token = await ask(overHttp(desk({ name: 'billing', seal })));
    expect(await claimsIn(seal, token)).toHaveProperty('aud', 'billing');
    expectFrozen(await retry(overHttp(desk({ name: 'payments', seal })), token));
    expect(endOf(await retry(overHttp(desk({ name: 'billing', seal })), token))).toBe(
      'deployed to staging',
    );
  });

  test('I37: an audience that appears or goes is rejected, in both directions', async () => {
    const seal = requestStateSeal.ephemeral({ logger: { warn: () => undefined } });
    const named = overHttp(desk({ name: 'billing', seal }));
    const nameless = overHttp(desk({ name: '', seal }));
    const [one, two] = [await ask(named), await ask(nameless)];
    expect(await claimsIn(seal, two)).not.toHaveProperty('aud');
    expectFrozen(await retry(nameless, one));
    expectFrozen(await retry(named, two));
    expect(endOf(await retry(nameless, two))).toBe('deployed to staging');
  });

  test('I38: the default works on a server without a name', async () => {
    const send = overStdio(desk({ name: '' }));
    expect(endOf(await retry(send, await ask(send)))).toBe('deployed to staging');
  });
});

describe('I45: lone surrogates in a state', () => {
  test.each(['\ud800', 'a\udfffb', '\udc00\ud800', '😀\ud83d'])(
    'I45: %j is restored exactly',
    async (state) => {
      const seen: Seen = [];
      const { seal } = sealing();
      const send = overHttp(desk({ seal, seen, state }));
      expect(endOf(await retry(send, await ask(send)))).toBe('deployed to staging');
      expect(seen[1]).toEqual(['staging', state]);
    },
  );
});

test('I46: a valid token may be used again on the same request within its time', async () => {
  const seen: Seen = [];
  const { seal } = sealing();
  const send = overHttp(desk({ seal, seen }));
  const token = await ask(send);
  expect(endOf(await retry(send, token))).toBe('deployed to staging');
  expect(endOf(await retry(send, token))).toBe('deployed to staging');
  expect(seen).toHaveLength(3);
});
