/** The options of a desk, with their checks and defaults. */
import { rejectUnknownOptions } from '../options.js';
import { isObject } from '../values.js';
import { isRecordStore } from '../store/recordStore.js';
import type { RecordStore } from '../store/recordStore.js';
import type { DeskEvent } from './deskEvent.js';
import type { ApprovalRequest } from './parkedCall.js';

/** The options of {@link approvalDesk}. */
export interface ApprovalDeskOptions {
  /** The store of the requests, and of the calls that wait. */
  readonly store: RecordStore;
  /**
   * Tells the approvers of a new request, for example in a chat. It has five seconds. If it fails,
   * the next call that waits for the request tries again. Default: nobody is told.
   */
  readonly notify?: (request: ApprovalRequest) => unknown;
  /**
   * True if a client that declares the extension `io.modelcontextprotocol/tasks` gets the handle of
   * a task for a call that waits, and polls it. All others read that they have to make the same
   * call again. Default: false.
   */
  readonly tasks?: boolean;
  /** The lifetime of a request from its last change, in seconds. Default: 86,400. */
  readonly ttlSeconds?: number;
  /** The maximum number of requests that wait for one group. Default: 1,000. */
  readonly maxOpen?: number;
  /** The maximum number of requests of one requester that wait for one group. Default: 20. */
  readonly maxOpenPerRequester?: number;
  /** Receives what happens to requests. The events contain no texts. */
  readonly onEvent?: (event: DeskEvent) => void;
  /** Returns the time in milliseconds since the epoch, for tests. Default: `Date.now`. */
  readonly now?: () => number;
}

/** The options with all defaults filled in. */
export interface DeskSettings {
  readonly store: RecordStore;
  readonly notify: ApprovalDeskOptions['notify'];
  readonly tasks: boolean;
  readonly ttlMs: number;
  readonly maxOpen: number;
  readonly maxOpenPerRequester: number;
  readonly onEvent: ApprovalDeskOptions['onEvent'];
  readonly now: () => number;
}

const KNOWN = [
  'store',
  'notify',
  'tasks',
  'ttlSeconds',
  'maxOpen',
  'maxOpenPerRequester',
  'onEvent',
  'now',
];

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {TypeError} If an option is unknown or has an invalid value.
 */
export function deskSettings(options: ApprovalDeskOptions): DeskSettings {
  if (!isObject(options)) throw invalid('`options` must be an object such as { store }.');
  if (isRecordStore(options))
    throw invalid('the store is an option. Write approvalDesk({ store }).');
  rejectUnknownOptions(options, KNOWN, 'approvalDesk()');
  const { store, notify, onEvent, now = Date.now } = options as ApprovalDeskOptions;
  const { tasks = false } = options;
  const { ttlSeconds = 86_400, maxOpen = 1000, maxOpenPerRequester = 20 } = options;
  if (!isRecordStore(store))
    throw invalid(
      "`store` must be a store with get() and put(). Create one with memoryStore(), redisStore(client) or postgresStore(client) of 'mcp-resolve/store'.",
    );
  for (const [name, given] of Object.entries({ notify, onEvent, now })) {
    if (given !== undefined && typeof given !== 'function')
      throw invalid(`\`${name}\` must be a function.`);
  }
  if (typeof tasks !== 'boolean') throw invalid('`tasks` must be true or false.');
  if (typeof ttlSeconds !== 'number' || !(ttlSeconds > 0 && ttlSeconds < Infinity))
    throw invalid('`ttlSeconds` must be a positive, finite number.');
  for (const [name, given] of Object.entries({ maxOpen, maxOpenPerRequester })) {
    if (!Number.isSafeInteger(given) || given < 1)
      throw invalid(`\`${name}\` must be an integer of at least 1.`);
  }
  const ttlMs = ttlSeconds * 1000;
  return { store, notify, tasks, ttlMs, maxOpen, maxOpenPerRequester, onEvent, now };
}

function invalid(problem: string): TypeError {
  return new TypeError(`approvalDesk(): ${problem}`);
}
