/**
 * A codec turns bytes into a token that a client carries, and back. The built-in one encrypts; an
 * author may bring another. Whatever the codec, the claims inside are stamped and checked by the
 * library.
 *
 * ```
 * v1.<base64url of  key id (4) │ nonce (12) │ ciphertext │ tag (16) >
 * associated data:  "v1." │ key id
 * ```
 */
import { InvalidRequestStateError } from '../errors.js';
import {
  base64url,
  concat,
  equalBytes,
  fromBase64url,
  lazily,
  randomBytes,
  utf8,
} from '../platform.js';
import { deriveKey, TAG_BYTES } from './aead.js';
import type { AeadKey, DeriveKey } from './aead.js';

/** Seals and opens tokens. Both may take time. */
export interface RequestStateCodec {
  readonly seal: (plaintext: Uint8Array) => string | Promise<string>;
  /** @throws {@link InvalidRequestStateError} For anything that it did not seal, byte for byte. */
  readonly unseal: (token: string) => Uint8Array | Promise<Uint8Array>;
}

const PREFIX = 'v1.';
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const OVERHEAD = KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES;

/** The length of the token for so many bytes. */
export function tokenLength(plaintextBytes: number): number {
  return PREFIX.length + Math.ceil(((plaintextBytes + OVERHEAD) * 4) / 3);
}

/** Creates the built-in codec over a ring of secrets: the first one seals, every one opens. */
export function ringCodec(
  secrets: readonly Uint8Array[],
  derive: DeriveKey = deriveKey,
): RequestStateCodec {
  // Derived with the first token: some runtimes allow no cryptography while modules load.
  const ring = lazily(() =>
    Promise.all(secrets.map(async (secret) => ringKey(await derive(secret)))),
  );
  return {
    seal: async (plaintext) => sealUnder(firstOf(await ring()), plaintext),
    unseal: async (token) => openUnder(takeApart(token), await ring()),
  };
}

/** A key with the data that everything sealed under it is associated with. */
interface RingKey extends AeadKey {
  readonly associated: Uint8Array;
}

function ringKey(key: AeadKey): RingKey {
  return { ...key, associated: concat(utf8(PREFIX), key.id) };
}

function firstOf(keys: readonly RingKey[]): RingKey {
  const [first] = keys;
  if (first === undefined) throw new Error('The key ring is empty.');
  return first;
}

async function sealUnder(key: RingKey, plaintext: Uint8Array): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES);
  const sealed = await key.seal(nonce, plaintext, key.associated);
  return PREFIX + base64url(concat(key.id, nonce, sealed));
}

interface TokenParts {
  readonly id: Uint8Array;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
}

function takeApart(token: string): TokenParts {
  const bytes = token.startsWith(PREFIX) ? fromBase64url(token.slice(PREFIX.length)) : undefined;
  if (bytes === undefined || bytes.length < OVERHEAD)
    throw new InvalidRequestStateError('malformed');
  return {
    id: bytes.subarray(0, KEY_ID_BYTES),
    nonce: bytes.subarray(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES),
    sealed: bytes.subarray(KEY_ID_BYTES + NONCE_BYTES),
  };
}

/** Two keys may share an id by chance, so every key of that name gets its try. */
async function openUnder(
  { id, nonce, sealed }: TokenParts,
  keys: readonly RingKey[],
): Promise<Uint8Array> {
  const named = keys.filter((key) => equalBytes(key.id, id));
  if (named.length === 0) throw new InvalidRequestStateError('unknown key');
  for (const key of named) {
    const plaintext = await key.open(nonce, sealed, key.associated);
    if (plaintext !== undefined) return plaintext;
  }
  throw new InvalidRequestStateError('seal');
}
