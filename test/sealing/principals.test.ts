/** The principal of a token: authenticated callers over HTTP, and a custom `principal`. */
import { randomBytes } from 'node:crypto';
import type { ServerContext } from '@modelcontextprotocol/server';
import { confirm, defineTool, requestStateSeal, resolver } from 'mcp-resolve';
import type { Rejection, RequestStateSeal, SealSettings } from 'mcp-resolve';
import { createDualEraHandler } from 'mcp-resolve/node';
import { describe, expect, test } from 'vitest';

import { messagesOn, openSession, post, toolCall, withSession } from '../serve/rawHttp.js';
import { closeAfterTest, serving } from '../support/servers.js';
import {
  acceptQuestion,
  ANONYMOUS_CALL,
  ask,
  caller,
  createSeal,
  desk,
  endOf,
  expectFrozen,
  INTERNAL_BODY,
  layers,
  overHttp,
  overStdio,
  retry,
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

describe.each(layers)('on %s', (layer) => {
  test('I39: refuses another caller, and lets the first one complete the call', async () => {
    const seen: Seen = [];
    const { seal, logged } = createSeal();
    const send = overHttp(desk({ layer, seal, seen }));
    const token = await ask(send, STAGING, as('alice'));
    expectFrozen(await retry(send, token, STAGING, as('bob')));
    expect(seen).toHaveLength(1);
    expect(logged).toEqual(['requestState rejected on tools/call: principal']);
    expect(endOf(await retry(send, token, STAGING, as('alice')))).toBe('deployed to staging');
  });

  test('I40: identifies a caller by client, issuer and subject', async () => {
    const { seal } = createSeal();
    const send = overHttp(desk({ layer, seal }));
    const token = await ask(send, STAGING, as('alice', 'app', 'https://id.test'));
    expectFrozen(await retry(send, token, STAGING, as('alice', 'other', 'https://id.test')));
    expectFrozen(await retry(send, token, STAGING, as('alice', 'app', 'https://evil.test')));
    expectFrozen(await retry(send, token, STAGING, as('alice', 'app')));
    expectFrozen(await retry(send, token, STAGING, as(undefined, 'app', 'https://id.test')));
    const end = await retry(send, token, STAGING, as('alice', 'app', 'https://id.test'));
    expect(endOf(end)).toBe('deployed to staging');
  });

  test('I40: treats all users of one client as one if tokens have no subject', async () => {
    const { seal } = createSeal();
    const send = overHttp(desk({ layer, seal }));
    const token = await ask(send, STAGING, as());
    expect(endOf(await retry(send, token, STAGING, as()))).toBe('deployed to staging');
    expectFrozen(await retry(send, token, STAGING, as(undefined, 'other')));
  });

  test('I41: refuses a caller if only one of the two requests is authenticated', async () => {
    const { seal, logged } = createSeal();
    const send = overHttp(desk({ layer, seal }));
    expectFrozen(await retry(send, await ask(send, STAGING, as('alice'))));
    expectFrozen(await retry(send, await ask(send), STAGING, as('alice')));
    expect(logged).toEqual([
      'requestState rejected on tools/call: principal drift',
      'requestState rejected on tools/call: principal drift',
    ]);
  });

  test('I42: writes different claims into two tokens of one user', async () => {
    const { seal } = createSeal();
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
    'I42: refuses the forged claim %o',
    async (p) => {
      const { seal } = createSeal();
      const send = overHttp(desk({ layer, seal }));
      const { codec } = seal['~policy'];
      const opened = await codec.unseal(await ask(send, STAGING, as('alice')));
      const claims = JSON.parse(Buffer.from(opened).toString()) as object;
      const token = await codec.seal(Buffer.from(JSON.stringify({ ...claims, p })));
      expectFrozen(await retry(send, token, STAGING, as('alice')));
    },
  );
});

describe('a custom principal', () => {
  /** Creates a seal whose principal the test changes between the rounds. Counts its calls. */
  function sealForChanging(first: unknown) {
    const rejections: Rejection[] = [];
    const state = { who: first, calls: 0, rejections };
    const principal = ((): unknown => {
      state.calls += 1;
      if (state.who instanceof Error) throw state.who;
      return state.who;
    }) as NonNullable<SealSettings['principal']>;
    const logged = createSeal({
      principal,
      onReject: (rejection) => void rejections.push(rejection),
    });
    return { state, ...logged };
  }

  test('I39: binds the token to one user', async () => {
    const { state, seal } = sealForChanging('alice');
    const send = overHttp(desk({ seal }));
    const token = await ask(send);
    state.who = 'bob';
    expectFrozen(await retry(send, token));
    state.who = 'alice';
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
  });

  test('I39: receives the context of the request, and can be asynchronous', async () => {
    const principal = async ({ http }: Pick<ServerContext, 'http'>) => {
      await Promise.resolve();
      return `${String(http?.authInfo?.extra?.sub)}@tenant`;
    };
    const { seal } = createSeal({ principal });
    const send = overHttp(desk({ seal }));
    const token = await ask(send, STAGING, as('alice'));
    expectFrozen(await retry(send, token, STAGING, as('bob')));
    expect(endOf(await retry(send, token, STAGING, as('alice')))).toBe('deployed to staging');
  });

  test.each([
    ['alice', undefined],
    [undefined, 'alice'],
  ])('I41: is refused if it changes from %s to %s', async (one, two) => {
    const { state, seal } = sealForChanging(one);
    const send = overHttp(desk({ seal }));
    const token = await ask(send);
    state.who = two;
    expectFrozen(await retry(send, token));
    expect(state.rejections).toEqual([{ reason: 'principal drift', method: 'tools/call' }]);
    state.who = one;
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
  });

  const NOT_TEXT = 'TypeError: `principal` must return a string or undefined.';
  const failures: [string, unknown, string][] = [
    ['throws', new RangeError('no such directory'), 'RangeError: no such directory'],
    ['returns a number', 12_345, NOT_TEXT],
    ['returns null', null, NOT_TEXT],
    ['returns an object', { sub: 'alice' }, NOT_TEXT],
    ['rejects', Promise.reject(new RangeError('not connected')), 'RangeError: not connected'],
  ];
  failures.forEach(([, who]) => {
    if (who instanceof Promise) who.catch(() => undefined);
  });

  test.each(failures)(
    'I43: that %s while sealing causes an internal error without data',
    async (_, who, cause) => {
      const { seal, logged } = sealForChanging(who);
      const reply = await overHttp(desk({ seal }))('tools/call', STAGING);
      expect(reply.text).toBe(INTERNAL_BODY);
      expect(logged).toEqual([`requestState could not be sealed on tools/call: ${cause}`]);
    },
  );

  test.each(failures)(
    'I43: that %s while verifying causes the frozen error, and the token stays valid',
    async (_, who, cause) => {
      const { state, seal, logged } = sealForChanging('alice');
      const seen: Seen = [];
      const send = overHttp(desk({ seal, seen }));
      const token = await ask(send);
      state.who = who;
      expectFrozen(await retry(send, token));
      expect(seen).toHaveLength(1);
      expect(logged).toEqual([
        `requestState rejected on tools/call: principal binding error (${cause})`,
      ]);
      expect(state.rejections).toEqual([
        { reason: 'principal binding error', method: 'tools/call' },
      ]);
      state.who = 'alice';
      expect(endOf(await retry(send, token))).toBe('deployed to staging');
    },
  );

  test('I43: runs once in each round with a state, and not in other calls', async () => {
    const { state, seal } = sealForChanging('alice');
    const sure = resolver({}, () => confirm('Go?'), { asks: 'form', name: 'confirm' });
    const really = resolver({ sure }, () => confirm('Really?'), { asks: 'form', name: 'really' });
    const tools = [
      defineTool('went', { resolve: { really } }, () => 'went'),
      defineTool('still', {}, () => 'still'),
    ];
    const send = overHttp(serving(tools, { seal }));
    expect(endOf(await send('tools/call', { name: 'still' }))).toBe('still');
    expect(state.calls).toBe(0);
    const first = await ask(send, { name: 'went' });
    expect(state.calls).toBe(1);
    const second = tokenOf(await retry(send, first, { name: 'went' }));
    expect(state.calls).toBe(2);
    expect(endOf(await acceptQuestion(send, 'really', second))).toBe('went');
    expect(state.calls).toBe(3);
  });

  test('I43: seals the next round for the user that was verified', async () => {
    const { state, seal } = sealForChanging('alice');
    const sure = resolver({}, () => confirm('Go?'), { asks: 'form', name: 'confirm' });
    const really = resolver(
      { sure },
      () => {
        state.who = 'mallory';
        return confirm('Really?');
      },
      { asks: 'form', name: 'really' },
    );
    const tool = defineTool('went', { resolve: { really } }, () => 'went');
    const send = overHttp(serving([tool], { seal }));
    const first = await ask(send, { name: 'went' });
    const second = tokenOf(await retry(send, first, { name: 'went' }));
    expect(state.who).toBe('mallory');
    expectFrozen(await acceptQuestion(send, 'really', second));
    state.who = 'alice';
    expect(endOf(await acceptQuestion(send, 'really', second))).toBe('went');
  });

  test.each([
    ['\ud800', '\udfff'],
    ['a\ud800', 'a\ufffd'],
  ])('I45: distinguishes the users %j and %j', async (one, two) => {
    const { state, seal } = sealForChanging(one);
    const send = overHttp(desk({ seal }));
    const token = await ask(send);
    state.who = two;
    expectFrozen(await retry(send, token));
    state.who = one;
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
  });
});

describe('a call that asks without a principal', () => {
  const approval = resolver({}, () => confirm('Deploy?'), { asks: 'form' });
  const deploy = defineTool('deploy', { resolve: { approval } }, () => 'deployed');
  const shared = () => {
    const lines: string[] = [];
    const logger = { warn: (line: string) => void lines.push(line) };
    const settings = { audience: 'desk', logger };
    return { lines, settings, seal: requestStateSeal({ keys: [randomBytes(32)], ...settings }) };
  };

  test('causes one warning over HTTP if keys are shared', async () => {
    const { lines, seal } = shared();
    const send = overHttp(serving([deploy], { seal }));
    await ask(send, { name: 'deploy' });
    await ask(send, { name: 'deploy' });
    expect(lines).toEqual([ANONYMOUS_CALL]);
  });

  test('causes the same warning in a legacy session', async () => {
    const { lines, seal } = shared();
    const handler = createDualEraHandler(serving([deploy], { seal }));
    closeAfterTest(() => handler.close({ timeoutMs: 0 }));
    const session = withSession(await openSession(handler));
    for (const id of [2, 3]) {
      const messages = messagesOn(await handler.fetch(post(toolCall('deploy', id), session)));
      expect((await messages.next()).method).toBe('elicitation/create');
    }
    expect(lines).toEqual([ANONYMOUS_CALL]);
  });

  test('causes the warning in a legacy session if principal returns undefined', async () => {
    const { lines, settings } = shared();
    const keys = [randomBytes(32)];
    const seal = requestStateSeal({ ...settings, keys, principal: () => undefined });
    const handler = createDualEraHandler(serving([deploy], { seal }));
    closeAfterTest(() => handler.close({ timeoutMs: 0 }));
    const session = withSession(await openSession(handler));
    await messagesOn(await handler.fetch(post(toolCall('deploy'), session))).next();
    expect(lines).toEqual([ANONYMOUS_CALL]);
  });

  test('causes the warning if an own principal function returns undefined', async () => {
    const { lines, settings } = shared();
    const seal = requestStateSeal({
      ...settings,
      keys: [randomBytes(32)],
      principal: () => undefined,
    });
    await ask(overHttp(serving([deploy], { seal })), { name: 'deploy' });
    expect(lines).toEqual([ANONYMOUS_CALL]);
  });

  test('causes no warning with a token, with keys of one process, or over stdio', async () => {
    const { lines, seal, settings } = shared();
    await ask(overHttp(serving([deploy], { seal })), { name: 'deploy' }, as('alice'));
    await ask(overStdio(serving([deploy], { seal })), { name: 'deploy' });
    const own = requestStateSeal.ephemeral(settings);
    await ask(overHttp(serving([deploy], { seal: own })), { name: 'deploy' });
    expect(lines).toEqual([]);
  });
});
