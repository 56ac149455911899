/**
 * Binds a token to its principal. The claim is a salted hash, so it reveals nothing about the user,
 * and two tokens of one user cannot be linked by it.
 */
import type { AuthInfo } from '@modelcontextprotocol/server';
import { base64url, concat, fromBase64url, randomBytes, sha256, utf8 } from '../platform.js';
import type { PrincipalContext } from './sealOptions.js';
import { Warnings } from '../log.js';
import type { Logger } from '../log.js';

const LABEL = utf8('mcp/request-state/principal:');
const SALT_BYTES = 8;
const HASH_BYTES = 16;

/** Creates the claim for a principal, with a new salt. */
export async function principalClaim(
  principal: string,
  salt: Uint8Array = randomBytes(SALT_BYTES),
): Promise<string> {
  return base64url(concat(salt, await saltedHash(principal, salt)));
}

/** Returns true if a claim was created for this principal. */
export async function bindsPrincipal(claim: unknown, principal: string): Promise<boolean> {
  const bytes = typeof claim === 'string' ? fromBase64url(claim) : undefined;
  if (bytes?.length !== SALT_BYTES + HASH_BYTES) return false;
  const hash = await saltedHash(principal, bytes.subarray(0, SALT_BYTES));
  return equalInConstantTime(hash, bytes.subarray(SALT_BYTES));
}

async function saltedHash(principal: string, salt: Uint8Array): Promise<Uint8Array> {
  const hash = await sha256(concat(LABEL, salt, wtf8(principal)));
  return hash.subarray(0, HASH_BYTES);
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Encodes a string as UTF-8 but keeps lone surrogates distinct. The platform replaces them all. */
function wtf8(text: string): Uint8Array {
  if (!LONE_SURROGATE.test(text)) return utf8(text);
  const parts = Array.from(text, (char) =>
    LONE_SURROGATE.test(char) ? surrogateBytes(char) : utf8(char),
  );
  return concat(...parts);
}

function surrogateBytes(char: string): Uint8Array {
  const unit = char.charCodeAt(0);
  return Uint8Array.of(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
}

function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  a.forEach((byte, index) => {
    difference |= byte ^ (b[index] ?? 0);
  });
  return difference === 0;
}

/**
 * Returns the client, issuer and subject of a validated token as one string, or `undefined` if
 * there is no token.
 */
export function tokenPrincipal(authInfo: AuthInfo | undefined): string | undefined {
  if (authInfo === undefined) return undefined;
  const { iss, sub } = { ...authInfo.extra };
  return JSON.stringify([authInfo.clientId, iss ?? null, sub ?? null]);
}

/**
 * Returns the principal of a request. It warns once if a token has no subject, because all users of
 * that client then count as one.
 */
export function authenticatedPrincipal(
  { http }: PrincipalContext,
  logger: Logger,
): string | undefined {
  const authInfo = http?.authInfo;
  if (authInfo !== undefined && (authInfo.extra?.sub ?? undefined) === undefined) {
    Warnings.of(logger).once(
      'A validated token has no subject (`authInfo.extra.sub`), so all users of one OAuth client count as one user. Have the token verifier set `sub`, or pass `principal` to requestStateSeal().',
    );
  }
  return tokenPrincipal(authInfo);
}
