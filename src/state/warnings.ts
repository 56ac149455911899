/**
 * Warnings for a server's operator. What a hostile client can cause at will is limited in its rate,
 * and the log says how many were left out; what is about the set-up is said once.
 */
import { isThenable } from '../platform.js';

/** Where a policy writes its warnings. */
export interface SealLogger {
  readonly warn: (message: string) => void;
}

/** The default place for warnings: standard output may be the transport. */
export const STANDARD_ERROR: SealLogger = {
  warn: (message) => {
    // eslint-disable-next-line no-console -- the default place for warnings; standard output may be the transport
    console.warn(`mcp-resolve: ${message}`);
  },
};

const BURST = 20;
const REFILL_MS = 1000;

/** The warnings that go to one logger. */
export class Warnings {
  private static readonly all = new WeakMap<SealLogger, Warnings>();
  private readonly said = new Set<string>();
  private allowance = BURST;
  private suppressed = 0;
  private refilledAt = Date.now();

  private constructor(private readonly logger: SealLogger) {}

  /** The warnings of a logger: policies that share it share the limit. */
  static of(logger: SealLogger): Warnings {
    const known = Warnings.all.get(logger) ?? new Warnings(logger);
    Warnings.all.set(logger, known);
    return known;
  }

  /** Warns, unless there have been too many. */
  warn(message: string): void {
    this.refill();
    if (this.allowance < 1) {
      this.suppressed += 1;
      return;
    }
    this.allowance -= 1;
    const left = this.suppressed === 0 ? '' : ` (${this.suppressed} similar warnings left out)`;
    this.suppressed = 0;
    this.say(message + left);
  }

  /** Warns the first time. */
  once(message: string): void {
    if (this.said.has(message)) return;
    this.said.add(message);
    this.say(message);
  }

  /** A log that fails must not change what the client gets. */
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
