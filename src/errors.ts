/**
 * The error classes, grouped by when the library throws them:
 *
 * ```
 * Error
 * ├── ToolError                  during a call; the model reads its message
 * │   └── Refusal                the user declined or cancelled a question
 * ├── InvalidGraphError          at definition; a mistake in a graph, before any client connects
 * └── InvalidRequestStateError   from codecs; a token they did not seal, the reason is for the log
 * ```
 *
 * A wrong option or argument of a function throws a plain `TypeError`. Protocol errors are the
 * SDK's own `ProtocolError` and pass through unchanged. `instanceof` checks a brand, so it works
 * between the ESM and the CJS copy of this package.
 */

/** The codes of {@link InvalidGraphError}. They are stable across releases. */
export type InvalidGraphCode =
  'ERR_GRAPH_CYCLE' | 'ERR_GRAPH_NEED' | 'ERR_GRAPH_ARGUMENT' | 'ERR_GRAPH_NAME' | 'ERR_GRAPH_ASKS';

function isBranded(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, brand);
}

/** Checks subclasses by prototype, as usual. Only our own classes are checked by brand. */
function isDerived(constructor: unknown, value: unknown): boolean {
  return Function.prototype[Symbol.hasInstance].call(constructor as () => void, value);
}

const TOOL_ERROR = Symbol.for('mcp-resolve.ToolError');
const INVALID_GRAPH_ERROR = Symbol.for('mcp-resolve.InvalidGraphError');

/**
 * A failure that the model should read and may act on. If a resolver or a tool body throws it, the
 * call ends with the tool error `Error executing tool <name>: <message>`.
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

/** The property of a {@link ToolError} that holds the `_meta` of the call's result. */
export const RESULT_META = Symbol.for('mcp-resolve.resultMeta');

/** Returns the `_meta` of a result that ends with this error, if the error has one. */
export function resultMetaOf(error: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!(error instanceof ToolError)) return undefined;
  return (error as { readonly [RESULT_META]?: Readonly<Record<string, unknown>> })[RESULT_META];
}

/** The error that ends a call after the user declined or cancelled a question. */
export class Refusal extends ToolError {
  /** `sentence` is the author's text, if there is one. */
  constructor(param: string, action: 'decline' | 'cancel', sentence?: string) {
    super(
      sentence ?? `Resolver for parameter '${param}' could not resolve: elicitation was ${action}`,
    );
  }
}

/** Returns true if `thrown` is a refusal. If `instanceof` itself throws, it returns false. */
export function isRefusal(thrown: unknown): thrown is Refusal {
  try {
    return thrown instanceof Refusal;
  } catch {
    return false;
  }
}

/**
 * A graph that cannot work. It is thrown at definition, never during a call. The message names the
 * place, the path to it and the fix.
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
  /** The kind of mistake, for programs. */
  readonly code: InvalidGraphCode;
  /** The path from the definition to the mistake, such as `['refund_order', 'cents', 'scope']`. */
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

/** The reasons for rejecting a request state. They go to the server's log, never to the client. */
export type RejectReason =
  | 'malformed'
  | 'unknown key'
  | 'seal'
  | 'codec error'
  | 'non-string requestState'
  | 'minted in the future'
  | 'expired'
  | 'request binding'
  | 'unsealed'
  | 'another store'
  | 'audience'
  | 'principal binding error'
  | 'principal drift'
  | 'principal';

const INVALID_REQUEST_STATE_ERROR = Symbol.for('mcp-resolve.InvalidRequestStateError');

/**
 * A request state that this server did not seal, or did not seal for this request. Codecs throw it.
 * The first 40 characters of its message go to the server's log. The client always receives the
 * same error.
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

/** Formats a path for a message. A very long path loses its middle. */
function shownPath(path: readonly string[]): string {
  if (path.length <= SHOWN_STEPS) return path.join(' -> ');
  const half = SHOWN_STEPS / 2;
  const omitted = `… ${path.length - SHOWN_STEPS} more …`;
  return [...path.slice(0, half), omitted, ...path.slice(-half)].join(' -> ');
}

/** Returns the message of any thrown value. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'the thrown value cannot be converted to a string';
  }
}

/** Returns any thrown value as an `Error`. */
export function errorOf(thrown: unknown): Error {
  try {
    return thrown instanceof Error ? thrown : new Error(messageOf(thrown));
  } catch {
    return new Error(messageOf(thrown));
  }
}
