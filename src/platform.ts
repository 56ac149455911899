/**
 * What differs between runtimes, and what is built on it: byte encodings, and values that are there
 * at once or later. Node, Bun and Deno have synchronous cryptography. Workers have WebCrypto, which
 * is asynchronous, and where they imitate Node's it is slower: so callers take either. There is no
 * static `node:` import, and the same file loads everywhere.
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

/** Node's own cryptography; the module is asked for at run time, and absent elsewhere. */
function findNodeCrypto() {
  if (typeof process === 'undefined' || typeof process.getBuiltinModule !== 'function')
    return undefined;
  // Workers that imitate Node have it too, but there it is the slower one.
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  if (navigator?.userAgent === 'Cloudflare-Workers') return undefined;
  return process.getBuiltinModule('node:crypto');
}

/** Computes something when it is first asked for. */
export function lazily<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | undefined;
  return () => (computed ??= { value: compute() }).value;
}

/** Synchronous cryptography, where that is the fast path. It is loaded when it is first used. */
export const nodeCrypto = /* @__PURE__ */ lazily(findNodeCrypto);

/** Node's hash as a text; in one step where it has that (since 20.12), without any object. */
const nodeHash = /* @__PURE__ */ lazily((): ((text: string) => string) | undefined => {
  const crypto = nodeCrypto();
  if (crypto === undefined) return undefined;
  return (crypto.hash as unknown) === undefined
    ? (text) => crypto.createHash('sha256').update(text).digest('base64url')
    : (text) => crypto.hash('sha256', text, 'base64url');
});

/** The SHA-256 of some bytes. */
export function sha256(bytes: Uint8Array): MaybePromise<Uint8Array> {
  const node = nodeCrypto();
  if (node !== undefined) return node.createHash('sha256').update(bytes).digest();
  return globalThis.crypto.subtle
    .digest('SHA-256', Uint8Array.from(bytes))
    .then((hash) => new Uint8Array(hash));
}

/** The SHA-256 of an ASCII text, cut to its first 16 bytes, in base64url: 22 characters. */
export function digest(asciiText: string): MaybePromise<string> {
  const hash = nodeHash();
  if (hash !== undefined) return firstHalf(hash(asciiText));
  return andThen(sha256(utf8(asciiText)), (bytes) => base64url(bytes.subarray(0, 16)));
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The base64url of the first 16 bytes, from that of 32: 21 characters, and two bits of the next. */
function firstHalf(whole: string): string {
  const next = ALPHABET.indexOf(whole.charAt(21));
  return whole.slice(0, 21) + ALPHABET.charAt(next & 0b110000);
}

/** Random bytes, fit for keys. */
export function randomBytes(length: number): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(length));
}

const SUPPLY_BYTES = 1024;

let supply: Uint8Array = new Uint8Array(0);
let taken = 0;
let drawnIn = 0;

/**
 * A few random bytes that become public: for nonces and ids. To ask for them takes longer than to
 * encrypt, so they are drawn for many uses at once. What is left over when a startup snapshot is
 * made of a process would come back in every process that starts from it: so it counts only in the
 * one that drew it, which its time of origin tells.
 */
export function publicRandomBytes(length: number): Uint8Array {
  const { timeOrigin } = performance;
  if (taken + length > supply.length || drawnIn !== timeOrigin) {
    supply = randomBytes(SUPPLY_BYTES);
    taken = 0;
    drawnIn = timeOrigin;
  }
  const from = taken;
  taken += length;
  return supply.slice(from, taken);
}

/** 128 random bits in base64url. */
export function randomId(): string {
  return base64url(publicRandomBytes(16));
}

/** A well-formed text as bytes. */
export function utf8(text: string): Uint8Array {
  return typeof Buffer === 'undefined' ? new TextEncoder().encode(text) : Buffer.from(text);
}

/** Some bytes one after another. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Whether two byte strings are equal; stops at the first difference, so not for secrets. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Padded base64, as content on the wire has it. */
export function base64(bytes: Uint8Array): string {
  if (typeof Buffer !== 'undefined') {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  }
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Unpadded base64url. */
export function base64url(bytes: Uint8Array): string {
  if (typeof Buffer !== 'undefined') {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
  }
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * The bytes of an unpadded base64url text, or `undefined` for anything that is not exactly what
 * {@link base64url} would have written: decoders are lax about padding, junk and trailing bits.
 */
export function fromBase64url(text: string): Uint8Array | undefined {
  const bytes = decodeLaxly(text);
  return bytes !== undefined && base64url(bytes) === text ? bytes : undefined;
}

function decodeLaxly(text: string): Uint8Array | undefined {
  if (typeof Buffer !== 'undefined') return Buffer.from(text, 'base64url');
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

// The range begins at DEL: everything that is not printable ASCII is escaped.
const NON_ASCII = /[\u007f-\uffff]/g;

/**
 * Compact JSON in which every character is ASCII. Two different strings never give the same bytes,
 * lone surrogates included, and `undefined` members are left out.
 */
export function asciiJson(value: unknown): string {
  return inAscii(JSON.stringify(value));
}

/** The same JSON in ASCII: other characters stand in strings only, where they can be escaped. */
export function inAscii(json: string): string {
  return json.replace(
    NON_ASCII,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
