/** Whose state it is: authenticated callers over HTTP, and what the author says of them. */
import { McpServer } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { confirm, defineTool, install, resolver } from 'mcp-resolve';
import type { Rejection, RequestStateSeal, SealSettings } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';

import {
  ask,
  caller,
  desk,
  endOf,
  expectFrozen,
  layers,
  overHttp,
  retry,
  sealing,
  type Seen,
  STAGING,
  tokenOf,
} from './desk.js';

const as = (sub?: string, clientId?: string, iss?: string) => ({
  authInfo: caller(sub, clientId, iss),
});

const claimOf = async (seal: RequestStateSeal, token: string): Promise<unknown> => {
  const bytes = await seal['~policy'].codec.unseal(token);
  return (JSON.parse(Buffer.from(bytes).toString()) as { p?: unknown }).p;
};

const INTERNAL_BODY = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}';

describe.each(layers)('on %s', (layer) => {
  test('I39: another caller is rejected, and the first one completes', async () => {
    const seen: Seen = [];
    const { seal, said } = sealing();
    const send = overHttp(desk({ layer, seal, seen }));
    const token = await ask(send, STAGING, as('alice'));
    expectFrozen(await retry(send, token, STAGING, as('bob')));
    expect(seen).toHaveLength(1);
    expect(said).toEqual(['requestState rejected on tools/call: principal']);
    expect(endOf(await retry(send, token, STAGING, as('alice')))).toBe('deployed to staging');
  });

  test('I40: client, issuer and subject all count', async () => {
    const { seal } = sealing();
    const send = overHttp(desk({ layer, seal }));
    const token = await ask(send, STAGING, as('alice', 'app', 'https://id.test'));
    expectFrozen(await retry(send, token, STAGING, as('alice', 'other', 'https://id.test')));
    expectFrozen(await retry(send, token, STAGING, as('alice', 'app', 'https://evil.test')));
    expectFrozen(await retry(send, token, STAGING, as('alice', 'app')));
    expectFrozen(await retry(send, token, STAGING, as(undefined, 'app', 'https://id.test')));
    const end = await retry(send, token, STAGING, as('alice', 'app', 'https://id.test'));
    expect(endOf(end)).toBe('deployed to staging');
  });

  test('I40: without a subject all users of one client are one', async () => {
    const { seal } = sealing();
    const send = overHttp(desk({ layer, seal }));
    const token = await ask(send, STAGING, as());
    expect(endOf(await retry(send, token, STAGING, as()))).toBe('deployed to staging');
    expectFrozen(await retry(send, token, STAGING, as(undefined, 'other')));
  });

  test('I41: a caller who appears or goes is rejected', async () => {
    const { seal, said } = sealing();
    const send = overHttp(desk({ layer, seal }));
    expectFrozen(await retry(send, await ask(send, STAGING, as('alice'))));
    expectFrozen(await retry(send, await ask(send), STAGING, as('alice')));
    expect(said).toEqual([
      'requestState rejected on tools/call: principal drift',
      'requestState rejected on tools/call: principal drift',
    ]);
  });

  test('I42: two tokens of one person carry different claims', async () => {
    const { seal } = sealing();
    const send = overHttp(desk({ layer, seal }));
    const [one, two] = [
      await claimOf(seal, await ask(send, STAGING, as('alice'))),
      await claimOf(seal, await ask(send, STAGING, as('alice'))),
    ];
    expect(one).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(one).not.toBe(two);
    expect(await claimOf(seal, await ask(send))).toBeUndefined();
  });

  test.each(['A', 7, { x: 1 }, null, '', [], 'A'.repeat(32)])(
    'I42: the forged claim %o is rejected',
    async (p) => {
      const { seal } = sealing();
      const send = overHttp(desk({ layer, seal }));
      const { codec } = seal['~policy'];
      const opened = await codec.unseal(await ask(send, STAGING, as('alice')));
      const claims = JSON.parse(Buffer.from(opened).toString()) as object;
      const token = await codec.seal(Buffer.from(JSON.stringify({ ...claims, p })));
      expectFrozen(await retry(send, token, STAGING, as('alice')));
    },
  );
});

describe('a principal of the author’s own', () => {
  /** A caller who can be changed between the rounds, and how often was asked for. */
  function changing(first: unknown) {
    const rejections: Rejection[] = [];
    const state = { who: first, calls: 0, rejections };
    const principal = ((): unknown => {
      state.calls += 1;
      if (state.who instanceof Error) throw state.who;
      return state.who;
    }) as NonNullable<SealSettings['principal']>;
    const heard = sealing({ principal, onReject: (rejection) => void rejections.push(rejection) });
    return { state, ...heard };
  }

  test('I39: alice, bob, alice', async () => {
    const { state, seal } = changing('alice');
    const send = overHttp(desk({ seal }));
    const token = await ask(send);
    state.who = 'bob';
    expectFrozen(await retry(send, token));
    state.who = 'alice';
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
  });

  test('I39: it is given the context of the request, and may take its time', async () => {
    const principal = async ({ http }: ServerContext) => {
      await Promise.resolve();
      return `${String(http?.authInfo?.extra?.sub)}@tenant`;
    };
    const { seal } = sealing({ principal });
    const send = overHttp(desk({ seal }));
    const token = await ask(send, STAGING, as('alice'));
    expectFrozen(await retry(send, token, STAGING, as('bob')));
    expect(endOf(await retry(send, token, STAGING, as('alice')))).toBe('deployed to staging');
  });

  test.each([
    ['alice', undefined],
    [undefined, 'alice'],
  ])('I41: from %s to %s is rejected', async (one, two) => {
    const { state, seal } = changing(one);
    const send = overHttp(desk({ seal }));
    const token = await ask(send);
    state.who = two;
    expectFrozen(await retry(send, token));
    expect(state.rejections).toEqual([{ reason: 'principal drift', method: 'tools/call' }]);
    state.who = one;
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
  });

  const failures: [string, unknown, string][] = [
    ['throws', new RangeError('alice is not in the directory'), 'RangeError'],
    ['gives a number', 12_345, 'TypeError'],
    ['gives null', null, 'TypeError'],
    ['gives an object', { sub: 'alice' }, 'TypeError'],
    ['rejects', Promise.reject(new RangeError('alice is gone')), 'RangeError'],
  ];
  failures.forEach(([, who]) => {
    if (who instanceof Promise) who.catch(() => undefined);
  });

  test.each(failures)(
    'I43: one that %s while sealing is an internal error without data',
    async (_, who, cause) => {
      const { seal, said } = changing(who);
      const reply = await overHttp(desk({ seal }))('tools/call', STAGING);
      expect(reply.text).toBe(INTERNAL_BODY);
      expect(said).toEqual([`requestState could not be sealed on tools/call: ${cause}`]);
    },
  );

  test.each(failures)(
    'I43: one that %s while verifying gives the frozen error, and the token still completes',
    async (_, who) => {
      const { state, seal, said } = changing('alice');
      const seen: Seen = [];
      const send = overHttp(desk({ seal, seen }));
      const token = await ask(send);
      state.who = who;
      expectFrozen(await retry(send, token));
      expect(seen).toHaveLength(1);
      expect(said).toEqual(['requestState rejected on tools/call: principal binding error']);
      expect(state.rejections).toEqual([
        { reason: 'principal binding error', method: 'tools/call' },
      ]);
      state.who = 'alice';
      expect(endOf(await retry(send, token))).toBe('deployed to staging');
    },
  );

  test('I43: it runs once a round, also where the round seals anew, and never without state', async () => {
    const { state, seal } = changing('alice');
    const sure = resolver({}, () => confirm('Go?'), { name: 'confirm' });
    const really = resolver({ sure }, () => confirm('Really?'), { name: 'really' });
    const tools = [
      defineTool('went', { resolve: { really } }, () => 'went'),
      defineTool('still', {}, () => 'still'),
    ];
    const send = overHttp(() => {
      const server = new McpServer({ name: 'desk', version: '1.0.0' });
      install(server, tools, { seal });
      return server;
    });
    expect(endOf(await send('tools/call', { name: 'still' }))).toBe('still');
    expect(state.calls).toBe(0);
    const first = await ask(send, { name: 'went' });
    expect(state.calls).toBe(1);
    const second = tokenOf(await retry(send, first, { name: 'went' }));
    expect(state.calls).toBe(2);
    const inputResponses = { really: { action: 'accept', content: { confirm: true } } };
    const end = await send('tools/call', { name: 'went', inputResponses, requestState: second });
    expect(endOf(end)).toBe('went');
    expect(state.calls).toBe(3);
  });

  test('I43: the one that was verified is the one that is sealed for', async () => {
    const { state, seal } = changing('alice');
    const sure = resolver({}, () => confirm('Go?'), { name: 'confirm' });
    const really = resolver(
      { sure },
      () => {
        state.who = 'mallory';
        return confirm('Really?');
      },
      { name: 'really' },
    );
    const send = overHttp(() => {
      const server = new McpServer({ name: 'desk', version: '1.0.0' });
      install(server, [defineTool('went', { resolve: { really } }, () => 'went')], { seal });
      return server;
    });
    const first = await ask(send, { name: 'went' });
    const second = tokenOf(await retry(send, first, { name: 'went' }));
    expect(state.who).toBe('mallory');
    const inputResponses = { really: { action: 'accept', content: { confirm: true } } };
    const last = { name: 'went', inputResponses, requestState: second };
    expectFrozen(await send('tools/call', last));
    state.who = 'alice';
    expect(endOf(await send('tools/call', last))).toBe('went');
  });

  test.each([
    ['\ud800', '\udfff'],
    ['a\ud800', 'a\ufffd'],
  ])('I45: tells the principals %j and %j apart', async (one, two) => {
    const { state, seal } = changing(one);
    const send = overHttp(desk({ seal }));
    const token = await ask(send);
    state.who = two;
    expectFrozen(await retry(send, token));
    state.who = one;
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
  });
});
