/**
 * The store that a tool with `once` needs. It has four atomic steps and knows a call only by its
 * id.
 *
 * ```
 *            claim            finish
 * (unknown) ───────► running ────────► done
 *                     │  ▲               ▲
 *       lease ran out │  │ renew         │ finish, late
 *                     ▼  │               │
 *                    lapsed ─────────────┘      a lapsed call is never claimed again
 * ```
 *
 * A record lives for `ttlMs` from the last step that changed it. The store must not drop it
 * earlier, even if it runs out of space. A full store refuses new records instead, and still lets
 * known calls be renewed and finished. A refused step changes nothing.
 *
 * A database client may resend a step if it lost the reply. So a step that its owner repeats
 * returns the same as the first time. `mcp-resolve/once` has a contract suite for custom stores.
 */
import { rejectUnknownOptions } from '../options.js';

/** The known state of a call. */
export type OnceEntry =
  /** The body is running, as far as the store knows. */
  | { readonly state: 'running' }
  /** Its lease ran out before its end was recorded. The outcome is unknown. */
  | { readonly state: 'lapsed' }
  /** It has ended. The result is omitted if it was not kept. */
  | { readonly state: 'done'; readonly result?: string };

/** A claim on a call. */
export interface OnceLease {
  /** A random, unique string. Every attempt to run a call creates its own. */
  readonly owner: string;
  /** The duration of the claim unless it is renewed, in milliseconds. */
  readonly leaseMs: number;
  /** The lifetime of the record from now on, in milliseconds. */
  readonly ttlMs: number;
}

/** The end of a call. */
export interface OnceEnd {
  /** The owner of the claim. */
  readonly owner: string;
  /** The result to return from now on, or `undefined` if it is not kept. */
  readonly result: string | undefined;
  /** The lifetime of the record from now on, in milliseconds. */
  readonly ttlMs: number;
}

/** A store of calls that run once. If a step throws before the body runs, the call ends there. */
export interface OnceStore {
  /** Returns the state of a call, or `undefined` if the call is unknown. */
  readonly read: (id: string) => Promise<OnceEntry | undefined>;
  /**
   * Claims an unknown call and returns `undefined`. For a known call it returns the state. If the
   * owner already holds the claim, the step renews the lease and returns `undefined` again.
   *
   * @throws {@link OnceStoreFullError} If there is no room for another record.
   */
  readonly claim: (id: string, lease: OnceLease) => Promise<OnceEntry | undefined>;
  /**
   * Renews a claim, even a lapsed one. It returns true if this owner holds the claim. It returns
   * false for a call that is done or unknown.
   */
  readonly renew: (id: string, lease: OnceLease) => Promise<boolean>;
  /**
   * Ends a call, even if its claim has lapsed or the call is unknown. It returns true if the stored
   * end is this owner's. A call that is done keeps its first result, so its owner receives `true`
   * again without a change, and any other owner receives `false`.
   *
   * @throws {@link OnceStoreFullError} If the call is unknown and there is no room for a record.
   */
  readonly finish: (id: string, end: OnceEnd) => Promise<boolean>;
  /**
   * True if other processes cannot see the records. Such a store does not work with shared keys.
   */
  readonly onlyThisProcess?: boolean;
}

const ONCE_STORE_FULL_ERROR = Symbol.for('mcp-resolve.OnceStoreFullError');

/**
 * The error of a store that has no room for another record. `instanceof` checks a brand, so it
 * works between the ESM and the CJS copy of this package.
 *
 * @example
 *
 * ```ts
 * if (records.size >= 10_000) throw new OnceStoreFullError('10,000 records are enough');
 * ```
 */
export class OnceStoreFullError extends Error {
  override readonly name = 'OnceStoreFullError';
  readonly [ONCE_STORE_FULL_ERROR] = true;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && ONCE_STORE_FULL_ERROR in value;
  }
}

/**
 * Validates the names of options.
 *
 * @throws {TypeError} If the options of `maker` are not an object, or include an unknown one.
 */
export function assertKnownOptions(
  options: unknown,
  known: readonly string[],
  maker: string,
): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${maker}(): \`options\` must be an object.`);
  }
  rejectUnknownOptions(options, known, `${maker}()`);
}
