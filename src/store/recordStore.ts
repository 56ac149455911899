/**
 * The store that `once` and approvals need: a map from keys to strings that expire. It has two
 * steps, and the second is a compare-and-set on the string itself.
 *
 * ```
 *                      put(key, value, { was, ttlMs })
 *
 * what the key has      │ answer │ effect
 * ──────────────────────┼────────┼────────────────────────────────────
 * `was`, or nothing if  │        │
 * `was` is undefined    │ true   │ `value`, for `ttlMs` from now
 * `value` already       │ true   │ expires `ttlMs` from now
 * anything else         │ false  │ none, not even on the expiry
 * ```
 *
 * A database client may send a step again after it lost the reply, so a repeated `put` answers true
 * again. The library writes a new random revision into each value, so no value returns later.
 */
import { asciiJson, digest } from '../platform.js';

/** The rest of a {@link RecordStore.put}. */
export interface PutOptions {
  /** The value that `value` replaces, or `undefined` if the key has none. */
  readonly was: string | undefined;
  /** The lifetime of the record from now on, in milliseconds. A shorter one shortens it. */
  readonly ttlMs: number;
  /**
   * The user that the record counts for, as a digest, or `*` if the server has only one user. A
   * store that limits each user counts a record without it for the anonymous user.
   */
  readonly of?: string;
}

/**
 * A store of records. A record lives for the `ttlMs` of the last successful `put`. A store must not
 * drop it earlier. A full store throws `StoreFullError` instead.
 *
 * Keys and values are well-formed strings without NUL. `storeContract` of `mcp-resolve/testing`
 * checks a store.
 */
export interface RecordStore {
  /** Returns the value of a key, or `undefined` if it has none. */
  get(key: string): Promise<string | undefined>;
  /**
   * Writes a value if the key still has the one that it replaces. Compare and write must be one
   * atomic step.
   *
   * @returns True if the key has `value` now.
   * @throws `StoreFullError` If there is no room.
   */
  put(key: string, value: string, how: PutOptions): Promise<boolean>;
  /**
   * A random id, for a store whose records only this process can see. Leave it out if several
   * processes share the records.
   */
  readonly onlyIn?: string;
}

const STORE_FULL_ERROR = Symbol.for('mcp-resolve.StoreFullError');

/**
 * The error of a store that has no room. `instanceof` checks a brand, so it works between the ESM
 * and the CJS copy of this package.
 *
 * @example
 *
 * ```ts
 * if (records.size >= 10_000) throw new StoreFullError('10,000 records are enough');
 * ```
 */
export class StoreFullError extends Error {
  override readonly name = 'StoreFullError';
  readonly [STORE_FULL_ERROR] = true;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && STORE_FULL_ERROR in value;
  }
}

/** The two steps of a store, which may answer at once. */
interface PlainSteps {
  get(key: string): Promise<string | undefined> | string | undefined;
  put(key: string, value: string, how: PutOptions): Promise<boolean> | boolean;
}

/**
 * Creates a store that refuses strings which a database cannot keep. A driver would replace half of
 * a surrogate pair by another character, so different strings would become equal.
 */
export function checkedStore(steps: PlainSteps): RecordStore {
  const check = (...strings: readonly (string | undefined)[]): void => {
    if (!strings.some((string = '') => /[\0\p{Surrogate}]/u.test(string))) return;
    throw new TypeError(
      'A store takes well-formed strings without NUL, and the key or value has a NUL or a lone surrogate.',
    );
  };
  return {
    get: async (key) => {
      check(key);
      return steps.get(key);
    },
    put: async (key, value, how) => {
      check(key, value, how.was);
      return steps.put(key, value, how);
    },
  };
}

/**
 * The time that records outlive the last request that can need them, in milliseconds. It covers
 * clocks that differ.
 */
export const SLACK_MS = 10 * 60_000;

/** The user of a server that has only one, as over stdio. */
export const ONLY_USER = '*';

/**
 * Returns the user that a record counts for, as a digest: the `of` of {@link RecordStore.put}. It is
 * `undefined` for an anonymous user. Requests that do not come over HTTP have one user.
 */
export async function recordUser(
  principal: string | undefined,
  isOverHttp: boolean,
): Promise<string | undefined> {
  if (principal !== undefined) return digest(asciiJson(principal));
  return isOverHttp ? undefined : ONLY_USER;
}

/** Marks a store whose author states that there is only one process. */
export const SINGLE_PROCESS = Symbol.for('mcp-resolve.singleProcess');

/** Returns true if a store must not be combined with keys that other processes may have. */
export function isLocal(store: RecordStore): boolean {
  return 'onlyIn' in store && Reflect.get(store, SINGLE_PROCESS) !== true;
}

/** Returns true if a value has the methods of a store. */
export function isRecordStore(value: unknown): value is RecordStore {
  if (typeof value !== 'object' || value === null) return false;
  return ['get', 'put'].every((step) => typeof Reflect.get(value, step) === 'function');
}
