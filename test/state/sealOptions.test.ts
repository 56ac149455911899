/** The checks of `requestStateSeal`, and the messages of its errors. */
import { randomBytes } from 'node:crypto';
import { requestStateSeal } from 'mcp-resolve';
import type { RequestStateCodec, RequestStateKey, RequestStateSealOptions } from 'mcp-resolve';
import { describe, expect, test, vi } from 'vitest';

import { ringCodec } from '../../src/state/codec.js';
import { readKeys } from '../../src/state/keyRing.js';
import { refusalOf } from './codec.case.js';

const KEY = '0123456789abcdef0123456789abcdef';
const OTHER_KEY = 'fedcba9876543210fedcba9876543210';
const ADVICE = 'Create one with: npx mcp-resolve key';
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const codec: RequestStateCodec = {
  seal: (bytes) => Buffer.from(bytes).toString('hex'),
  unseal: (token) => Buffer.from(token, 'hex'),
};

/** Creates a seal with options that the types do not allow. */
const sealWith = (options: unknown): unknown => requestStateSeal(options as never);
const withKeys = (...keys: unknown[]): unknown => sealWith({ audience: 'desk', keys });

describe('I26: requestStateSeal refuses its keys', () => {
  test('if there are none', () => {
    expect(() => withKeys()).toThrow(
      new TypeError(`requestStateSeal() requires at least one key in \`keys\`. ${ADVICE}`),
    );
  });

  test('if they are not an array', () => {
    expect(() => sealWith({ audience: 'desk', keys: KEY })).toThrow(
      new TypeError(
        'requestStateSeal(): `keys` must be an array of secrets, or a function that returns one. Write keys: [key].',
      ),
    );
  });

  test('if one is too short, and names its index, its length and a command that creates one', () => {
    expect(() => withKeys(KEY, 'x'.repeat(31))).toThrow(
      new TypeError(
        `requestStateSeal(): \`keys[1]\` must have at least 32 bytes, got 31. ${ADVICE}`,
      ),
    );
    expect(() => withKeys(new Uint8Array(0))).toThrow(
      new TypeError(
        `requestStateSeal(): \`keys[0]\` must have at least 32 bytes, got 0. ${ADVICE}`,
      ),
    );
  });

  test.each([
    ['x'.repeat(32), '1 different byte'],
    ['0'.repeat(64), '1 different byte'],
    ['ü'.repeat(16), '2 different bytes'],
    ['abc'.repeat(11), '3 different bytes'],
    ['changeme'.repeat(4).replaceAll('g', 'n'), '6 different bytes'],
    [new Uint8Array(32), '1 different byte'],
    [Buffer.alloc(64, 'secret!'), '6 different bytes'],
  ])('if one repeats a few bytes, as %o does', (key, count) => {
    expect(() => withKeys(KEY, key)).toThrow(
      new TypeError(
        `requestStateSeal(): \`keys[1]\` is not random, because it has only ${count}. ${ADVICE}`,
      ),
    );
  });

  test.each([
    '${REQUEST_STATE_KEY_OF_PRODUCTION}',
    'prefix-${{ secrets.REQUEST_STATE_KEY }}',
    '{{ .Values.requestState.key }} and more of it',
    '{{REQUEST_STATE_KEY_OF_PRODUCTION}}',
    '${KEY:-\n}-0123456789abcdef0123456789abcdef',
    Buffer.from('${REQUEST_STATE_KEY_OF_PRODUCTION}'),
  ])('if one contains a variable that was not replaced: %s', (key) => {
    expect(() => withKeys(key)).toThrow(
      new TypeError(
        `requestStateSeal(): \`keys[0]\` contains a variable that was not replaced, such as \${NAME}, {{NAME}}, $NAME or %NAME%. Check how the key is passed to the process. ${ADVICE}`,
      ),
    );
  });

  test('if one occurs twice, as a string or as bytes', () => {
    expect(() => withKeys(KEY, KEY)).toThrow(
      new TypeError('keys[1] duplicates an earlier ring key'),
    );
    expect(() => withKeys(KEY, OTHER_KEY, bytesOf(KEY))).toThrow(
      new TypeError('keys[2] duplicates an earlier ring key'),
    );
  });

  test.each([
    [32, 'number'],
    [true, 'boolean'],
    [null, 'null'],
    [undefined, 'undefined'],
    [Array.from({ length: 32 }, () => 7), 'object'],
    [new ArrayBuffer(32), 'object'],
    [{ length: 32 }, 'object'],
    [() => KEY, 'function'],
  ])('if one is %o, and names its index and type', (key, type) => {
    expect(() => withKeys(KEY, key)).toThrow(
      new TypeError(
        `requestStateSeal(): \`keys[1]\` must be a string or a Uint8Array, got a value of type ${type}.${key === undefined ? ` Is its environment variable set? ${ADVICE}` : ''}`,
      ),
    );
  });
});

describe('I27: a key', () => {
  test('I27: of random bytes is never taken for a variable or for a few bytes', () => {
    const random = Buffer.from('\u0000${key}\u0001 random bytes 0123456789', 'latin1');
    expect(readKeys([random])).toHaveLength(1);
    for (let time = 0; time < 2000; time += 1) {
      const bytes = randomBytes(32);
      const forms = [
        bytes,
        ...(['hex', 'base64', 'base64url'] as const).map((as) => bytes.toString(as)),
      ];
      expect(readKeys(forms)).toHaveLength(4);
    }
  });

  test('I27: given as a string equals its UTF-8 bytes', async () => {
    const text = 'schlüssel-schlüssel-schlüssel-schlüssel';
    const token = await ringCodec(readKeys([text])).seal(bytesOf('state'));
    const opened = await ringCodec(readKeys([bytesOf(text)])).unseal(token);
    expect(Buffer.from(opened).toString()).toBe('state');
  });

  test('I27: has at least 32 bytes, not characters', () => {
    expect(readKeys(['äöüßéèêçñåøæœàâî'])).toHaveLength(1);
    expect(() => readKeys(['äöüßéèêçñåøæœàâ'])).toThrow(
      '`keys[0]` must have at least 32 bytes, got 30.',
    );
  });

  test('I27: can be a string beside others that are bytes or buffers', async () => {
    const third = Buffer.from('abcdefghijklmnopqrstuvwxyz012345');
    const ring = ringCodec(readKeys([KEY, bytesOf(OTHER_KEY), third]));
    for (const key of [KEY, OTHER_KEY, third] as RequestStateKey[]) {
      const token = await ringCodec(readKeys([key])).seal(bytesOf('state'));
      expect(Buffer.from(await ring.unseal(token)).toString()).toBe('state');
    }
  });

  test('I27: is copied, so later changes by the caller have no effect', async () => {
    const mine = bytesOf(KEY);
    const ring = ringCodec(readKeys([mine]));
    const before = await ringCodec(readKeys([KEY])).seal(bytesOf('before'));
    mine.fill(0);
    expect(Buffer.from(await ring.unseal(before)).toString()).toBe('before');
    const after = await ring.seal(bytesOf('after'));
    const opened = await ringCodec(readKeys([KEY])).unseal(after);
    expect(Buffer.from(opened).toString()).toBe('after');
  });

  test('I27: given as a view into a larger buffer has only the bytes of the view', async () => {
    const larger = Buffer.concat([Buffer.from('....'), Buffer.from(KEY), Buffer.from('....')]);
    const ring = ringCodec(readKeys([larger.subarray(4, 36)]));
    const token = await ringCodec(readKeys([KEY])).seal(bytesOf('state'));
    expect(Buffer.from(await ring.unseal(token)).toString()).toBe('state');
  });
});

describe('I28: requestStateSeal', () => {
  test('I28: takes exactly one of keys and codec', () => {
    const sentence = new TypeError('requestStateSeal() takes exactly one of `keys` and `codec`.');
    expect(() => sealWith({ audience: 'desk', keys: [KEY], codec })).toThrow(sentence);
    expect(() => sealWith({ audience: 'desk' })).toThrow(sentence);
  });

  test.each([{}, { seal: codec.seal }, { unseal: codec.unseal }, null, 'codec'])(
    'I28: refuses the codec %o',
    (given) => {
      expect(() => sealWith({ audience: 'desk', codec: given })).toThrow(
        new TypeError(
          'requestStateSeal(): `codec` must be an object with `seal(bytes)` and `unseal(token)`.',
        ),
      );
    },
  );

  test.each([undefined, null, 'keys', 7])('I28: refuses %o instead of options', (options) => {
    expect(() => sealWith(options)).toThrow(
      new TypeError('requestStateSeal(): `options` must be an object such as { keys, audience }.'),
    );
  });

  describe.each(['ttlSeconds', 'maxFlowSeconds', 'maxStateBytes'])('as %s', (name) => {
    test.each([0, -1, NaN, Infinity, -Infinity, '600', null])('I28: refuses %o', (value) => {
      const sentence = new TypeError(
        `requestStateSeal(): \`${name}\` must be a positive, finite number.`,
      );
      expect(() => sealWith({ audience: 'desk', keys: [KEY], [name]: value })).toThrow(sentence);
      expect(() => requestStateSeal.ephemeral({ [name]: value })).toThrow(sentence);
    });

    test.each([0.5, 1, 86_400])('I28: accepts %o', (value) => {
      expect(() => sealWith({ audience: 'desk', keys: [KEY], [name]: value })).not.toThrow();
      expect(() => requestStateSeal.ephemeral({ [name]: value })).not.toThrow();
    });
  });

  test('I37, I38: requires an audience with keys and with a codec', () => {
    const sentence = new TypeError(
      'requestStateSeal(): `audience` is required. Set it to the name of the service, so that another service with the same keys rejects its tokens.',
    );
    expect(() => sealWith({ keys: [KEY] })).toThrow(sentence);
    expect(() => sealWith({ codec })).toThrow(sentence);
    expect(() => requestStateSeal.ephemeral()).not.toThrow();
  });

  test.each(['', 7, null, ['desk']])('I37: refuses the audience %o', (audience) => {
    const sentence = new TypeError('requestStateSeal(): `audience` must be a non-empty string.');
    expect(() => sealWith({ keys: [KEY], audience })).toThrow(sentence);
    expect(() => requestStateSeal.ephemeral({ audience } as never)).toThrow(sentence);
  });

  test.each(['alice', 7, null])('I39: refuses the principal %o', (principal) => {
    expect(() => sealWith({ keys: [KEY], audience: 'desk', principal })).toThrow(
      new TypeError(
        "requestStateSeal(): `principal` must be a function that takes the request's context.",
      ),
    );
  });

  test.each(['log', 7, null])('I9: refuses %o as onReject', (onReject) => {
    expect(() => sealWith({ keys: [KEY], audience: 'desk', onReject })).toThrow(
      new TypeError('requestStateSeal(): `onReject` must be a function.'),
    );
  });

  test.each([null, {}, 'console'])('refuses the logger %o', (logger) => {
    expect(() => sealWith({ keys: [KEY], audience: 'desk', logger })).toThrow(
      /^requestStateSeal\(\): `logger` must be /,
    );
  });

  test('keeps the functions and the logger of its options', () => {
    const [principal, onReject] = [() => 'alice', () => undefined];
    const logger = { warn: () => undefined };
    const options = { keys: [KEY], audience: 'desk', principal, onReject, logger };
    expect(requestStateSeal(options)['~policy']).toMatchObject({ principal, onReject, logger });
    expect(requestStateSeal({ keys: [KEY], audience: 'desk' })['~policy'].logger).toBeUndefined();
  });

  test('I28: refuses keys of null like an empty array', () => {
    expect(() => sealWith({ keys: null, audience: 'desk' })).toThrow(
      'requestStateSeal() requires at least one key in `keys`.',
    );
  });

  test('shares its tokens with other processes if it has keys or a codec of the author', () => {
    for (const options of [{ keys: [KEY] }, { keys: () => [KEY] }, { codec }]) {
      const seal = sealWith({ audience: 'desk', ...options }) as { '~policy': unknown };
      expect(seal['~policy']).toMatchObject({ shared: true, byDefault: false });
    }
    expect(requestStateSeal.ephemeral()['~policy']).toMatchObject({
      shared: false,
      byDefault: false,
    });
  });

  test('I28: reads tokens as long as the largest state needs, and more with a custom codec', () => {
    const limits = { audience: 'desk', maxStateBytes: 1000 };
    const longest = (options: RequestStateSealOptions): number =>
      requestStateSeal(options)['~policy'].maxTokenLength;
    // "v1." and the base64url of 1000 bytes, the key id, the nonce and the tag.
    expect(longest({ keys: [KEY], ...limits })).toBe(3 + Math.ceil((1032 * 4) / 3));
    expect(longest({ codec, ...limits })).toBe(8096);
  });

  test('I28: allows 600 seconds per round and 3600 per call by default', () => {
    const options: RequestStateSealOptions = { keys: [KEY], audience: 'desk' };
    expect(requestStateSeal(options)['~policy']).toMatchObject({
      ttlSeconds: 600,
      maxFlowSeconds: 3600,
      maxStateBytes: 65_536,
    });
  });

  test('I29: keeps a custom codec unchanged', () => {
    const policy = requestStateSeal({ codec, audience: 'desk' });
    expect(policy['~policy'].codec).toBe(codec);
  });

  test('I28: creates ephemeral seals that refuse each other’s tokens', async () => {
    const [one, two] = [requestStateSeal.ephemeral(), requestStateSeal.ephemeral()];
    const token = await one['~policy'].codec.seal(bytesOf('state'));
    expect(await refusalOf(two['~policy'].codec, token)).toBe('unknown key');
    expect(Buffer.from(await one['~policy'].codec.unseal(token)).toString()).toBe('state');
  });
});

describe('a misspelled option', () => {
  test.each(['ttlSecond', 'principle', 'key'])('is refused with its name: %s', (name) => {
    const options = { keys: ['0123456789abcdef0123456789abcdef'], audience: 'a', [name]: 5 };
    expect(() => requestStateSeal(options)).toThrow(
      `requestStateSeal() has no option '${name}'. Known options: keys, codec, audience, ttlSeconds, maxFlowSeconds, maxStateBytes, principal, onReject, logger.`,
    );
    expect(() => requestStateSeal.ephemeral({ [name]: 5 })).toThrow(
      `requestStateSeal.ephemeral() has no option '${name}'. Known options: audience, ttlSeconds,`,
    );
  });
});

describe('keys as a function', () => {
  const state = bytesOf('state');

  test('is called once, when the first state is sealed', async () => {
    const keys = vi.fn(() => Promise.resolve([KEY]));
    const seal = requestStateSeal({ keys, audience: 'desk' });
    expect(keys).not.toHaveBeenCalled();
    const token = await seal['~policy'].codec.seal(state);
    await seal['~policy'].codec.unseal(token);
    expect(keys).toHaveBeenCalledOnce();
    expect(await ringCodec([bytesOf(KEY)]).unseal(token)).toEqual(state);
  });

  test('is called again after it failed', async () => {
    let isDown = true;
    const keys = () => (isDown ? Promise.reject(new Error('vault is down')) : [KEY]);
    const { codec: built } = requestStateSeal({ keys, audience: 'desk' })['~policy'];
    await expect(built.seal(state)).rejects.toThrow('vault is down');
    isDown = false;
    expect(await built.seal(state)).toMatch(/^v1\./);
  });

  test('has its keys checked when it is called', async () => {
    const { codec: built } = requestStateSeal({ keys: () => ['short'], audience: 'desk' })[
      '~policy'
    ];
    await expect(built.seal(state)).rejects.toThrow(
      '`keys[0]` must have at least 32 bytes, got 5.',
    );
  });
});
