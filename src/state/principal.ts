/**
 * Binds a token to whoever it was made for. The claim is salted, so that two tokens of one person
 * cannot be linked by what is in them, and says nothing about the person.
 */
import {
  andThen,
  base64url,
  concat,
  fromBase64url,
  publicRandomBytes,
  sha256,
  utf8,
} from '../platform.js';
import type { MaybePromise } from '../platform.js';

const LABEL = utf8('mcp/request-state/principal:');
const SALT_BYTES = 8;
const HASH_BYTES = 16;

/** The claim for a principal, under a fresh salt. */
export function principalClaim(
  principal: string,
  salt: Uint8Array = publicRandomBytes(SALT_BYTES),
): MaybePromise<string> {
  return andThen(saltedHash(principal, salt), (hash) => base64url(concat(salt, hash)));
}

/** Whether a claim was made for this principal. */
export function bindsPrincipal(claim: unknown, principal: string): MaybePromise<boolean> {
  const bytes = typeof claim === 'string' ? fromBase64url(claim) : undefined;
  if (bytes?.length !== SALT_BYTES + HASH_BYTES) return false;
  return andThen(saltedHash(principal, bytes.subarray(0, SALT_BYTES)), (hash) =>
    equalInConstantTime(hash, bytes.subarray(SALT_BYTES)),
  );
}

function saltedHash(principal: string, salt: Uint8Array): MaybePromise<Uint8Array> {
  return andThen(sha256(concat(LABEL, salt, wtf8(principal))), (hash) =>
    hash.subarray(0, HASH_BYTES),
  );
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
