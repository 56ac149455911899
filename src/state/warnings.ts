/**
 * Warnings for a server's operator. Warnings that a hostile client can cause are rate-limited, and
 * the log states how many were omitted. Warnings about the configuration are logged once.
 */
import { isThenable } from '../platform.js';

/** The destination of a policy's warnings. */
export interface SealLogger {
  readonly warn: (message: string) => void;
}

/** Logs to standard error, because standard output may be the transport. */
export const STANDARD_ERROR: SealLogger = {
  warn: (message) => {
    // eslint-disable-next-line no-console -- the default place for warnings; standard output may be the transport
    console.warn(`mcp-resolve: ${message}`);
  },
};

const BURST = 20;
const REFILL_MS = 1000;

/** The warnings of one logger. */
export class Warnings {
  private static readonly all = new WeakMap<SealLogger, Warnings>();
  private readonly said = new Set<string>();
  private allowance = BURST;
  private suppressed = 0;
  private refilledAt = Date.now();

  private constructor(private readonly logger: SealLogger) {}

  /** Returns the warnings of a logger. Policies that share a logger share the limit. */
  static of(logger: SealLogger): Warnings {
    const known = Warnings.all.get(logger) ?? new Warnings(logger);
    Warnings.all.set(logger, known);
    return known;
  }

  /** Logs a warning, unless the rate limit is exceeded. */
  warn(message: string): void {
    this.refill();
    if (this.allowance < 1) {
      this.suppressed += 1;
      return;
    }
    this.allowance -= 1;
    const left = this.suppressed === 0 ? '' : ` (${this.suppressed} similar warnings omitted)`;
    this.suppressed = 0;
    this.say(message + left);
  }

  /** Logs a warning the first time. */
  once(message: string): void {
    if (this.said.has(message)) return;
    this.said.add(message);
    this.say(message);
  }

  /** Calls the logger. A logger that fails must not change the response to the client. */
  private say(message: string): void {
    const nowhereElse = (): void => undefined;
    try {
      const warn: (message: string) => unknown = this.logger.warn;
      const said = warn.call(this.logger, message);
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
