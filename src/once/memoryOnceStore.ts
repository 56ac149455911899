/**
 * A store in memory. It knows which calls have run for as long as the process lives.
 *
 * It uses a monotonic clock, so a change of the system clock does not affect when a record expires.
 * Adding a record drops expired ones. Records that have not expired are never dropped, and a full
 * store refuses new ones. If the results take too many bytes, further calls are recorded without
 * theirs.
 */
import { STANDARD_ERROR, Warnings } from '../log.js';
import { assertKnownOptions, OnceStoreFullError } from './onceStore.js';
import type { OnceEnd, OnceEntry, OnceLease, OnceStore } from './onceStore.js';

/** The options of {@link memoryOnceStore}. */
export interface MemoryOnceStoreOptions {
  /**
   * The maximum number of calls. A full store refuses new calls until others expire. Default:
   * 10,000.
   */
  readonly maxEntries?: number;
  /**
   * The maximum size of all results together, in bytes of JSON. A result that no longer fits is not
   * kept. Its call does not run again, and a second request receives the error `result_not_kept`.
   * Default: 67,108,864 (64 MiB).
   */
  readonly maxBytes?: number;
  /**
   * States that no other process serves these tools, so the store also works with configured keys.
   * With several processes and one memory store each, a call could run once in every process.
   * Default: false.
   */
  readonly singleProcess?: boolean;
}

/**
 * Creates a store in the memory of this process. A restart forgets which calls ran. That is safe if
 * the restart also forgets the key of the tokens, as it does with the default key.
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
 * @throws {TypeError} If an option is invalid.
 */
export function memoryOnceStore(options: MemoryOnceStoreOptions = {}): OnceStore {
  const { singleProcess, ...limits } = checkOptions(options);
  const records = new Records(limits);
  return {
    read: (id) => promised(() => read(records, id)),
    claim: (id, lease) => promised(() => claim(records, id, lease)),
    renew: (id, lease) => promised(() => renew(records, id, lease)),
    finish: (id, end) => promised(() => finish(records, id, end)),
    onlyThisProcess: !singleProcess,
  };
}

function checkOptions(options: MemoryOnceStoreOptions): Required<MemoryOnceStoreOptions> {
  assertKnownOptions(options, ['maxEntries', 'maxBytes', 'singleProcess'], 'memoryOnceStore');
  const { maxEntries = 10_000, maxBytes = 64 * 1024 * 1024, singleProcess = false } = options;
  for (const [name, limit] of Object.entries({ maxEntries, maxBytes })) {
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw new TypeError(`memoryOnceStore(): \`${name}\` must be an integer of at least 1.`);
  }
  if (typeof singleProcess !== 'boolean')
    throw new TypeError('memoryOnceStore(): `singleProcess` must be true or false.');
  return { maxEntries, maxBytes, singleProcess };
}

/** Runs a step synchronously and returns its result or error as a promise. */
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
  const bytes = result === undefined ? undefined : new TextEncoder().encode(result);
  const end = bytes !== undefined && records.tryMakeRoom(bytes) ? { result: bytes } : {};
  records.set(id, { owner, heldUntil: undefined, end, expiresAt: performance.now() + ttlMs });
  return true;
}

/**
 * The record of a call: claimed until a time, or done. Results are kept as UTF-8, because a string
 * can take twice as many bytes.
 */
type OnceRecord = { readonly owner: string; readonly expiresAt: number } & (
  | { readonly heldUntil: number; readonly end?: undefined }
  | { readonly heldUntil: undefined; readonly end: { readonly result?: Uint8Array } }
);

function claimed({ owner, leaseMs, ttlMs }: OnceLease): OnceRecord {
  const now = performance.now();
  return { owner, heldUntil: now + leaseMs, expiresAt: now + ttlMs };
}

function isHeldBy(known: OnceRecord, owner: string): boolean {
  return known.end === undefined && known.owner === owner;
}

const text = new TextDecoder('utf-8', { ignoreBOM: true });

function entryOf({ heldUntil, end }: OnceRecord): OnceEntry {
  if (end?.result !== undefined) return { state: 'done', result: text.decode(end.result) };
  if (end !== undefined) return { state: 'done' };
  return { state: heldUntil > performance.now() ? 'running' : 'lapsed' };
}

/** The records by call id. Expired ones may stay for a while. */
class Records {
  /** In the order of their last change. If all have the same lifetime, the first expire first. */
  private readonly kept = new Map<string, OnceRecord>();
  /** The size of all kept results. */
  private bytes = 0;
  /** A lower bound of all expiry times. */
  private firstExpiry = Infinity;

  constructor(private readonly max: { readonly maxEntries: number; readonly maxBytes: number }) {}

  get(id: string): OnceRecord | undefined {
    const found = this.kept.get(id);
    return found === undefined || hasExpired(found) ? undefined : found;
  }

  /** Makes room for a result, or returns false if the results of other calls take it. */
  tryMakeRoom(result: Uint8Array): boolean {
    const fits = (): boolean => this.bytes + result.length <= this.max.maxBytes;
    if (!fits()) this.dropEverywhere();
    if (fits()) return true;
    Warnings.of(STANDARD_ERROR).once(
      'A result of a call with `once` was not kept, because the memory store holds `maxBytes` bytes of results. If the process has the memory for more, raise `maxBytes`.',
    );
    return false;
  }

  /**
   * Stores a record.
   *
   * @throws {@link OnceStoreFullError} If the store is full.
   */
  set(id: string, record: OnceRecord): void {
    this.drop(id);
    this.dropInFront();
    const { maxEntries } = this.max;
    if (this.kept.size >= maxEntries) this.dropEverywhere();
    if (this.kept.size >= maxEntries) {
      throw new OnceStoreFullError(
        `The memory store for \`once\` is full. No record has expired, and \`maxEntries\` is ${maxEntries}. Raise \`maxEntries\` to keep more records.`,
      );
    }
    this.kept.set(id, record);
    this.bytes += sizeOf(record);
    this.firstExpiry = Math.min(this.firstExpiry, record.expiresAt);
  }

  private drop(id: string): void {
    this.bytes -= sizeOf(this.kept.get(id));
    this.kept.delete(id);
  }

  /** Drops expired records from the front. If all have the same lifetime, that is every one. */
  private dropInFront(): void {
    for (const [id, record] of this.kept) {
      if (!hasExpired(record)) return;
      this.drop(id);
    }
  }

  /** Drops all expired records, if any record can have expired. */
  private dropEverywhere(): void {
    if (this.firstExpiry > performance.now()) return;
    this.firstExpiry = Infinity;
    for (const [id, record] of this.kept) {
      if (hasExpired(record)) this.drop(id);
      else this.firstExpiry = Math.min(this.firstExpiry, record.expiresAt);
    }
  }
}

function sizeOf(record: OnceRecord | undefined): number {
  return record?.end?.result?.length ?? 0;
}

function hasExpired({ expiresAt }: OnceRecord): boolean {
  return expiresAt <= performance.now();
}
