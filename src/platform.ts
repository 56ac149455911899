/**
 * What differs between runtimes, and the byte encodings built on it. Node, Bun and Deno have
 * synchronous hashing; workers have only WebCrypto, which is asynchronous: callers take either.
 * There is no static `node:` import, so the same file loads everywhere.
 */

/** A value, or the promise of one: a synchronous path then costs no promise. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether `value` has to be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { readonly then?: unknown }).then === 'function';
}

/** Continues with `value` now, or when it arrives. */
export function andThen<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return isThenable(value) ? value.then(next) : next(value);
}

/** Node's own hashing; the module is asked for at run time, and absent elsewhere. */
function nodeCrypto() {
  if (typeof process === 'undefined' || typeof process.getBuiltinModule !== 'function')
    return undefined;
  return process.getBuiltinModule('node:crypto');
}

const synchronous = nodeCrypto();
const utf8 = new TextEncoder();

/** The SHA-256 of an ASCII text, cut to its first 16 bytes, in unpadded base64url: 22 characters. */
export function digest(asciiText: string): MaybePromise<string> {
  if (synchronous !== undefined) {
    return synchronous
      .createHash('sha256')
      .update(asciiText)
      .digest()
      .subarray(0, 16)
      .toString('base64url');
  }
  return globalThis.crypto.subtle
    .digest('SHA-256', utf8.encode(asciiText))
    .then((hash) => base64url(new Uint8Array(hash, 0, 16)));
}

/** Unpadded base64url. */
function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** 128 random bits in base64url. */
export function randomId(): string {
  return base64url(globalThis.crypto.getRandomValues(new Uint8Array(16)));
}

// The pattern names control characters on purpose: everything above ASCII is escaped.
const NON_ASCII = /[\u007f-\uffff]/g;

/**
 * Compact JSON in which every character is ASCII. Two different strings never give the same bytes,
 * lone surrogates included, and `undefined` members are left out.
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    NON_ASCII,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
