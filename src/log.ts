/**
 * Warnings for a server's operator. Warnings that a hostile client can cause are rate-limited, and
 * the log states how many were omitted. Warnings about the configuration are logged once.
 */
import { errorOf, messageOf } from './errors.js';
import { isThenable } from './values.js';
import { visibleText } from './visibleText.js';

/** The destination of log lines. */
export interface Logger {
  readonly warn: (message: string) => void;
}

/** Logs to standard error, because standard output may be the transport. */
export const STANDARD_ERROR: Logger = {
  warn: (message) => {
    // eslint-disable-next-line no-console -- the default place for warnings; standard output may be the transport
    console.warn(`mcp-resolve: ${message}`);
  },
};

/** Drops warnings. A test has no operator, so only its author's mistakes go to standard error. */
export const AUTHOR_ONLY: Logger = { warn: () => undefined };

/**
 * Checks a logger. `place` names the function and the option.
 *
 * @throws {TypeError} If it has no `warn` method.
 */
export function checkLogger(logger: Logger | undefined, place: string): Logger {
  if (logger === undefined) return STANDARD_ERROR;
  if (typeof (logger as Partial<Logger> | null)?.warn === 'function') return logger;
  throw new TypeError(`${place} must be an object with a \`warn(message)\` method.`);
}

const LONGEST_MESSAGE = 500;
const LONGEST_NAME = 40;

/**
 * Returns the name and message of an author's error for a log line. Parts of the message that also
 * occur in `secret` are left out, if they have six or more characters.
 */
export function shownError(error: unknown, secret = ''): string {
  return `${nameOf(error)}: ${hide(secret, messageOf(error).slice(0, LONGEST_MESSAGE))}`;
}

/** The errors that have a line in the log. */
const logged = new WeakSet<Error>();

/**
 * Logs an error that a host may swallow, and returns it. If a function that it passed before has
 * logged it, there is no second line.
 */
export function logThrown(what: string, thrown: unknown, logger = STANDARD_ERROR): Error {
  const error = errorOf(thrown);
  if (!logged.has(error)) Warnings.of(logger).warn(`${what}: ${shownError(error)}`);
  return markLogged(error);
}

/** Notes that an error needs no line of its own, because its cause has one. Returns the error. */
export function markLogged(error: Error): Error {
  logged.add(error);
  return error;
}

/** Logs an error like {@link logThrown}, at the last place that it passes. It may be thrown again. */
export function logAnswered(what: string, thrown: unknown): Error {
  const error = logThrown(what, thrown);
  logged.delete(error);
  return error;
}

/** Returns the name of an error, for lines that must not quote its message. */
export function nameOf(error: unknown): string {
  try {
    const name: unknown = error instanceof Error ? error.name : undefined;
    return typeof name === 'string' ? name.slice(0, LONGEST_NAME) : typeof error;
  } catch {
    return typeof error;
  }
}

/**
 * Escapes control characters, so that a text cannot write log lines or move the cursor of a
 * terminal. A line has none left, so escaping it again changes nothing.
 */
export function oneLine(text: string): string {
  return visibleText(text.replace(/[\t\n\r]/g, (space) => JSON.stringify(space).slice(1, -1)));
}

/** Shorter matches count as coincidence. */
const SHORTEST_PART = 6;

/** Replaces the parts of a message that also occur in a secret. Reads the secret once. */
function hide(secret: string, message: string): string {
  const parts = new Set(partsOf(message));
  const shared = new Set<string>();
  for (const part of partsOf(secret)) if (parts.has(part)) shared.add(part);
  let shown = '';
  let hiddenTo = -1;
  for (let at = 0; at < message.length; at += 1) {
    if (shared.has(message.slice(at, at + SHORTEST_PART))) {
      if (at > hiddenTo) shown += '…';
      hiddenTo = at + SHORTEST_PART;
    } else if (at >= hiddenTo) shown += message.charAt(at);
  }
  return shown;
}

/** Returns the parts of a text that have the length of the shortest match. */
function* partsOf(text: string): Generator<string> {
  for (let at = 0; at + SHORTEST_PART <= text.length; at += 1) {
    yield text.slice(at, at + SHORTEST_PART);
  }
}

const BURST = 20;
const REFILL_MS = 1000;

export class Warnings {
  private static readonly all = new WeakMap<object, Warnings>();
  private readonly said = new Set<string>();
  private readonly subjects = new WeakSet();
  private allowance = BURST;
  private suppressed = 0;
  private refilledAt = Date.now();

  private constructor(private readonly logger: Logger) {}

  /**
   * Returns the warnings of a logger. Policies that share a logger share the limit. A function of
   * the logger's own identifies it, because an HTTP factory may create `{ warn }` for every
   * request.
   */
  static of(logger: Logger): Warnings {
    const identity = Object.hasOwn(logger, 'warn') ? logger.warn : logger;
    const known = Warnings.all.get(identity) ?? new Warnings(logger);
    Warnings.all.set(identity, known);
    return known;
  }

  /** Logs a line for each failed call, without a limit. */
  failure(message: string): void {
    this.say(message);
  }

  /** Logs a warning, unless the rate limit is exceeded. */
  warn(message: string): void {
    this.refill();
    if (this.allowance < 1) {
      this.suppressed += 1;
      return;
    }
    this.allowance -= 1;
    const { suppressed } = this;
    const noun = suppressed === 1 ? 'warning' : 'warnings';
    const left = suppressed === 0 ? '' : ` (${suppressed} similar ${noun} omitted)`;
    this.suppressed = 0;
    this.say(message + left);
  }

  /** Logs a warning about an object the first time, whatever it is called. */
  onceAbout(subject: object, message: string): void {
    if (this.subjects.has(subject)) return;
    this.subjects.add(subject);
    this.once(message);
  }

  /** Logs a warning the first time. */
  once(message: string): void {
    if (this.said.has(message)) return;
    this.said.add(message);
    this.say(message);
  }

  /**
   * Calls the logger with one line. A logger that fails must not change the response to the client.
   */
  private say(message: string): void {
    const nowhereElse = (): void => undefined;
    try {
      const warn: (message: string) => unknown = this.logger.warn;
      const said = warn.call(this.logger, oneLine(message));
      if (isThenable(said)) said.then(undefined, nowhereElse);
    } catch {
      nowhereElse();
    }
  }

  private refill(): void {
    const now = Date.now();
    const earned = Math.floor((now - this.refilledAt) / REFILL_MS);
    if (earned <= 0) return;
    this.allowance = Math.min(BURST, this.allowance + earned);
    this.refilledAt = now;
  }
}
