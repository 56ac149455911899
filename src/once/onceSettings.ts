/** The `once` of a tool, checked. */
import { isPlainObject } from '../define/schema.js';
import { InvalidGraphError } from '../errors.js';
import type { OnceStore } from './onceStore.js';

/** How it is seen to that an approved call runs once. */
export interface OnceOptions {
  /** Where it is remembered which calls have run. */
  readonly store: OnceStore;
  /**
   * How long a second request waits for the first one to end, before it is told that the call is in
   * progress. Default: 0.
   */
  readonly waitMs?: number;
  /** The largest result that is remembered, in bytes of JSON. Default: 262,144. */
  readonly maxResultBytes?: number;
}

/** The same, complete. */
export type OnceSettings = Required<OnceOptions>;

const KNOWN: readonly string[] = ['store', 'waitMs', 'maxResultBytes'];
const STEPS = ['read', 'claim', 'renew', 'finish'] as const;

/**
 * Reads the `once` of a tool: a store, or a store with settings.
 *
 * @throws {@link InvalidGraphError} If it is neither.
 */
export function onceSettings(tool: string, given: unknown): OnceSettings {
  if (isStore(given)) return { store: given, ...DEFAULTS };
  const options: Readonly<Record<string, unknown>> = isPlainObject(given) ? given : {};
  const unknown = Object.keys(options).find((key) => !KNOWN.includes(key));
  if (!isStore(options.store) || unknown !== undefined) {
    throw invalid(
      tool,
      "is a store, or { store, waitMs, maxResultBytes }; make a store with memoryOnceStore() or redisOnceStore(client) of 'mcp-resolve/once'.",
    );
  }
  const { waitMs = DEFAULTS.waitMs, maxResultBytes = DEFAULTS.maxResultBytes } = options;
  if (typeof waitMs !== 'number' || !(waitMs >= 0 && waitMs < Infinity)) {
    throw invalid(tool, 'has a waitMs that is not a number of milliseconds.');
  }
  if (typeof maxResultBytes !== 'number' || !(maxResultBytes > 0)) {
    throw invalid(tool, 'has a maxResultBytes that is not a positive number.');
  }
  return { store: options.store, waitMs, maxResultBytes };
}

const DEFAULTS = { waitMs: 0, maxResultBytes: 262_144 };

function isStore(value: unknown): value is OnceStore {
  if (typeof value !== 'object' || value === null) return false;
  return STEPS.every((step) => typeof Reflect.get(value, step) === 'function');
}

function invalid(tool: string, problem: string): InvalidGraphError {
  return new InvalidGraphError('ERR_DEFINITION', `Tool '${tool}': once ${problem}`, [tool]);
}
