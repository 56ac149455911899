/** Codecs of an author's own: what they may do, and what happens when they fail. */
import { InvalidRequestStateError } from 'mcp-resolve';
import type { RequestStateCodec } from 'mcp-resolve';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import {
  ask,
  caller,
  desk,
  endOf,
  expectFrozen,
  layers,
  moments,
  overHttp,
  retry,
  sealing,
  type Seen,
  STAGING,
} from './desk.js';

const INTERNAL_BODY = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}';

/** A codec that only changes the alphabet: everything else must be the library's doing. */
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

/** The same with methods that need their object, and taking their time. */
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

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

describe.each([
  ['synchronous', () => new HexCodec()],
  ['asynchronous', () => new SlowCodec()],
] as const)('I29: a codec that is %s', (_, make) => {
  test.each(layers)('I29: seals and opens (%s)', async (layer) => {
    const { seal } = sealing({ codec: make() });
    const send = overHttp(desk({ layer, seal }));
    const token = await ask(send);
    expect(token).toMatch(/^hex:[0-9a-f]+$/);
    expect(endOf(await retry(send, token))).toBe('deployed to staging');
  });

  test('I29: every claim is stamped and checked all the same', async () => {
    const { seal, said } = sealing({ codec: make() });
    const send = overHttp(desk({ seal }));
    const alice = { authInfo: caller('alice') };
    const token = await ask(send, STAGING, alice);
    expectFrozen(await retry(send, token, { ...STAGING, name: 'other' }, alice));
    expectFrozen(await retry(send, token, STAGING, { authInfo: caller('bob') }));
    expectFrozen(await retry(send, token, STAGING));
    const elsewhere = sealing({ codec: make(), audience: 'shop' });
    expectFrozen(await retry(overHttp(desk({ seal: elsewhere.seal })), token, STAGING, alice));
    vi.setSystemTime(NOW + 600_000);
    expectFrozen(await retry(send, token, STAGING, alice));
    vi.setSystemTime(NOW);
    expect(said.map((line) => line.split(': ')[1])).toEqual([
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
  ])('I29: a token %s is refused', async (__, mangle) => {
    const { seal, said } = sealing({ codec: make() });
    const send = overHttp(desk({ seal }));
    const token = await ask(send);
    expectFrozen(await retry(send, mangle(token)));
    expect(said).toEqual(['requestState rejected on tools/call: not hex']);
  });
});

describe('I44: a codec that fails to open', () => {
  class DirectoryError extends Error {
    override readonly name = 'DirectoryError';
  }

  const failing: [string, () => unknown, string][] = [
    [
      'throws',
      () => {
        throw new DirectoryError('key-server-7 said awaiting-confirm');
      },
      'codec error (DirectoryError)',
    ],
    [
      'rejects',
      () => Promise.reject(new DirectoryError('key-server-7 said awaiting-confirm')),
      'codec error (DirectoryError)',
    ],
    [
      'throws what is no error',
      () => {
        throw 'key-server-7' as unknown as Error;
      },
      'codec error (string)',
    ],
    ['gives a text', () => 'key-server-7', 'codec error (TypeError)'],
    ['gives nothing', () => undefined, 'codec error (TypeError)'],
    ['gives null', () => null, 'codec error (TypeError)'],
    ['gives a list of numbers', () => [1, 2], 'codec error (TypeError)'],
    ['gives a promise of a number', () => Promise.resolve(7), 'codec error (TypeError)'],
    ['gives bytes that are no claims', () => new Uint8Array(64), 'malformed'],
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
      'I44: %s: the frozen error, the cause in the log',
      async (_, unseal, reason) => {
        const seen: Seen = [];
        const codec = { seal: () => 'token', unseal } as unknown as RequestStateCodec;
        const { seal, said } = sealing({ codec });
        const send = overHttp(desk({ layer, seal, seen }));
        expect(await ask(send)).toBe('token');
        expectFrozen(await retry(send, 'token'));
        expect(seen).toHaveLength(1);
        expect(said).toEqual([`requestState rejected on tools/call: ${reason}`]);
        expect(said.join()).not.toMatch(/key-server|awaiting/);
      },
    );
  });
});

describe('I44, K6: a codec that fails to seal', () => {
  const failing: [string, () => unknown, string][] = [
    [
      'throws',
      () => {
        throw new RangeError('key-server-7 is down');
      },
      'RangeError',
    ],
    ['rejects', () => Promise.reject(new RangeError('key-server-7 is down')), 'RangeError'],
    [
      'refuses',
      () => {
        throw new InvalidRequestStateError('key-server-7');
      },
      'InvalidRequestStateError',
    ],
    ['gives a number', () => 42, 'TypeError'],
    ['gives nothing', () => undefined, 'TypeError'],
    ['gives bytes', () => new Uint8Array(4), 'TypeError'],
    ['gives an empty text', () => '', 'RangeError'],
    ['gives more than is taken back', () => 'x'.repeat(10_000_000), 'RangeError'],
  ];

  describe.each(layers)('on %s', (layer) => {
    describe.each(moments)('with handlers wrapped %s', (when) => {
      test.each(failing)(
        'I44, K6: %s: an internal error without data, the cause in the log',
        async (_, failed, cause) => {
          const codec = { seal: failed, unseal: () => new Uint8Array(0) };
          const { seal, said } = sealing({ codec: codec as unknown as RequestStateCodec });
          const reply = await overHttp(desk({ layer, when, seal }))('tools/call', STAGING);
          expect(reply.text).toBe(INTERNAL_BODY);
          expect(said).toEqual([`requestState could not be sealed on tools/call: ${cause}`]);
        },
      );
    });
  });
});
