/**
 * A store in memory, for one process. A record never goes before it expires, so a full store
 * refuses new ones. No user holds more than a share of it, so no user can fill it for the others.
 *
 * It uses a monotonic clock, so a change of the system clock does not affect when a record expires.
 */
import { rejectUnknownOptions } from '../options.js';
import { randomId } from '../platform.js';
import { checkedStore, ONLY_USER, SINGLE_PROCESS, StoreFullError } from './recordStore.js';
import type { RecordStore } from './recordStore.js';

/** The options of {@link memoryStore}. */
export interface MemoryStoreOptions {
  /** The maximum number of records. Default: 10,000. */
  readonly maxEntries?: number;
  /**
   * The maximum size of all keys and values together, in bytes. A character counts two bytes.
   * Default: 67,108,864 (64 MiB).
   */
  readonly maxBytes?: number;
  /**
   * The part of both limits that one user may hold, above 0 and at most 1. All requests without a
   * principal are together one user. Over stdio there is only one user, who may hold all. Default:
   * 0.25.
   */
  readonly share?: number;
  /**
   * States that no other process serves these tools, so the store also works with configured keys.
   * With several processes and one memory store each, a call could run once in every process.
   * Default: false.
   */
  readonly singleProcess?: boolean;
}

/**
 * Creates a store in the memory of this process. Create it once, at module level. A restart forgets
 * its records, and refuses the calls that they belong to.
 *
 * @example
 *
 * ```ts
 * const store = memoryStore({ maxEntries: 100_000 });
 * ```
 *
 * @throws {TypeError} If an option is invalid.
 */
export function memoryStore(options: MemoryStoreOptions = {}): RecordStore {
  const settings = checkOptions(options);
  const records = new Records(settings);
  let id: string | undefined;
  return {
    ...checkedStore({
      get: (key) => records.get(key)?.value,
      put: (key, value, { was, ttlMs, of = ANONYMOUS }) => {
        const known = records.get(key)?.value;
        if (known !== was && known !== value) return false;
        const size = 2 * (key.length + value.length);
        records.set(key, { value, of, size, expiresAt: performance.now() + ttlMs });
        return true;
      },
    }),
    // Not before it is read, because workers refuse random values while modules load.
    get onlyIn() {
      return (id ??= randomId());
    },
    ...(settings.singleProcess && { [SINGLE_PROCESS]: true }),
  };
}

type Settings = Required<MemoryStoreOptions>;

function checkOptions(options: MemoryStoreOptions): Settings {
  const known = ['maxEntries', 'maxBytes', 'share', 'singleProcess'];
  rejectUnknownOptions(options, known, 'memoryStore()');
  const { maxEntries = 10_000, maxBytes = 64 * 1024 * 1024 } = options;
  const { share = 0.25, singleProcess = false } = options;
  for (const [name, limit] of Object.entries({ maxEntries, maxBytes })) {
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw new TypeError(`memoryStore(): \`${name}\` must be an integer of at least 1.`);
  }
  if (typeof share !== 'number' || !(share > 0 && share <= 1))
    throw new TypeError('memoryStore(): `share` must be a number above 0 and at most 1.');
  if (typeof singleProcess !== 'boolean')
    throw new TypeError('memoryStore(): `singleProcess` must be true or false.');
  return { maxEntries, maxBytes, share, singleProcess };
}

/** The user of all records without one. A digest is never empty. */
const ANONYMOUS = '';

interface StoredRecord {
  readonly value: string;
  readonly of: string;
  readonly size: number;
  readonly expiresAt: number;
}

/** The number and the bytes of some records. */
class Held {
  entries = 0;
  bytes = 0;
}

/** The records by key. Expired ones stay for a while. */
class Records {
  private readonly kept = new Map<string, StoredRecord>();
  private readonly total = new Held();
  private readonly byUser = new Map<string, Held>();
  /** A lower bound of all expiry times. */
  private firstExpiry = Infinity;
  private changes = 0;

  constructor(private readonly limits: Settings) {}

  get(key: string): StoredRecord | undefined {
    const found = this.kept.get(key);
    return found === undefined || hasExpired(found) ? undefined : found;
  }

  /**
   * Stores a record. A known record of the same user that does not grow always fits.
   *
   * @throws {@link StoreFullError} If there is no room.
   */
  set(key: string, record: StoredRecord): void {
    const known = this.kept.get(key);
    if (known !== undefined) this.drop(key, known);
    // Looks at all records once in as many changes, so that a change costs the same in every store.
    this.changes += 1;
    if (this.changes > this.kept.size || this.problemOf(record) !== undefined) this.dropExpired();
    const problem = this.problemOf(record);
    const kept = problem === undefined ? record : known;
    if (kept !== undefined) this.add(key, kept);
    if (problem !== undefined) throw new StoreFullError(problem);
  }

  /** Returns a sentence if there is no room for a record. */
  private problemOf({ of, size }: StoredRecord): string | undefined {
    const { maxEntries, maxBytes, share } = this.limits;
    const { total, byUser } = this;
    if (total.entries + 1 > maxEntries || total.bytes + size > maxBytes)
      return `The memory store is full, and no record has expired. Raise \`maxEntries\` (${maxEntries}) or \`maxBytes\` (${maxBytes}).`;
    const { entries, bytes } = byUser.get(of) ?? new Held();
    const part = of === ONLY_USER ? 1 : share;
    if (entries + 1 <= Math.max(1, maxEntries * part) && bytes + size <= maxBytes * part)
      return undefined;
    return `One user holds as much of the memory store as \`share\` (${share}) allows, and no record of this user has expired. Raise \`share\`, \`maxEntries\` (${maxEntries}) or \`maxBytes\` (${maxBytes}).`;
  }

  private add(key: string, record: StoredRecord): void {
    this.kept.set(key, record);
    this.count(record, 1);
    this.firstExpiry = Math.min(this.firstExpiry, record.expiresAt);
  }

  private drop(key: string, record: StoredRecord): void {
    this.kept.delete(key);
    this.count(record, -1);
  }

  private count({ of, size }: StoredRecord, sign: 1 | -1): void {
    const ofUser = this.byUser.get(of) ?? new Held();
    for (const held of [this.total, ofUser]) {
      held.entries += sign;
      held.bytes += sign * size;
    }
    if (ofUser.entries > 0) this.byUser.set(of, ofUser);
    else this.byUser.delete(of);
  }

  /** Drops all expired records, if any record can have expired. */
  private dropExpired(): void {
    this.changes = 0;
    if (this.firstExpiry > performance.now()) return;
    this.firstExpiry = Infinity;
    for (const [key, record] of this.kept) {
      if (hasExpired(record)) this.drop(key, record);
      else this.firstExpiry = Math.min(this.firstExpiry, record.expiresAt);
    }
  }
}

function hasExpired({ expiresAt }: StoredRecord): boolean {
  return expiresAt <= performance.now();
}
