/** Custom codecs, and the effect of their failures. */
import { McpServer } from '@modelcontextprotocol/server';
import { InvalidRequestStateError } from 'mcp-resolve';
import type { Rejection, RequestStateCodec } from 'mcp-resolve';
import { describe, expect, test, vi } from 'vitest';

import {
  ask,
  caller,
  createSeal,
  desk,
  endOf,
  expectFrozen,
  INTERNAL_BODY,
  layers,
  moments,
  overHttp,
  retry,
  type Seen,
  STAGING,
  useFixedDate,
} from './desk.js';

/** A codec that only encodes, so all checks of a token are the library's. */
class HexCodec implements RequestStateCodec {
  private readonly prefix = 'hex:';
  readonly opened: string[] = [];
  seal = (bytes: Uint8Array): string => this.prefix + Buffer.from(bytes).toString('hex');
  unseal = (token: string): Uint8Array => {
    this.opened.push(token);
    const bytes = Buffer.from(token.slice(this.prefix.length), 'hex');
    if (this.seal(bytes) !== token) throw new InvalidRequestStateError('not hex');
    return bytes;
  };
}

/** An asynchronous version of it, whose methods use `this`. */
class SlowCodec {
  private readonly inner = new HexCodec();
  async seal(bytes: Uint8Array): Promise<string> {
    await Promise.resolve();
    return this.inner.seal(bytes);
  }
  async unseal(token: string): Promise<Uint8Array> {
    await Promise.resolve();
    return this.inner.unseal(token);
  }
}

const NOW = 1_767_225_600_000;

useFixedDate(NOW);

describe.each([
  ['a synchronous', () => new HexCodec()],
  ['an asynchronous', () => new SlowCodec()],
] as const)('I29: %s codec', (_, make) => {
  test.each(layers)('I29: seals and opens the tokens of a server (%s)', async (layer) => {
    const { seal } = createSeal({ codec: make() });
    const send = overHttp(desk({ layer, seal }));
    const token = await ask(send);
    expect(token).toMatch(/^hex:[0-9a-f]+$/);
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
  });

  test('I29: leaves the checks of request, principal, audience and expiry to the library', async () => {
    const { seal, logged } = createSeal({ codec: make() });
    const send = overHttp(desk({ seal }));
    const alice = { authInfo: caller('alice') };
    const token = await ask(send, STAGING, alice);
    expectFrozen(await retry(send, token, { ...STAGING, name: 'other' }, alice));
    expectFrozen(await retry(send, token, STAGING, { authInfo: caller('bob') }));
    expectFrozen(await retry(send, token, STAGING));
    const elsewhere = createSeal({ codec: make(), audience: 'shop' });
    expectFrozen(await retry(overHttp(desk({ seal: elsewhere.seal })), token, STAGING, alice));
    vi.setSystemTime(NOW + 600_000);
    expectFrozen(await retry(send, token, STAGING, alice));
    vi.setSystemTime(NOW);
    expect(logged.map((line) => line.split(': ')[1])).toEqual([
      'request binding',
      'principal',
      'principal drift',
      'expired',
    ]);
    expect(endOf(await retry(send, token, STAGING, alice))).toBe('deployed to staging');
  });

  test.each<[string, (token: string) => string]>([
    ['in capitals', (token) => token.toUpperCase()],
    ['with a space', (token) => `${token} `],
    ['with a newline', (token) => `${token}\n`],
    ['without its prefix', (token) => token.slice(4)],
    ['that is empty', () => ''],
  ])('I29: refuses a token %s', async (__, mangle) => {
    const { seal, logged } = createSeal({ codec: make() });
    const send = overHttp(desk({ seal }));
    const token = await ask(send);
    expectFrozen(await retry(send, mangle(token)));
    expect(logged).toEqual(['requestState rejected on tools/call: not hex']);
  });
});

describe('I44: a codec that fails to open a token', () => {
  class DirectoryError extends Error {
    override readonly name = 'DirectoryError';
  }
  const NOT_BYTES = 'codec error (TypeError: `codec.unseal` must return a Uint8Array.)';

  const failing: [string, () => unknown, string][] = [
    [
      'throws',
      () => {
        throw new DirectoryError('key-server-7 is down');
      },
      'codec error (DirectoryError: key-server-7 is down)',
    ],
    [
      'rejects',
      () => Promise.reject(new DirectoryError('key-server-7 is down')),
      'codec error (DirectoryError: key-server-7 is down)',
    ],
    [
      'throws a string',
      () => {
        throw 'key-server-7' as unknown as Error;
      },
      'codec error (string: key-server-7)',
    ],
    ['returns a string', () => 'key-server-7', NOT_BYTES],
    ['returns undefined', () => undefined, NOT_BYTES],
    ['returns null', () => null, NOT_BYTES],
    ['returns an array of numbers', () => [1, 2], NOT_BYTES],
    ['returns a promise of a number', () => Promise.resolve(7), NOT_BYTES],
    ['returns bytes that are not claims', () => new Uint8Array(64), 'malformed'],
    [
      'refuses with a reason',
      () => {
        throw new InvalidRequestStateError('key retired');
      },
      'key retired',
    ],
    [
      'refuses with a long reason',
      () => Promise.reject(new InvalidRequestStateError('x'.repeat(39) + 'yz' + 'w'.repeat(500))),
      `${'x'.repeat(39)}y`,
    ],
    [
      'refuses without a reason',
      () => {
        throw new InvalidRequestStateError();
      },
      'malformed',
    ],
  ];

  describe.each(layers)('on %s', (layer) => {
    test.each(failing)(
      'I44: causes the frozen error and logs the reason if it %s',
      async (_, unseal, reason) => {
        const seen: Seen = [];
        const codec = { seal: () => 'token', unseal } as unknown as RequestStateCodec;
        const { seal, logged } = createSeal({ codec });
        const send = overHttp(desk({ layer, seal, seen }));
        expect(await ask(send)).toBe('token');
        expectFrozen(await retry(send, 'token'));
        expect(seen).toHaveLength(1);
        expect(logged).toEqual([`requestState rejected on tools/call: ${reason}`]);
      },
    );
  });
});

test('Z6: a reason that quotes a token writes no lines of its own', async () => {
  const rejections: Rejection[] = [];
  const unseal = (token: string): never => {
    throw new InvalidRequestStateError(`no key "${token}" é`);
  };
  const { seal, logged } = createSeal({
    codec: { seal: () => 'token', unseal },
    onReject: (rejection) => void rejections.push(rejection),
  });
  expectFrozen(await retry(overHttp(desk({ seal })), 'a\r\u001B[2J\n'));
  const reason = String.raw`no key "a\r\u{001B}[2J\n" é`;
  expect(rejections).toEqual([{ reason, method: 'tools/call' }]);
  expect(logged).toEqual([`requestState rejected on tools/call: ${reason}`]);
});

describe('I44, K6: a codec that fails to seal a state', () => {
  const NOT_TEXT = 'TypeError: `codec.seal` must return a string.';
  const BAD_LENGTH =
    'RangeError: `codec.seal` must return a token that is neither empty nor too long.';
  const failing: [string, (bytes: Uint8Array) => unknown, string][] = [
    [
      'throws',
      () => {
        throw new RangeError('key-server-7 is down');
      },
      'RangeError: key-server-7 is down',
    ],
    [
      'rejects',
      () => Promise.reject(new RangeError('key-server-7 is down')),
      'RangeError: key-server-7 is down',
    ],
    [
      'quotes the state',
      (bytes) => {
        const quoted = /awaiting-confirm/.exec(Buffer.from(bytes).toString());
        throw new RangeError(`cannot seal ${String(quoted)}`);
      },
      'RangeError: cannot seal …',
    ],
    [
      'refuses',
      () => {
        throw new InvalidRequestStateError('key-server-7');
      },
      'InvalidRequestStateError: key-server-7',
    ],
    ['returns a number', () => 42, NOT_TEXT],
    ['returns undefined', () => undefined, NOT_TEXT],
    ['returns bytes', () => new Uint8Array(4), NOT_TEXT],
    ['returns an empty string', () => '', BAD_LENGTH],
    ['returns a token that is too long', () => 'x'.repeat(10_000_000), BAD_LENGTH],
  ];

  describe.each(layers)('on %s', (layer) => {
    describe.each(moments)('protected %s its handlers are set', (when) => {
      test.each(failing)(
        'I44, K6: causes an internal error without data and logs the cause if it %s',
        async (_, failed, cause) => {
          const codec = { seal: failed, unseal: () => new Uint8Array(0) };
          const { seal, logged } = createSeal({ codec: codec as unknown as RequestStateCodec });
          const reply = await overHttp(desk({ layer, when, seal }))('tools/call', STAGING);
          expect(reply.text).toBe(INTERNAL_BODY);
          expect(logged).toEqual([`requestState could not be sealed on tools/call: ${cause}`]);
        },
      );
    });

    test('I44, K6: causes the same error if onerror throws', async () => {
      const codec = { seal: () => '', unseal: () => new Uint8Array(0) };
      const { seal } = createSeal({ codec });
      const create = desk({ layer, seal });
      const send = overHttp((context) => {
        const server = create(context);
        (server instanceof McpServer ? server.server : server).onerror = () => {
          throw new Error('the log is full');
        };
        return server;
      });
      expect((await send('tools/call', STAGING)).text).toBe(INTERNAL_BODY);
    });
  });
});
