/**
 * Binds a token to whoever it was made for. The claim is salted, so that two tokens of one person
 * cannot be linked by what is in them, and says nothing about the person.
 */
import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import { base64url, concat, fromBase64url, randomBytes, sha256, utf8 } from '../platform.js';
import type { Warnings } from './warnings.js';

const LABEL = utf8('mcp/request-state/principal:');
const SALT_BYTES = 8;
const HASH_BYTES = 16;

/** The claim for a principal, under a fresh salt. */
export async function principalClaim(
  principal: string,
  salt: Uint8Array = randomBytes(SALT_BYTES),
): Promise<string> {
  return base64url(concat(salt, await saltedHash(principal, salt)));
}

/** Returns true if a claim was made for this principal. */
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

/** UTF-8 in which lone surrogates keep their identity; the platform would make them all the same. */
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

/** Client, issuer and subject of a validated token as one text; `undefined` without a token. */
export function principalOf(authInfo: AuthInfo | undefined): string | undefined {
  if (authInfo === undefined) return undefined;
  const { iss, sub } = { ...authInfo.extra };
  return JSON.stringify([authInfo.clientId, iss ?? null, sub ?? null]);
}

/** The same for a request; says once that without a subject all users of a client are one person. */
export function authenticatedPrincipal(ctx: ServerContext, warnings: Warnings): string | undefined {
  const authInfo = ctx.http?.authInfo;
  if (authInfo !== undefined && (authInfo.extra?.sub ?? undefined) === undefined) {
    warnings.once(
      "a validated token has no subject (authInfo.extra.sub), so all users of one OAuth client count as one person; have the token verifier supply 'sub', or give requestStateSeal a 'principal'",
    );
  }
  return principalOf(authInfo);
}
