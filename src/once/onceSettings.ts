/** Validates the `once` option of a tool. */
import { isPlainObject } from '../values.js';
import { isRecordStore } from '../store/recordStore.js';
import type { RecordStore } from '../store/recordStore.js';

/** The options of a tool whose approved calls run once. */
export interface OnceOptions {
  /** The store that records which calls have run. */
  readonly store: RecordStore;
  /**
   * The time in milliseconds that a second request waits for the first one to end. After that it
   * receives the error `in_progress`. Default: 0.
   */
  readonly waitMs?: number;
  /** The largest result that is kept, in bytes of JSON. Default: 262,144. */
  readonly maxResultBytes?: number;
}

/** The options with all defaults filled in. */
export type OnceSettings = Required<OnceOptions>;

/**
 * Reads the `once` option of a tool: a store, or an object with a store and settings.
 *
 * @throws {TypeError} If it is neither.
 */
export function onceSettings(tool: string, given: unknown): OnceSettings {
  const options = isRecordStore(given) ? { store: given } : given;
  const {
    store,
    waitMs = 0,
    maxResultBytes = 262_144,
    ...unknown
  } = isPlainObject(options) ? options : {};
  const problem = (sentence: string) => new TypeError(`Tool '${tool}': ${sentence}`);
  if (!isRecordStore(store) || Object.keys(unknown).length > 0)
    throw problem(
      "`once` must be a store, or an object { store, waitMs, maxResultBytes }. Create a store with memoryStore(), redisStore(client) or postgresStore(client) from 'mcp-resolve/store'.",
    );
  if (typeof waitMs !== 'number' || !(waitMs >= 0 && waitMs < Infinity))
    throw problem('`once.waitMs` must be a non-negative, finite number of milliseconds.');
  if (typeof maxResultBytes !== 'number' || !(maxResultBytes > 0))
    throw problem('`once.maxResultBytes` must be a positive number.');
  return { store, waitMs, maxResultBytes };
}
