/**
 * A codec turns bytes into a token that the client carries, and back. The built-in codec encrypts,
 * and an author may supply another. With any codec, the library writes and checks the claims
 * inside.
 *
 * ```
 * v1.<base64url of  key id (4) │ nonce (12) │ ciphertext │ tag (16) >
 * associated data:  "v1." │ key id
 * ```
 */
import { InvalidRequestStateError } from '../errors.js';
import { base64url, concat, equalBytes, fromBase64url, randomBytes, utf8 } from '../platform.js';
import { deriveKey, TAG_BYTES } from './aead.js';
import type { AeadKey, DeriveKey } from './aead.js';

/** Seals and opens tokens. */
export interface RequestStateCodec {
  readonly seal: (plaintext: Uint8Array) => string | Promise<string>;
  /**
   * Opens a token.
   *
   * @throws {@link InvalidRequestStateError} If this codec did not seal exactly these bytes.
   */
  readonly unseal: (token: string) => Uint8Array | Promise<Uint8Array>;
}

const PREFIX = 'v1.';
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const OVERHEAD = KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES;

/** Returns the length of the token for a plaintext of this length. */
export function tokenLength(plaintextBytes: number): number {
  return PREFIX.length + Math.ceil(((plaintextBytes + OVERHEAD) * 4) / 3);
}

/** Returns the secrets. It is called on first use, and again if it failed. */
export type ReadSecrets = () => readonly Uint8Array[] | Promise<readonly Uint8Array[]>;

/**
 * Creates the built-in codec. The first secret seals, and every secret opens. Keys are derived on
 * first use, because some runtimes allow no cryptography while modules load.
 */
export function ringCodec(
  secrets: readonly Uint8Array[] | ReadSecrets,
  derive: DeriveKey = deriveKey,
): RequestStateCodec {
  const read = async (): Promise<readonly RingKey[]> => {
    const all = typeof secrets === 'function' ? await secrets() : secrets;
    return Promise.all(all.map(async (secret) => ringKey(await derive(secret))));
  };
  let known: Promise<readonly RingKey[]> | undefined;
  const ring = (): Promise<readonly RingKey[]> =>
    (known ??= read().catch((error: unknown) => {
      known = undefined;
      throw error;
    }));
  return {
    seal: async (plaintext) => sealUnder(firstOf(await ring()), plaintext),
    unseal: async (token) => openUnder(takeApart(token), await ring()),
  };
}

/** A key with the associated data of every token that it seals. */
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

/** Tries every key with the token's key id, because two keys may share an id by chance. */
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
