/**
 * Tokens as bytes and as claims, so that mutations can change them. With the keys of the server, it
 * also creates tokens with a valid seal and wrong claims.
 */
import { TokenKey } from '../../../test/support/token.js';

const PREFIX = 'v1.';

/** The parts of a token's bytes, with the offsets of their begin and end. */
export const REGIONS = {
  'key id': [0, 4],
  nonce: [4, 16],
  ciphertext: [16, -16],
  tag: [-16, Infinity],
} as const;

export type Region = keyof typeof REGIONS;

export function bytesOf(token: string): Uint8Array {
  return new Uint8Array(Buffer.from(token.slice(PREFIX.length), 'base64url'));
}

export function tokenOf(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString('base64url');
}

/** Returns the offsets of a region in these bytes. */
export function boundsOf(region: Region, { length }: Uint8Array): [from: number, to: number] {
  const [from, to] = REGIONS[region];
  return [from < 0 ? length + from : from, to < 0 ? length + to : Math.min(to, length)];
}

/** The claims in a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** Opens and seals tokens with a key. */
export interface Forge {
  readonly open: (token: string) => Claims;
  readonly sealClaims: (claims: Claims) => string;
  readonly sealBytes: (bytes: Uint8Array) => string;
}

/** Creates a forge. */
export function forgeWith(secret: string): Forge {
  const key = new TokenKey(secret);
  return {
    open: (token) => JSON.parse(key.open(token)) as Claims,
    sealClaims: (claims) => key.seal(JSON.stringify(claims)),
    sealBytes: (bytes) => key.seal(bytes),
  };
}
