/**
 * Authenticated encryption for tokens: AES-256-GCM with keys derived by HKDF-SHA256. Two platform
 * APIs implement one interface and one format, so each opens tokens that the other sealed.
 */
import { concat, nodeCrypto, sha256, utf8 } from '../platform.js';

export interface AeadKey {
  /** The id of the key in tokens: four bytes that reveal nothing about the key. */
  readonly id: Uint8Array;
  readonly seal: (
    nonce: Uint8Array,
    plaintext: Uint8Array,
    associated: Uint8Array,
  ) => Uint8Array | Promise<Uint8Array>;
  /**
   * Returns the plaintext, or `undefined` if the bytes were not sealed with this key and associated
   * data.
   */
  readonly open: (
    nonce: Uint8Array,
    sealed: Uint8Array,
    associated: Uint8Array,
  ) => Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

export type DeriveKey = (secret: Uint8Array) => Promise<AeadKey>;

const KEY_INFO = utf8('mcp/request-state/v1/aes-256-gcm');
const KEY_ID_LABEL = utf8('mcp/request-state/v1/kid:');

/** The length of the tag at the end of a sealed token. */
export const TAG_BYTES = 16;

/** Derives a key with `node:crypto` where the library uses it, and with WebCrypto elsewhere. */
export const deriveKey: DeriveKey = (secret) =>
  nodeCrypto() === undefined ? deriveWithWebCrypto(secret) : deriveWithNode(secret);

async function keyId(derived: Uint8Array): Promise<Uint8Array> {
  return (await sha256(concat(KEY_ID_LABEL, derived))).slice(0, 4);
}

const GCM = { authTagLength: TAG_BYTES };

/** Derives a key with `node:crypto`, which is synchronous. */
export const deriveWithNode: DeriveKey = async (secret) => {
  const crypto = nodeCrypto();
  if (crypto === undefined) throw new Error('`node:crypto` is not available in this runtime.');
  const { createCipheriv, createDecipheriv, createSecretKey, hkdfSync } = crypto;
  const derived = new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), KEY_INFO, 32));
  const key = createSecretKey(derived);
  return {
    id: await keyId(derived),
    seal: (nonce, plaintext, associated) => {
      const cipher = createCipheriv('aes-256-gcm', key, nonce, GCM).setAAD(associated);
      return concat(cipher.update(plaintext), cipher.final(), cipher.getAuthTag());
    },
    open: (nonce, sealed, associated) => {
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, GCM);
      try {
        decipher.setAAD(associated).setAuthTag(sealed.subarray(-TAG_BYTES));
        return concat(decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final());
      } catch {
        return undefined;
      }
    },
  };
};

/** Derives a key with WebCrypto, which every runtime has. */
export const deriveWithWebCrypto: DeriveKey = async (secret) => {
  const { subtle } = globalThis.crypto;
  const ikm = await subtle.importKey('raw', Uint8Array.from(secret), 'HKDF', false, ['deriveBits']);
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: KEY_INFO.slice() };
  const derived = new Uint8Array(await subtle.deriveBits(hkdf, ikm, 256));
  const key = await subtle.importKey('raw', derived, 'AES-GCM', false, ['encrypt', 'decrypt']);
  const gcm = (nonce: Uint8Array, associated: Uint8Array) => ({
    name: 'AES-GCM',
    iv: nonce.slice(),
    additionalData: associated.slice(),
  });
  return {
    id: await keyId(derived),
    seal: async (nonce, plaintext, associated) =>
      new Uint8Array(await subtle.encrypt(gcm(nonce, associated), key, plaintext.slice())),
    open: (nonce, sealed, associated) =>
      subtle.decrypt(gcm(nonce, associated), key, sealed.slice()).then(
        (plaintext) => new Uint8Array(plaintext),
        () => undefined,
      ),
  };
};
