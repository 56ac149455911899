/** The seal on its own: what it binds state to, what it logs, and what it throws. */
import type { ServerContext } from '@modelcontextprotocol/server';
import { InvalidRequestStateError, requestStateSeal } from 'mcp-resolve';
import type { RequestStateCodec } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';

import { keepArguments, Seal, SealError } from '../../src/state/seal.js';
import type { StatefulRequest } from '../../src/state/seal.js';
import type { CheckedSeal, SealSettings } from '../../src/state/sealOptions.js';

const KEYS = ['0123456789abcdef0123456789abcdef'];
const STATE = { state: 'awaiting-confirm', isRecord: false };

interface Given extends SealSettings {
  readonly codec?: RequestStateCodec;
  readonly policy?: Partial<CheckedSeal>;
}

function sealWith({ policy, codec, ...settings }: Given = {}): { seal: Seal; logged: string[] } {
  const logged: string[] = [];
  const logger = { warn: (message: string) => void logged.push(message) };
  const source = codec === undefined ? { keys: KEYS } : { codec };
  const checked = requestStateSeal({ audience: 'desk', logger, ...source, ...settings })['~policy'];
  return { seal: new Seal({ ...checked, ...policy }), logged };
}

const overHttp = (clientId?: string, sub?: string): ServerContext =>
  ({
    mcpReq: {},
    http: clientId === undefined ? {} : { authInfo: { clientId, extra: { sub } } },
  }) as unknown as ServerContext;
const overStdio = { mcpReq: {} } as unknown as ServerContext;

const requestOf = (params: Record<string, unknown>, method = 'tools/call'): StatefulRequest => ({
  method,
  params,
  ctx: overHttp('client', 'alice'),
});

const DEPLOY = { name: 'deploy', arguments: { env: 'staging' } };
const boom = (): never => {
  throw new Error('boom');
};

/** Seals state for one request, opens it for another, and returns the state or the reason. */
async function openedFor(other: StatefulRequest, request = requestOf(DEPLOY)): Promise<string> {
  const { seal } = sealWith();
  const token = await seal.seal(STATE, request, undefined);
  const opened = seal.open(token, other);
  return opened.then(
    ({ state }) => state,
    (error: unknown) => (error as Error).message,
  );
}

describe('a token', () => {
  test('is for the URI of a resource, whatever else the request says', async () => {
    const read = (uri: unknown, args?: object): StatefulRequest =>
      requestOf({ uri, name: 'x', arguments: args }, 'resources/read');
    expect(await openedFor(read('a://b', { more: 1 }), read('a://b'))).toBe('awaiting-confirm');
    expect(await openedFor(read('a://c'), read('a://b'))).toBe('request binding');
  });

  test('is for the name and the arguments of a tool, whatever else the request says', async () => {
    const call = (params: object): StatefulRequest => requestOf({ ...DEPLOY, ...params });
    expect(await openedFor(call({ uri: 'a://b' }))).toBe('awaiting-confirm');
    expect(await openedFor(call({ name: 'other' }))).toBe('request binding');
    expect(await openedFor(call({ arguments: { env: 'production' } }))).toBe('request binding');
  });

  test('takes a name that is not a string for none', async () => {
    const call = (name: unknown): StatefulRequest => requestOf({ ...DEPLOY, name });
    expect(await openedFor(call(7), call(undefined))).toBe('awaiting-confirm');
  });

  test('is for the arguments that were kept before the author changed them', async () => {
    const request = requestOf({ name: 'deploy', arguments: { env: 'staging' } });
    keepArguments(request);
    Object.assign(request.params.arguments as object, { env: 'production' });
    keepArguments(request);
    expect(await openedFor(requestOf(DEPLOY), request)).toBe('awaiting-confirm');
  });

  test('has its arguments digested once for a request that is opened and sealed', () => {
    const { seal } = sealWith();
    const request = requestOf(DEPLOY);
    expect(seal.bind(request)).toBe(seal.bind(request));
  });

  test('is sealed again for the principal that it was opened for', async () => {
    const { seal } = sealWith();
    const request = requestOf(DEPLOY);
    const opened = await seal.open(await seal.seal(STATE, request, undefined), request);
    expect(opened).toMatchObject({ ...STATE, principal: '["client",null,"alice"]' });
    const bob = { ...requestOf(DEPLOY), ctx: overHttp('client', 'bob') };
    const next = await seal.seal(STATE, bob, opened);
    expect((await seal.open(next, request)).principal).toBe(opened.principal);
  });

  test('is too large with one byte more than the limit of its state', async () => {
    const sizeOf = async (maxStateBytes: number): Promise<string> => {
      const { seal } = sealWith({ maxStateBytes, policy: { maxTokenLength: 10_000 } });
      return seal.seal({ ...STATE, state: 'x'.repeat(200) }, requestOf(DEPLOY), undefined).then(
        () => 'sealed',
        (error: unknown) => ((error as Error).cause as Error).message,
      );
    };
    let limit = 200;
    while ((await sizeOf(limit)) !== 'sealed') limit += 1;
    expect(await sizeOf(limit - 1)).toBe(`The state is larger than ${limit - 1} bytes.`);
  });
});

describe('a state that cannot be sealed', () => {
  const codecOf = (seal: RequestStateCodec['seal']): RequestStateCodec => ({ seal, unseal: boom });

  test.each<[string, RequestStateCodec['seal'], string]>([
    ['throws', boom, 'Error: boom'],
    ['returns no string', () => 7 as never, 'TypeError: `codec.seal` must return a string.'],
    [
      'returns an empty token',
      () => '',
      'RangeError: `codec.seal` must return a token that is neither empty nor too long.',
    ],
  ])('ends in an error without details, and in the log, if its codec %s', async (_, codec, why) => {
    const { seal, logged } = sealWith({ codec: codecOf(codec) });
    const sealing = seal.seal(STATE, requestOf(DEPLOY), undefined);
    const thrown: unknown = await sealing.catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(SealError);
    expect(thrown).toMatchObject({ name: 'SealError', message: 'Internal error' });
    expect((thrown as Error).cause).toBeInstanceOf(Error);
    expect(logged).toEqual([`requestState could not be sealed on tools/call: ${why}`]);
  });

  test('is not quoted in the log', async () => {
    const leaks = codecOf((bytes) => {
      throw new Error(`cannot seal ${new TextDecoder().decode(bytes)}`);
    });
    const { seal, logged } = sealWith({ codec: leaks });
    await expect(seal.seal(STATE, requestOf(DEPLOY), undefined)).rejects.toThrow(SealError);
    expect(logged).toEqual([
      'requestState could not be sealed on tools/call: Error: cannot seal …',
    ]);
  });
});

describe('a rejected state', () => {
  const open = (seal: Seal, token: unknown): Promise<unknown> =>
    seal.open(token, requestOf(DEPLOY)).catch((error: unknown) => error);

  test('is not quoted in the log', async () => {
    const codec = {
      seal: () => 'token',
      unseal: (token: string) => {
        throw new Error(`not mine: ${token}`);
      },
    };
    const { seal, logged } = sealWith({ codec });
    expect(await open(seal, 'the-secret-token')).toMatchObject({ message: 'codec error' });
    expect(logged).toEqual([
      'requestState rejected on tools/call: codec error (Error: not mine: …)',
    ]);
  });

  test('is malformed in the log if it is longer than any token', async () => {
    const { seal, logged } = sealWith({ policy: { maxTokenLength: 10 } });
    expect(await open(seal, 'v1.45678901')).toBeInstanceOf(InvalidRequestStateError);
    expect(logged).toEqual(['requestState rejected on tools/call: malformed']);
  });

  test.each([7, null, undefined, { toString: () => 'token' }])(
    'is not a string in the log if it is %o',
    async (token) => {
      const { seal, logged } = sealWith();
      await open(seal, token);
      expect(logged).toEqual(['requestState rejected on tools/call: non-string requestState']);
    },
  );

  test('comes with advice only if its key belongs to another process', async () => {
    const { seal: other } = sealWith({ policy: requestStateSeal.ephemeral()['~policy'] });
    const token = await other.seal(STATE, requestOf(DEPLOY), undefined);
    for (const byDefault of [true, false]) {
      const { seal, logged } = sealWith({ policy: { byDefault } });
      await open(seal, token);
      await open(seal, 'v1.');
      expect(logged).toEqual([
        `requestState rejected on tools/call: unknown key${byDefault ? '. Each process has a default key of its own. To share keys, set the environment variable MCP_RESOLVE_KEYS, or pass { seal: requestStateSeal({ keys, audience }) } to install() or toolHandler(). A tool with `once` then needs a store that all processes share.' : ''}`,
        'requestState rejected on tools/call: malformed',
      ]);
    }
  });

  test('is reported to every listener and to onReject, with its reason and its method', async () => {
    const told: unknown[] = [];
    const { seal } = sealWith({ onReject: (rejection) => void told.push(rejection) });
    seal.listeners.set('one', (rejection) => void told.push(rejection));
    await open(seal, 'v1.');
    const rejection = { reason: 'malformed', method: 'tools/call' };
    expect(told).toEqual([rejection, rejection]);
  });

  test.each<[string, () => void]>([
    ['throws', boom],
    ['rejects later', () => Promise.reject(new Error('boom')) as never],
  ])('is rejected all the same, with a line in the log, if onReject %s', async (_, onReject) => {
    const { seal, logged } = sealWith({ onReject });
    expect(await open(seal, 'v1.')).toMatchObject({ message: 'malformed' });
    expect(logged).toEqual([
      'requestState rejected on tools/call: malformed',
      '`onReject` failed: Error: boom',
    ]);
  });
});

describe('a call of a legacy session', () => {
  test('belongs to the principal of its request', async () => {
    const { seal } = sealWith();
    const alice = '["client",null,"alice"]';
    expect(await seal.sessionPrincipal(overHttp('client', 'alice'))).toBe(alice);
    expect(await seal.callerOf(overHttp('client', 'alice'))).toEqual({
      audience: 'desk',
      principal: alice,
    });
  });

  test('ends in an error without details, and in the log, if the principal fails', async () => {
    const { seal, logged } = sealWith({ principal: boom });
    const thrown: unknown = await seal.sessionPrincipal(overStdio).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(SealError);
    expect(thrown).toMatchObject({ message: 'Internal error', cause: new Error('boom') });
    expect(logged).toEqual(['`principal` failed for a legacy session: Error: boom']);
  });

  test.each<[string, ServerContext, Given, number]>([
    ['over HTTP without a principal', overHttp(), {}, 1],
    ['over HTTP with a principal', overHttp('client', 'alice'), {}, 0],
    ['over HTTP with a principal that fails', overHttp(), { principal: boom }, 0],
    ['over stdio', overStdio, {}, 0],
    ['of a process that shares no keys', overHttp(), { policy: { shared: false } }, 0],
  ])('%s is logged the expected number of times', async (_, ctx, given, times) => {
    const { seal, logged } = sealWith(given);
    await seal.warnIfAnonymous(ctx);
    await seal.warnIfAnonymous(ctx);
    expect(logged).toHaveLength(times);
    for (const line of logged) expect(line).toMatch(/^A call that asks arrived over HTTP without/);
  });
});
