/**
 * The differences between runtimes, and the helpers built on them: hashes, random bytes, byte
 * encodings and asynchronous storage. The file has no static `node:` import, so it loads in every
 * runtime.
 *
 * Node, Bun and Deno use the synchronous `node:crypto`. Workers use WebCrypto, which is
 * asynchronous.
 */

/**
 * Returns `node:crypto`, or `undefined` if the runtime does not have it or should use WebCrypto.
 */
function findNodeCrypto() {
  // Cloudflare Workers have `node:crypto` too, but WebCrypto is the better choice there.
  if (isWorker()) return undefined;
  try {
    return process.getBuiltinModule('node:crypto');
  } catch {
    // The runtime has no `process`, or a function that only throws, as the edge runtime of Next.js.
    return undefined;
  }
}

/** Returns true in a Cloudflare Worker. */
function isWorker(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return navigator?.userAgent === 'Cloudflare-Workers';
}

/** Returns the environment variables, or none if the runtime has no `process`. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return typeof process === 'undefined' ? {} : process.env;
}

/** Returns true on a host that may serve the next request from another process. */
export function isServerless(): boolean {
  const { VERCEL, AWS_LAMBDA_FUNCTION_NAME, K_SERVICE } = environment();
  return isWorker() || (VERCEL ?? AWS_LAMBDA_FUNCTION_NAME ?? K_SERVICE) !== undefined;
}

/**
 * Parses an absolute URL, or returns `undefined`. It does not ask `URL.canParse`, which returns
 * false for a Latin-1 host once Node 20 or 22 has optimized it.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Returns a function that computes a value on its first call and then keeps it. */
export function lazily<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | undefined;
  return () => (computed ??= { value: compute() }).value;
}

/** Returns `node:crypto` where the library uses it. It is loaded on first use. */
export const nodeCrypto = /* @__PURE__ */ lazily(findNodeCrypto);

/** Returns the SHA-256 of some bytes, or of the UTF-8 of a string. */
export async function sha256(data: string | Uint8Array): Promise<Uint8Array> {
  const node = nodeCrypto();
  if (node !== undefined) return node.createHash('sha256').update(data).digest();
  const bytes = typeof data === 'string' ? utf8(data) : data;
  return new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', Uint8Array.from(bytes)));
}

/**
 * Returns the SHA-256 of an ASCII string, cut to its first 16 bytes, in base64url (22 characters).
 * It returns a promise only if the platform's hash is asynchronous.
 */
export function digest(ascii: string | Uint8Array): string | Promise<string> {
  const node = nodeCrypto();
  if (node === undefined) return digestLater(ascii);
  return base64url(node.createHash('sha256').update(ascii).digest().subarray(0, 16));
}

async function digestLater(ascii: string | Uint8Array): Promise<string> {
  return base64url((await sha256(ascii)).subarray(0, 16));
}

/** Returns random bytes that are safe for keys and nonces. */
export function randomBytes(length: number): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(length));
}

/** Returns 128 random bits in base64url. */
export function randomId(): string {
  return base64url(randomBytes(16));
}

/** Encodes a well-formed string as UTF-8. */
export function utf8(text: string): Uint8Array {
  return typeof Buffer === 'undefined' ? new TextEncoder().encode(text) : Buffer.from(text);
}

/** Returns the buffer, or a larger copy if it has no room for `more` bytes after the first `used`. */
export function withRoom(buffer: Uint8Array, used: number, more: number): Uint8Array {
  if (used + more <= buffer.length) return buffer;
  const larger = new Uint8Array(Math.max(2 * buffer.length, used + more));
  larger.set(buffer.subarray(0, used));
  return larger;
}

/** Joins byte arrays. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Returns true if two byte arrays are equal. Not constant-time, so not for secrets. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** Encodes bytes as padded base64, the form of binary content on the wire. */
export function base64(bytes: Uint8Array): string {
  if (typeof Buffer !== 'undefined') {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  }
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Encodes bytes as unpadded base64url. */
export function base64url(bytes: Uint8Array): string {
  if (typeof Buffer !== 'undefined') {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
  }
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Decodes an unpadded base64url string. It returns `undefined` for any string that {@link base64url}
 * would not have written, because decoders accept padding, junk and stray trailing bits.
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

/**
 * Returns compact JSON in ASCII. Two different strings never produce the same bytes, even with lone
 * surrogates. `undefined` properties are omitted.
 */
export function asciiJson(value: unknown): string {
  const json = JSON.stringify(value);
  return NON_ASCII.test(json) ? asText(escapeToAscii(json)) : json;
}

// Every character outside printable ASCII is escaped, and DEL is not printable.
const NON_ASCII = /[\u007f-\uffff]/;
const FIRST_ESCAPED = 0x7f;
const HEX_DIGITS = '0123456789abcdef';

/**
 * Escapes what is not ASCII in JSON, where it only occurs inside strings. Returns the text itself
 * if there is nothing to escape, and bytes otherwise.
 */
export function escapeToAscii(json: string): string | Uint8Array {
  if (!NON_ASCII.test(json)) return json;
  const bytes = new Uint8Array(escapedLength(json));
  let at = 0;
  for (let index = 0; index < json.length; index += 1) {
    const unit = json.charCodeAt(index);
    if (unit < FIRST_ESCAPED) {
      bytes[at] = unit;
      at += 1;
    } else {
      writeEscape(unit, bytes, at);
      at += 6;
    }
  }
  return bytes;
}

/** Returns ASCII bytes as a string. */
export function asText(ascii: string | Uint8Array): string {
  return typeof ascii === 'string' ? ascii : new TextDecoder().decode(ascii);
}

function escapedLength(json: string): number {
  let { length } = json;
  for (let index = 0; index < json.length; index += 1) {
    if (json.charCodeAt(index) >= FIRST_ESCAPED) length += 5;
  }
  return length;
}

/** Writes an escape such as `\u00e9`. */
function writeEscape(unit: number, bytes: Uint8Array, at: number): void {
  bytes[at] = 0x5c; // the backslash
  bytes[at + 1] = 0x75; // the letter u
  for (let digit = 0; digit < 4; digit += 1) {
    bytes[at + 2 + digit] = HEX_DIGITS.charCodeAt((unit >> (12 - 4 * digit)) & 0xf);
  }
}

/**
 * Removes the listener limit of a signal. Node warns of a leak from the eleventh listener on, and
 * one request may run that many calls.
 */
export function allowManyListeners(signal: AbortSignal): void {
  try {
    process.getBuiltinModule('node:events').setMaxListeners(0, signal);
  } catch {
    // Other runtimes do not warn.
  }
}

/** Stores a value that a function and everything it awaits can read. */
export interface AsyncStorage<T> {
  run<R>(store: T, callback: () => R): R;
  getStore(): T | undefined;
}

type AsyncStorageClass = new <T>() => AsyncStorage<T>;

/**
 * Creates an `AsyncLocalStorage`. If the runtime has none, a store is visible only during the
 * synchronous part of a function.
 */
export function createAsyncStorage<T>(): AsyncStorage<T> {
  const { AsyncLocalStorage } = globalThis as { AsyncLocalStorage?: AsyncStorageClass };
  const Storage = AsyncLocalStorage ?? findNodeStorage() ?? SynchronousStorage;
  return new Storage<T>();
}

function findNodeStorage(): AsyncStorageClass | undefined {
  try {
    return process.getBuiltinModule('node:async_hooks').AsyncLocalStorage;
  } catch {
    return undefined;
  }
}

class SynchronousStorage<T> implements AsyncStorage<T> {
  private store: T | undefined;

  run<R>(store: T, callback: () => R): R {
    const outer = this.store;
    this.store = store;
    try {
      return callback();
    } finally {
      this.store = outer;
    }
  }

  getStore(): T | undefined {
    return this.store;
  }
}
