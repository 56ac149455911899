/** Seals and opens tokens by hand, only from the description in docs/state-format.md. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';

/** The claims of a token. There may be more. */
export interface Claims {
  readonly v: number;
  readonly iat: number;
  readonly exp: number;
  readonly m: string;
  readonly t: string;
  readonly a: string;
  readonly s: string;
  readonly aud?: string;
  readonly p?: string;
}

export const SECRET = '0123456789abcdef0123456789abcdef';
export const NONCE = Buffer.from('000102030405060708090a0b', 'hex');

const key = Buffer.from(hkdfSync('sha256', SECRET, '', 'mcp/request-state/v1/aes-256-gcm', 32));
const keyId = sha256(Buffer.from('mcp/request-state/v1/kid:'), key).subarray(0, 4);
const associated = Buffer.concat([Buffer.from('v1.'), keyId]);

export function sealByHand(plaintext: string): string {
  const cipher = createCipheriv('aes-256-gcm', key, NONCE).setAAD(associated);
  const sealed = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  return `v1.${Buffer.concat([keyId, NONCE, sealed]).toString('base64url')}`;
}

/** @throws {Error} If the token is of another format, or under another key. */
export function openByHand(token: string): Claims {
  const bytes = Buffer.from(token.slice('v1.'.length), 'base64url');
  if (!token.startsWith('v1.') || !bytes.subarray(0, 4).equals(keyId)) {
    throw new Error(`not a token under the documented key: ${token}`);
  }
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(4, 16)).setAAD(associated);
  decipher.setAuthTag(bytes.subarray(-16));
  const plaintext = Buffer.concat([decipher.update(bytes.subarray(16, -16)), decipher.final()]);
  return JSON.parse(plaintext.toString('utf8')) as Claims;
}

/** Returns the claim `p` of a user, with a salt of 8 bytes. */
export function principalByHand(user: string, salt: Uint8Array): string {
  const hash = sha256(Buffer.from('mcp/request-state/principal:'), salt, Buffer.from(user));
  return Buffer.concat([salt, hash.subarray(0, 16)]).toString('base64url');
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
