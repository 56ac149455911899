/**
 * The error family, told apart by when they appear:
 *
 * ```
 * Error
 * ├── ToolError                  during a call: its message is what the model reads
 * │   └── Refusal                the user declined or cancelled a question
 * ├── InvalidGraphError          while defining: an author's mistake, before any client connects
 * └── InvalidRequestStateError   by codecs: a token they did not seal; its reason stays on the server
 * ```
 *
 * Protocol errors are the SDK's own `ProtocolError` and pass through us unchanged. `instanceof` is
 * answered by brand, so it holds between the ESM and the CJS copy of this package.
 */

/** What is wrong with a graph or a definition; stable across releases. */
export type InvalidGraphCode =
  | 'ERR_GRAPH_CYCLE'
  | 'ERR_GRAPH_NEED'
  | 'ERR_GRAPH_ARGUMENT'
  | 'ERR_GRAPH_NAME'
  | 'ERR_GRAPH_ASKS'
  | 'ERR_DEFINITION';

function isBranded(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, brand);
}

/** What an author derives from these classes is told apart by its class, as usual. */
function isDerived(constructor: unknown, value: unknown): boolean {
  return Function.prototype[Symbol.hasInstance].call(constructor as () => void, value);
}

const TOOL_ERROR = Symbol.for('mcp-resolve.ToolError');
const INVALID_GRAPH_ERROR = Symbol.for('mcp-resolve.InvalidGraphError');

/**
 * A failure that the model should read and may act on. Thrown by a resolver or a tool body, it ends
 * the call with the tool error `Error executing tool <name>: <message>`.
 *
 * @example
 *
 * ```ts
 * throw new ToolError(`unknown invoice '${id}'`);
 * ```
 */
export class ToolError extends Error {
  override readonly name: string = 'ToolError';
  readonly [TOOL_ERROR] = true;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === ToolError ? isBranded(value, TOOL_ERROR) : isDerived(this, value);
  }
}

/** The end of a call whose user declined or cancelled a question. */
export class Refusal extends ToolError {
  constructor(param: string, action: 'decline' | 'cancel') {
    super(`Resolver for parameter '${param}' could not resolve: elicitation was ${action}`);
  }
}

/** Returns true if a refusal was thrown. What cannot be looked at is something else. */
export function isRefusal(thrown: unknown): thrown is Refusal {
  try {
    return thrown instanceof Refusal;
  } catch {
    return false;
  }
}

/**
 * A graph or definition that cannot work. Thrown when it is defined, never during a call; the
 * message names the place, the path to it and the remedy.
 *
 * @example
 *
 * ```ts
 * try {
 *   await import('./tools.js');
 * } catch (error) {
 *   if (error instanceof InvalidGraphError) console.error(error.code, error.path);
 * }
 * ```
 */
export class InvalidGraphError extends Error {
  override readonly name: string = 'InvalidGraphError';
  readonly [INVALID_GRAPH_ERROR] = true;
  /** What is wrong, for programs. */
  readonly code: InvalidGraphCode;
  /** The way from the definition to the fault, such as `['refund_order', 'cents', 'scope']`. */
  readonly path: readonly string[];

  constructor(code: InvalidGraphCode, message: string, path: readonly string[] = []) {
    super(path.length > 1 ? `${message} (at ${shownPath(path)})` : message);
    this.code = code;
    this.path = path;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === InvalidGraphError
      ? isBranded(value, INVALID_GRAPH_ERROR)
      : isDerived(this, value);
  }
}

/** Why a request state was rejected; short fixed words, for the log and never for the client. */
export type RejectReason =
  | 'malformed'
  | 'unknown key'
  | 'seal'
  | 'codec error'
  | 'non-string requestState'
  | 'minted in the future'
  | 'expired'
  | 'request binding'
  | 'audience'
  | 'principal binding error'
  | 'principal drift'
  | 'principal';

const INVALID_REQUEST_STATE_ERROR = Symbol.for('mcp-resolve.InvalidRequestStateError');

/**
 * A request state that was not sealed here, or not for this request. Thrown by codecs; its message,
 * at most 40 characters of it, goes to the server's log, and the client gets one and the same error
 * always.
 *
 * @example
 *
 * ```ts
 * const open = (sealed: string): string => {
 *   if (!sealed.startsWith('v1.')) throw new InvalidRequestStateError('malformed');
 *   return sealed.slice(3);
 * };
 * ```
 */
export class InvalidRequestStateError extends Error {
  override readonly name: string = 'InvalidRequestStateError';
  readonly [INVALID_REQUEST_STATE_ERROR] = true;

  constructor(reason = 'malformed') {
    super(reason);
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === InvalidRequestStateError
      ? isBranded(value, INVALID_REQUEST_STATE_ERROR)
      : isDerived(this, value);
  }
}

const SHOWN_STEPS = 12;

/** A path for people: the middle of a very long one is left out. */
function shownPath(path: readonly string[]): string {
  if (path.length <= SHOWN_STEPS) return path.join(' -> ');
  const half = SHOWN_STEPS / 2;
  const omitted = `… ${path.length - SHOWN_STEPS} more …`;
  return [...path.slice(0, half), omitted, ...path.slice(-half)].join(' -> ');
}

/** The message of anything that can be thrown. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return 'something that cannot be shown was thrown';
  }
}

/** Anything that can be thrown, as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
}
