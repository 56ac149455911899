/** The options of an installation, checked. */
import type { McpRequestContext } from '@modelcontextprotocol/server';
import { isKind } from '../define/brand.js';
import type { CallEvent } from '../define/event.js';
import { isObject } from '../define/schema.js';
import { InvalidGraphError } from '../errors.js';
import type { RequestStateSeal } from './requestStateSeal.js';
import { DEFAULT_ASK_TIMEOUT_MS } from './resolveArguments.js';
import type { CallSettings, ErrorPolicy } from './callable.js';

/** How definitions are installed. */
export interface InstallOptions {
  /**
   * How the state between rounds is kept from the client's hands. Default: sealed under one key of
   * this process, which is right for one process and wrong for several.
   */
  readonly seal?: RequestStateSeal;
  /** How long a client of the 2025 era may take to answer a question. Default: 600,000. */
  readonly askTimeoutMs?: number;
  /**
   * Which errors the model reads: with `'all'`, the default, the message of anything thrown; with
   * `'toolErrorsOnly'` those of `ToolError`s alone. Either way, what is not a `ToolError` goes to
   * the server's `onerror` as well.
   */
  readonly errors?: ErrorPolicy;
  /**
   * Told of everything that happens in a call, under one id over all its rounds. What it throws is
   * reported to the server's `onerror` and changes nothing.
   */
  readonly onEvent?: (event: CallEvent) => void;
  /**
   * Whether events carry values, answers and the texts of questions. Default: false, because what
   * listens usually logs.
   */
  readonly eventValues?: boolean;
  /**
   * The context that an HTTP factory was called with. With it, only the definition that the request
   * names is attached, and the cost of a call does not grow with the number of tools.
   */
  readonly request?: McpRequestContext;
}

/** The same with defaults, without the request: a server keeps them longer than the request lives. */
export interface CheckedOptions extends CallSettings {
  readonly seal: RequestStateSeal | undefined;
}

const KNOWN: readonly string[] = [
  'seal',
  'askTimeoutMs',
  'errors',
  'onEvent',
  'eventValues',
  'request',
];

/** @throws {@link InvalidGraphError} If an option is unknown or has a value that makes no sense. */
export function checkInstallOptions(options: InstallOptions = {}): CheckedOptions {
  if (!isObject(options)) throw invalid(`the options are an object: { ${KNOWN.join(', ')} }.`);
  const unknown = Object.keys(options).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined)
    throw invalid(`there is no option '${unknown}' (known: ${KNOWN.join(', ')}).`);
  const {
    askTimeoutMs = DEFAULT_ASK_TIMEOUT_MS,
    errors = 'all',
    onEvent,
    eventValues = false,
    seal,
  } = options as InstallOptions;
  if (typeof askTimeoutMs !== 'number' || !(askTimeoutMs > 0 && askTimeoutMs <= LONGEST_TIMER_MS)) {
    throw invalid(
      `askTimeoutMs is a positive number of milliseconds, at most ${LONGEST_TIMER_MS}.`,
    );
  }
  if (!ERROR_POLICIES.includes(errors)) throw invalid("errors is 'all' or 'toolErrorsOnly'.");
  if (seal !== undefined && !isKind(seal, 'seal'))
    throw invalid('seal is made with requestStateSeal(…).');
  if (onEvent !== undefined && typeof onEvent !== 'function')
    throw invalid('onEvent is a function of an event.');
  if (typeof eventValues !== 'boolean') throw invalid('eventValues is true or false.');
  return { seal, askTimeoutMs, errors, onEvent, eventValues };
}

/** A longer timer fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

const ERROR_POLICIES: readonly unknown[] = ['all', 'toolErrorsOnly'];

function invalid(problem: string): InvalidGraphError {
  return new InvalidGraphError('ERR_DEFINITION', `install(): ${problem}`);
}
