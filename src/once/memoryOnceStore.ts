/**
 * The store of one process: what runs once is known as long as the process lives.
 *
 * Time is taken from a clock that only goes forward, so setting the machine's clock neither drops a
 * record nor keeps it. Records that have expired are dropped as others are made; those that have
 * not are never dropped, and a store that is full of them refuses.
 */
import { assertOptions, OnceStoreFullError } from './onceStore.js';
import type { OnceEnd, OnceEntry, OnceLease, OnceStore } from './onceStore.js';

/** What {@link memoryOnceStore} can be told. */
export interface MemoryOnceStoreOptions {
  /** How many calls it knows at most; then it refuses new ones until others expire. Default: 10,000. */
  readonly maxEntries?: number;
  /**
   * Says that no other process serves these tools, so that the store also goes with keys that were
   * set. Several processes with a store each would run a call once each. Default: false.
   */
  readonly singleProcess?: boolean;
}

/**
 * Creates a store in the memory of this process. A restart forgets what ran, which is safe as long
 * as it forgets the key of the tokens too: with the default key it does.
 *
 * @example
 *
 * ```ts
 * const payOnce = defineTool(
 *   'pay_once',
 *   { inputSchema: PayInput, resolve: { approval }, once: memoryOnceStore() },
 *   () => 'Paid.',
 * );
 * ```
 *
 * @throws {TypeError} If the options make no sense.
 */
export function memoryOnceStore(options: MemoryOnceStoreOptions = {}): OnceStore {
  const { maxEntries, singleProcess } = checkOptions(options);
  const records = new Records(maxEntries);
  return {
    read: (id) => promised(() => read(records, id)),
    claim: (id, lease) => promised(() => claim(records, id, lease)),
    renew: (id, lease) => promised(() => renew(records, id, lease)),
    finish: (id, end) => promised(() => finish(records, id, end)),
    onlyThisProcess: !singleProcess,
  };
}

function checkOptions(options: MemoryOnceStoreOptions): Required<MemoryOnceStoreOptions> {
  assertOptions(options, ['maxEntries', 'singleProcess'], 'memoryOnceStore');
  const { maxEntries = 10_000, singleProcess = false } = options;
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1) {
    throw new TypeError("'maxEntries' is a whole number, at least 1");
  }
  if (typeof singleProcess !== 'boolean') throw new TypeError("'singleProcess' is true or false");
  return { maxEntries, singleProcess };
}

/** Takes a step now, in one go, and gives how it went as a promise. */
function promised<T>(step: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(step());
  });
}

function read(records: Records, id: string): OnceEntry | undefined {
  const known = records.get(id);
  return known && entryOf(known);
}

function claim(records: Records, id: string, lease: OnceLease): OnceEntry | undefined {
  const known = records.get(id);
  if (known !== undefined && !isHeldBy(known, lease.owner)) return entryOf(known);
  records.set(id, claimed(lease));
  return undefined;
}

function renew(records: Records, id: string, lease: OnceLease): boolean {
  const known = records.get(id);
  if (known === undefined || !isHeldBy(known, lease.owner)) return false;
  records.set(id, claimed(lease));
  return true;
}

function finish(records: Records, id: string, { owner, result, ttlMs }: OnceEnd): boolean {
  const known = records.get(id);
  if (known !== undefined && !isHeldBy(known, owner)) return known.owner === owner;
  const end = result === undefined ? {} : { result };
  records.set(id, { owner, heldUntil: undefined, end, expiresAt: performance.now() + ttlMs });
  return true;
}

/** What is known of a call: claimed until a time, or over. */
type OnceRecord = { readonly owner: string; readonly expiresAt: number } & (
  | { readonly heldUntil: number; readonly end?: undefined }
  | { readonly heldUntil: undefined; readonly end: { readonly result?: string } }
);

function claimed({ owner, leaseMs, ttlMs }: OnceLease): OnceRecord {
  const now = performance.now();
  return { owner, heldUntil: now + leaseMs, expiresAt: now + ttlMs };
}

function isHeldBy(known: OnceRecord, owner: string): boolean {
  return known.end === undefined && known.owner === owner;
}

function entryOf({ heldUntil, end }: OnceRecord): OnceEntry {
  if (end !== undefined) return { state: 'done', ...end };
  return { state: heldUntil > performance.now() ? 'running' : 'lapsed' };
}

/** The records that have not expired, and for a while some that have. */
class Records {
  /** In the order of their last change: where all live equally long, those in front expire first. */
  private readonly kept = new Map<string, OnceRecord>();
  /** Nothing expires before. */
  private firstExpiry = Infinity;

  constructor(private readonly max: number) {}

  get(id: string): OnceRecord | undefined {
    const found = this.kept.get(id);
    return found === undefined || hasExpired(found) ? undefined : found;
  }

  /** @throws {@link OnceStoreFullError} If it would be one too many. */
  set(id: string, record: OnceRecord): void {
    this.kept.delete(id);
    this.dropInFront();
    if (this.kept.size >= this.max) this.dropEverywhere();
    if (this.kept.size >= this.max) {
      throw new OnceStoreFullError(
        `the store of calls that run once is full: ${this.max} calls are known and none has expired`,
      );
    }
    this.kept.set(id, record);
    this.firstExpiry = Math.min(this.firstExpiry, record.expiresAt);
  }

  /** Costs next to nothing, and finds everything where all records live equally long. */
  private dropInFront(): void {
    for (const [id, record] of this.kept) {
      if (!hasExpired(record)) return;
      this.kept.delete(id);
    }
  }

  /** Looks at every record, but only when one of them can have expired. */
  private dropEverywhere(): void {
    if (this.firstExpiry > performance.now()) return;
    this.firstExpiry = Infinity;
    for (const [id, record] of this.kept) {
      if (hasExpired(record)) this.kept.delete(id);
      else this.firstExpiry = Math.min(this.firstExpiry, record.expiresAt);
    }
  }
}

function hasExpired({ expiresAt }: OnceRecord): boolean {
  return expiresAt <= performance.now();
}
