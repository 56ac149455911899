/**
 * What a tool with `once` needs of a store: four steps, each of them atomic. A store knows calls by
 * their id and nothing else about them.
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
 * A record lives for `ttlMs` from the last step that changed it. It must not be dropped before,
 * whatever the store is short of: a store that is full refuses new records instead, and lets calls
 * that are known be renewed and finished. A step that is refused changes nothing.
 *
 * A library that talks to a database may send a step again when it has lost the answer, so a step
 * that its owner repeats gives the same answer as the first time. `mcp-resolve/once` has a contract
 * suite for stores of one's own.
 */

/** What is known about a call. */
export type OnceEntry =
  /** Its body runs, as far as anybody knows. */
  | { readonly state: 'running' }
  /** Its body was running when whoever ran it went away: what it did is not known. */
  | { readonly state: 'lapsed' }
  /** It is over; without a result where that was too large to keep. */
  | { readonly state: 'done'; readonly result?: string };

/** Who claims a call, and for how long. */
export interface OnceLease {
  /** A random text that nobody else has: every attempt to run a call makes its own. */
  readonly owner: string;
  /** How long the claim holds without being renewed. */
  readonly leaseMs: number;
  /** How long the record lives from now on. */
  readonly ttlMs: number;
}

/** How a call ended. */
export interface OnceEnd {
  /** Who claimed it. */
  readonly owner: string;
  /** What to answer from now on; `undefined` where it is too large to keep. */
  readonly result: string | undefined;
  /** How long the record lives from now on. */
  readonly ttlMs: number;
}

/** A store of calls that run once. Whatever it throws ends the call before its body runs. */
export interface OnceStore {
  /** What is known about a call; `undefined` for nothing. */
  readonly read: (id: string) => Promise<OnceEntry | undefined>;
  /**
   * Claims a call of which nothing is known, and gives `undefined`; of any other, what is known. An
   * owner that holds the claim already gets `undefined` again, and a lease from now on.
   *
   * @throws {@link OnceStoreFullError} If there is no room for one more record.
   */
  readonly claim: (id: string, lease: OnceLease) => Promise<OnceEntry | undefined>;
  /**
   * Prolongs a claim, also one that has lapsed; gives whether it was the owner's to prolong. What
   * is done, or not known, is nobody's.
   */
  readonly renew: (id: string, lease: OnceLease) => Promise<boolean>;
  /**
   * Ends a claim, also one that has lapsed or of which nothing is known any more; gives whether
   * this owner's end is what is now known. A call that is done keeps its first result: its owner
   * gets `true` again and changes nothing, anybody else `false`.
   *
   * @throws {@link OnceStoreFullError} If nothing is known of the call, and there is no room.
   */
  readonly finish: (id: string, end: OnceEnd) => Promise<boolean>;
  /** Whether other processes cannot see what is in it. Such a store does not fit shared keys. */
  readonly onlyThisProcess?: boolean;
}

const ONCE_STORE_FULL_ERROR = Symbol.for('mcp-resolve.OnceStoreFullError');

/**
 * A store that has no room for one more record. `instanceof` is answered by brand, so it holds
 * between the ESM and the CJS copy of this package.
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

/** @throws {TypeError} If the options of `maker` are no object, or have one that is not known. */
export function assertOptions(options: unknown, known: readonly string[], maker: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`the options of ${maker} are an object`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${maker} has no option '${unknown}' (known: ${known.join(', ')})`);
}
