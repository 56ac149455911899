/** The built-in codec on both platform APIs: its format, its test vectors and its keys. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { InvalidRequestStateError } from 'mcp-resolve';
import type { RequestStateCodec } from 'mcp-resolve';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { deriveKey, deriveWithNode, deriveWithWebCrypto } from '../../src/state/aead.js';
import { ringCodec, tokenLength } from '../../src/state/codec.js';
import { codecContract, refusalOf } from './codec.case.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const SECRET = bytesOf('0123456789abcdef0123456789abcdef');
const OTHER_SECRET = bytesOf('fedcba9876543210fedcba9876543210');

/** A custom codec that is asynchronous, uses another cipher and shares no code with the library. */
function customCodec(key: Uint8Array): RequestStateCodec {
  return {
    seal: async (plaintext) => {
      await Promise.resolve();
      const nonce = randomBytes(12);
      const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 });
      const sealed = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
      return `own.${Buffer.concat([nonce, sealed]).toString('base64url')}`;
    },
    unseal: async (token) => {
      await Promise.resolve();
      const bytes = Buffer.from(token.slice(4), 'base64url');
      if (`own.${bytes.toString('base64url')}` !== token || bytes.length < 28)
        throw new InvalidRequestStateError();
      const nonce = bytes.subarray(0, 12);
      const decipher = createDecipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 });
      decipher.setAuthTag(bytes.subarray(-16));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
      } catch {
        throw new InvalidRequestStateError('seal');
      }
    },
  };
}

codecContract('a codec built on node:crypto', {
  make: () => ringCodec([SECRET], deriveWithNode),
  makeForeign: () => ringCodec([OTHER_SECRET], deriveWithNode),
});
codecContract('a codec built on WebCrypto', {
  make: () => ringCodec([SECRET], deriveWithWebCrypto),
  makeForeign: () => ringCodec([OTHER_SECRET], deriveWithWebCrypto),
});
codecContract('a custom asynchronous codec', {
  make: () => customCodec(SECRET),
  makeForeign: () => customCodec(OTHER_SECRET),
});

afterEach(() => {
  vi.restoreAllMocks();
});

const derivations = [
  ['node:crypto', deriveWithNode],
  ['WebCrypto', deriveWithWebCrypto],
] as const;

const VECTOR = 'v1.oBT0CwABAgMEBQYHCAkKCzBsQZTvX9f63IvLQIFZsd3KtHavCQ';

describe.each(derivations)('the built-in codec on %s', (_, derive) => {
  const codec = ringCodec([SECRET], derive);

  test('I18: derives the key id a014f40b from the documented secret', async () => {
    expect(Buffer.from((await derive(SECRET)).id).toString('hex')).toBe('a014f40b');
  });

  test('I17, I18: opens the documented token as hello', async () => {
    expect(Buffer.from(await codec.unseal(VECTOR)).toString()).toBe('hello');
  });

  test('I17, I18: seals hello with the documented nonce to the documented token', async () => {
    vi.spyOn(globalThis.crypto, 'getRandomValues').mockImplementationOnce((array) => {
      (array as Uint8Array).set(Uint8Array.from({ length: 12 }, (_unused, index) => index));
      return array;
    });
    expect(await codec.seal(bytesOf('hello'))).toBe(VECTOR);
  });

  test.each([0, 1, 2, 3, 5, 64])(
    'I17: writes a token as v1. and the unpadded base64url of 4 + 12 + %i + 16 bytes',
    async (length) => {
      const token = await codec.seal(new Uint8Array(length));
      expect(token).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
      const bytes = Buffer.from(token.slice(3), 'base64url');
      expect(bytes).toHaveLength(4 + 12 + length + 16);
      expect(bytes.subarray(0, 4).toString('hex')).toBe('a014f40b');
      expect(token).toHaveLength(tokenLength(length));
    },
  );

  test('I17: authenticates the prefix and the key id as associated data', async () => {
    const bytes = Buffer.from((await codec.seal(bytesOf('state'))).slice(3), 'base64url');
    const key = Buffer.from(
      '8b279fbfa7aa79b48cf824b4f015d8a4cbe44cb986958e1f8467c9090662dca2',
      'hex',
    );
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(4, 16));
    decipher.setAAD(Buffer.concat([Buffer.from('v1.'), bytes.subarray(0, 4)]));
    decipher.setAuthTag(bytes.subarray(-16));
    const plaintext = Buffer.concat([decipher.update(bytes.subarray(16, -16)), decipher.final()]);
    expect(plaintext.toString()).toBe('state');
  });

  test.each([
    ['prefix', -1, 'malformed'],
    ['key id', 0, 'unknown key'],
    ['nonce', 4, 'seal'],
    ['ciphertext', 16, 'seal'],
    ['tag', 21, 'seal'],
  ] as const)('I21: refuses a token with a flipped bit in the %s', async (__, at, reason) => {
    const token = await codec.seal(bytesOf('state'));
    const bytes = Buffer.from(token.slice(3), 'base64url');
    if (at >= 0) bytes[at]! ^= 1;
    const prefix = at >= 0 ? 'v1.' : 'w1.';
    expect(await refusalOf(codec, prefix + bytes.toString('base64url'))).toBe(reason);
  });

  test.each(['', 'v1.', 'v1', 'hello', 'v1.!!!!', `v1.${'A'.repeat(41)}`, `v1.${'A'.repeat(42)}`])(
    'I22: refuses the malformed or short token %j',
    async (token) => {
      expect(await refusalOf(codec, token)).toBe('malformed');
    },
  );

  test('I22: looks up the key of a token with a body of exactly 32 bytes', async () => {
    expect(await refusalOf(codec, `v1.${Buffer.alloc(32).toString('base64url')}`)).toBe(
      'unknown key',
    );
  });

  test('I21: refuses a tag that is cut to four bytes', async () => {
    const key = await derive(SECRET);
    const nonce = new Uint8Array(12);
    const tag = await key.seal(nonce, new Uint8Array(0), bytesOf('associated'));
    expect(tag).toHaveLength(16);
    const opened = await key.open(nonce, tag.subarray(0, 4), bytesOf('associated'));
    expect(opened).toBeUndefined();
  });

  test('has no key to seal with if its ring is empty', async () => {
    await expect(ringCodec([], derive).seal(bytesOf('state'))).rejects.toThrow(
      'The key ring is empty.',
    );
  });

  test('I23: refuses a token with the prefix of another version', async () => {
    const token = await codec.seal(bytesOf('state'));
    expect(await refusalOf(codec, `v2.${token.slice(3)}`)).toBe('malformed');
    expect(await refusalOf(codec, `V1.${token.slice(3)}`)).toBe('malformed');
  });

  test('I23: refuses a token whose key id was replaced by that of another key', async () => {
    const ring = ringCodec([SECRET, OTHER_SECRET], derive);
    const bytes = Buffer.from((await ring.seal(bytesOf('state'))).slice(3), 'base64url');
    bytes.set((await derive(OTHER_SECRET)).id, 0);
    expect(await refusalOf(ring, `v1.${bytes.toString('base64url')}`)).toBe('seal');
  });

  test('I23: authenticates the prefix and does not only compare it', async () => {
    // Sealed as a future version would, with "v2." in the associated data, then given the old prefix.
    const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'mcp/request-state/v1/aes-256-gcm', 32));
    const id = createHash('sha256').update('mcp/request-state/v1/kid:').update(key).digest();
    const nonce = Buffer.alloc(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    cipher.setAAD(Buffer.concat([Buffer.from('v2.'), id.subarray(0, 4)]));
    const sealed = Buffer.concat([cipher.update('state'), cipher.final(), cipher.getAuthTag()]);
    const body = Buffer.concat([id.subarray(0, 4), nonce, sealed]).toString('base64url');
    expect(await refusalOf(codec, `v1.${body}`)).toBe('seal');
  });

  test('I24: seals with the first key, opens with every key, and refuses unknown keys', async () => {
    const ring = ringCodec([OTHER_SECRET, SECRET], derive);
    const alone = ringCodec([OTHER_SECRET], derive);
    const token = await ring.seal(bytesOf('state'));
    expect(Buffer.from(await alone.unseal(token)).toString()).toBe('state');
    expect(await refusalOf(codec, token)).toBe('unknown key');
    const older = await codec.seal(bytesOf('older'));
    expect(Buffer.from(await ring.unseal(older)).toString()).toBe('older');
    expect(await refusalOf(alone, older)).toBe('unknown key');
  });

  test('I25: opens every token that is still in use while keys rotate in three phases', async () => {
    const before = ringCodec([SECRET], derive);
    const announced = ringCodec([SECRET, OTHER_SECRET], derive);
    const switched = ringCodec([OTHER_SECRET, SECRET], derive);
    const retired = ringCodec([OTHER_SECRET], derive);
    const old = await before.seal(bytesOf('old'));
    const first = await announced.seal(bytesOf('first'));
    const second = await switched.seal(bytesOf('second'));

    for (const ring of [before, announced, switched]) {
      expect(Buffer.from(await ring.unseal(old)).toString()).toBe('old');
      expect(Buffer.from(await ring.unseal(first)).toString()).toBe('first');
    }
    for (const ring of [announced, switched, retired]) {
      expect(Buffer.from(await ring.unseal(second)).toString()).toBe('second');
    }
    expect(await refusalOf(before, second)).toBe('unknown key');
    expect(await refusalOf(retired, old)).toBe('unknown key');
  });
});

test('the codec uses node:crypto on Node, which needs no promise to seal and to open', async () => {
  const key = await deriveKey(SECRET);
  const [nonce, associated] = [new Uint8Array(12), bytesOf('associated')];
  const sealed = key.seal(nonce, bytesOf('state'), associated);
  expect(sealed).toBeInstanceOf(Uint8Array);
  expect(key.open(nonce, sealed as Uint8Array, associated)).toEqual(bytesOf('state'));
});

test.each([
  ['node:crypto', 'WebCrypto', deriveWithNode, deriveWithWebCrypto],
  ['WebCrypto', 'node:crypto', deriveWithWebCrypto, deriveWithNode],
] as const)(
  'I17: the codecs share a format: %s seals, %s opens',
  async (_, __, sealing, opening) => {
    const token = await ringCodec([SECRET], sealing).seal(bytesOf('across'));
    const plaintext = await ringCodec([SECRET], opening).unseal(token);
    expect(Buffer.from(plaintext).toString()).toBe('across');
  },
);
