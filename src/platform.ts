/**
 * What differs between runtimes, and what is built on it: hashes, random bytes, byte encodings,
 * storage that follows asynchronous calls. There is no static `node:` import, so the same file
 * loads everywhere.
 *
 * Node, Bun and Deno have synchronous cryptography, which needs no thread-pool job per call.
 * Workers have WebCrypto, which is asynchronous; where they imitate Node's it is slower.
 */

/** Returns true if `value` has to be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { readonly then?: unknown }).then === 'function';
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

/** The SHA-256 of some bytes. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  const node = nodeCrypto();
  if (node !== undefined) return node.createHash('sha256').update(bytes).digest();
  return new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', Uint8Array.from(bytes)));
}

/**
 * The SHA-256 of an ASCII string, cut to its first 16 bytes, in base64url: 22 characters. It is a
 * promise only where the platform's hash is asynchronous.
 */
export function digest(asciiText: string): string | Promise<string> {
  const node = nodeCrypto();
  if (node === undefined) return digestLater(asciiText);
  return base64url(node.createHash('sha256').update(asciiText).digest().subarray(0, 16));
}

async function digestLater(asciiText: string): Promise<string> {
  return base64url((await sha256(utf8(asciiText))).subarray(0, 16));
}

/** Random bytes, fit for keys and nonces. */
export function randomBytes(length: number): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(length));
}

/** 128 random bits in base64url. */
export function randomId(): string {
  return base64url(randomBytes(16));
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

/**
 * Lets many listeners wait on a signal. Node warns of a leak from the eleventh on, and that many
 * calls may run inside one request.
 */
export function allowManyListeners(signal: AbortSignal): void {
  try {
    process.getBuiltinModule('node:events').setMaxListeners(0, signal);
  } catch {
    // Other runtimes do not warn.
  }
}

/** A value that a function and everything it awaits can read. */
export interface AsyncStorage<T> {
  run<R>(store: T, callback: () => R): R;
  getStore(): T | undefined;
}

type AsyncStorageClass = new <T>() => AsyncStorage<T>;

/**
 * Creates an `AsyncLocalStorage`. Where a runtime has none, a store is visible during the
 * synchronous part of a function only.
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
