/** The options of `install()` and `toolHandler()`, with their checks and defaults. */
import type { McpRequestContext } from '@modelcontextprotocol/server';
import { isKind, kindOf } from '../author/brand.js';
import type { Kind } from '../author/brand.js';
import { rejectUnknownOptions } from '../options.js';
import type { CallEvent } from '../author/event.js';
import { isObject } from '../values.js';
import type { RequestStateSeal } from './requestStateSeal.js';
import { checkLogger } from '../log.js';
import type { Logger } from '../log.js';
import { DEFAULT_SETTINGS } from '../call/call.js';
import type { CallSettings, ErrorPolicy } from '../call/call.js';
import type { UsableCapabilities } from '../call/usableCapabilities.js';

/** The options of `install()` and `toolHandler()`. */
export interface CallOptions {
  /**
   * The seal that protects the state between rounds from the client. Default: a seal with one key
   * of this process, which works only if one process serves all rounds of a call.
   */
  readonly seal?: RequestStateSeal;
  /**
   * The time, in milliseconds, that a legacy client has to answer a question. Default: 600,000.
   */
  readonly askTimeoutMs?: number;
  /**
   * The errors that the model may read. With `'toolErrorsOnly'`, the default, it reads only the
   * messages of `ToolError`s. With `'all'` it reads the message of every error. In both cases, all
   * other errors go to the server's `onerror`, or to `logger` if there is none.
   */
  readonly errors?: ErrorPolicy;
  /**
   * Receives the events of a call. All rounds of a call share one id. If it throws, the error goes
   * to the server's `onerror` and does not change the answer.
   */
  readonly onEvent?: (event: CallEvent) => void;
  /**
   * True if events include values, answers and the text of questions. Default: false, because
   * listeners usually write logs.
   */
  readonly eventValues?: boolean;
  /**
   * Returns the capabilities of a client that calls count on, for clients that declare what they do
   * not do. It can only take away. A client for which it fails counts as able to nothing. With
   * `install()` it applies to all definitions of the server. Default: what the client declares.
   */
  readonly usableCapabilities?: UsableCapabilities;
  /** Receives every line that the library writes for this server. Default: standard error. */
  readonly logger?: Logger;
}

/** The options of `install()`. */
export interface InstallOptions extends CallOptions {
  /**
   * The context that an HTTP factory receives. If set, `install()` attaches only the definition
   * that the request names.
   */
  readonly request?: McpRequestContext;
}

/** The options with defaults. They omit the request, because the server can outlive it. */
export interface CheckedOptions extends CallSettings {
  readonly seal: RequestStateSeal | undefined;
  readonly usableCapabilities: UsableCapabilities | undefined;
}

/** The names of the options of all calls. */
export const CALL_OPTIONS: readonly string[] = [
  'seal',
  'askTimeoutMs',
  'errors',
  'onEvent',
  'eventValues',
  'usableCapabilities',
  'logger',
];

const DEFINITIONS: readonly (Kind | undefined)[] = ['tool', 'prompt', 'resource'];

/** The function whose options are checked. */
export interface OptionsOwner {
  /** The call, for messages, such as `install()`. */
  readonly caller: string;
  /** The options that it has besides those of all calls. */
  readonly own: readonly string[];
}

/** `install()` and its own options. */
export const INSTALL: OptionsOwner = { caller: 'install()', own: ['request'] };

/**
 * Checks the options and fills in the defaults. The function checks its own options itself.
 *
 * @throws {TypeError} If an option is unknown or has an invalid value.
 */
export function checkOptions(
  options: CallOptions = {},
  { caller, own }: OptionsOwner,
): CheckedOptions {
  const invalid = (problem: string): TypeError => new TypeError(`${caller}: ${problem}`);
  const known = [...CALL_OPTIONS, ...own];
  if (DEFINITIONS.includes(kindOf(options)))
    throw invalid('the definitions must be one array. Write install(server, [first, second]).');
  if (!isObject(options)) throw invalid(`\`options\` must be an object { ${known.join(', ')} }.`);
  rejectUnknownOptions(options, known, caller);
  const {
    seal,
    logger,
    onEvent,
    usableCapabilities,
    askTimeoutMs = DEFAULT_SETTINGS.askTimeoutMs,
    errors = DEFAULT_SETTINGS.errors,
    eventValues = DEFAULT_SETTINGS.eventValues,
  } = options as CallOptions;
  if (typeof askTimeoutMs !== 'number' || !(askTimeoutMs > 0 && askTimeoutMs <= LONGEST_TIMER_MS)) {
    throw invalid(
      `\`askTimeoutMs\` must be a positive number of milliseconds, at most ${LONGEST_TIMER_MS}.`,
    );
  }
  if (!ERROR_POLICIES.includes(errors))
    throw invalid("`errors` must be 'all' or 'toolErrorsOnly'.");
  if (seal !== undefined && !isKind(seal, 'seal'))
    throw invalid('`seal` must be created with requestStateSeal(…).');
  if (onEvent !== undefined && typeof onEvent !== 'function')
    throw invalid('`onEvent` must be a function that takes an event.');
  if (usableCapabilities !== undefined && typeof usableCapabilities !== 'function')
    throw invalid(
      '`usableCapabilities` must be a function that takes a client and returns its usable capabilities.',
    );
  if (typeof eventValues !== 'boolean') throw invalid('`eventValues` must be true or false.');
  return {
    seal,
    askTimeoutMs,
    errors,
    onEvent,
    eventValues,
    usableCapabilities,
    logger: checkLogger(logger, `${caller}: \`logger\``),
  };
}

/** The longest time of a timer. A longer one fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

const ERROR_POLICIES: readonly unknown[] = ['all', 'toolErrorsOnly'];
