/** Validates the `once` option of a tool. */
import { isPlainObject } from '../values.js';
import type { OnceStore } from './onceStore.js';

/** The options of a tool whose approved calls run once. */
export interface OnceOptions {
  /** The store that records which calls have run. */
  readonly store: OnceStore;
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

const KNOWN: readonly string[] = ['store', 'waitMs', 'maxResultBytes'];
const STEPS = ['read', 'claim', 'renew', 'finish'] as const;

/**
 * Reads the `once` option of a tool: a store, or an object with a store and settings.
 *
 * @throws {TypeError} If it is neither.
 */
export function onceSettings(tool: string, given: unknown): OnceSettings {
  if (isStore(given)) return { store: given, ...DEFAULTS };
  const options: Readonly<Record<string, unknown>> = isPlainObject(given) ? given : {};
  const unknown = Object.keys(options).find((key) => !KNOWN.includes(key));
  if (!isStore(options.store) || unknown !== undefined) {
    throw invalid(
      tool,
      "`once` must be a store, or an object { store, waitMs, maxResultBytes }. Create a store with memoryOnceStore() or redisOnceStore(client) from 'mcp-resolve/once'.",
    );
  }
  const { waitMs = DEFAULTS.waitMs, maxResultBytes = DEFAULTS.maxResultBytes } = options;
  if (typeof waitMs !== 'number' || !(waitMs >= 0 && waitMs < Infinity)) {
    throw invalid(tool, '`once.waitMs` must be a non-negative, finite number of milliseconds.');
  }
  if (typeof maxResultBytes !== 'number' || !(maxResultBytes > 0)) {
    throw invalid(tool, '`once.maxResultBytes` must be a positive number.');
  }
  return { store: options.store, waitMs, maxResultBytes };
}

const DEFAULTS = { waitMs: 0, maxResultBytes: 262_144 };

function isStore(value: unknown): value is OnceStore {
  if (typeof value !== 'object' || value === null) return false;
  return STEPS.every((step) => typeof Reflect.get(value, step) === 'function');
}

function invalid(tool: string, problem: string): TypeError {
  return new TypeError(`Tool '${tool}': ${problem}`);
}
