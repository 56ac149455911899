/**
 * One approval, one execution. A retry with the token of a call that has run receives the recorded
 * result, whatever answers it carries.
 *
 * ```
 * token verified ─► recall ──known──► the recorded result, or an error
 *                     │ unknown
 *                     ▼
 *                 resolvers ─► claim ──not ours──► as above
 *                                │ ours: a lease, renewed while the body runs
 *                                ▼
 *                              body ─► record ─► result
 * ```
 *
 * If the store fails before the body runs, the call ends. If it fails afterwards, the lease lapses.
 * A lapsed call never runs again, because its outcome is unknown.
 */
import { ProtocolError } from '@modelcontextprotocol/server';
import { isObject } from '../values.js';
import { randomId, utf8 } from '../platform.js';
import { inTime } from '../store/inTime.js';
import type { OnceEntry, OnceLease } from './onceStore.js';
import { OnceError } from './onceError.js';
import type { OnceSettings } from './onceSettings.js';
import { waitWhileRunning } from './sharedPoll.js';

/** The time that a record outlives the tokens of its call, to allow for clock differences. */
const SLACK_SECONDS = 120;

/** The duration of a claim that is not renewed. */
const LEASE_MS = 30_000;

/** The number of attempts to record a result before its outcome stays unknown. */
const RECORD_ATTEMPTS = 3;

/** The time before the second attempt to record a result. */
const RECORD_AGAIN_MS = 50;

/** The options of a call that runs once. */
export interface SingleUseOptions extends OnceSettings {
  /**
   * The maximum time from the call's first question to its last round, in seconds, as sealed in its
   * token. The policy of this process may differ.
   */
  readonly flowSeconds: number;
  /** Aborted when the client no longer wants the result. */
  readonly signal: AbortSignal;
  readonly onUnexpectedError: (error: unknown) => void;
}

/** Ensures that one call runs once. */
export class SingleUse<Result> {
  private readonly lease: OnceLease;

  constructor(
    private readonly id: string,
    private readonly options: SingleUseOptions,
  ) {
    // Counted from now and not from the first question, so that a change of the system clock does
    // not shorten it.
    const ttlMs = Math.round((options.flowSeconds + SLACK_SECONDS) * 1000);
    this.lease = { owner: randomId(), leaseMs: LEASE_MS, ttlMs };
  }

  /**
   * Returns the result of a call that has run, or `undefined` if it has not. It waits for a call
   * that is running, and throws if there is no result to return.
   */
  async recall(): Promise<{ readonly result: Result } | undefined> {
    const known = await this.step((store) => store.read(this.id));
    return known && { result: await this.replay(known) };
  }

  /**
   * Claims the call, runs `work` and records its end. If the call is already known, it calls
   * `onLost` and returns the recorded result. `onLost` releases resources that the other request
   * may need.
   */
  async run(work: () => Promise<Result>, onLost?: () => Promise<void>): Promise<Result> {
    const known = await this.step((store) => store.claim(this.id, this.lease));
    if (known !== undefined) {
      await onLost?.();
      return this.replay(known);
    }
    const renewal = setInterval(() => void this.renew(), LEASE_MS / 3);
    try {
      const end = await runToEnd(work);
      await this.record(end);
      return answerOf(end);
    } finally {
      clearInterval(renewal);
    }
  }

  /** Returns the recorded result of a known call. */
  private async replay(known: OnceEntry): Promise<Result> {
    const entry = known.state === 'running' ? await this.wait() : known;
    if (entry?.state === 'running') throw new OnceError('in_progress');
    // A record that disappeared early reveals as little as a lapsed one.
    if (entry?.state !== 'done') throw new OnceError('outcome_unknown');
    if (typeof entry.result !== 'string') throw new OnceError('result_not_kept');
    return answerOf(readEnd<Result>(entry.result));
  }

  /** Waits until the call is no longer running, for at most `waitMs`. */
  private async wait(): Promise<OnceEntry | undefined> {
    const { store, waitMs, signal } = this.options;
    if (waitMs === 0) return { state: 'running' };
    const until = performance.now() + waitMs;
    const entry = await this.orFail(() => waitWhileRunning({ store, id: this.id, until, signal }));
    signal.throwIfAborted();
    return entry;
  }

  /** Renews the lease. A failure has been reported, and the next renewal may succeed. */
  private async renew(): Promise<void> {
    await this.step((store) => store.renew(this.id, this.lease)).catch(() => undefined);
  }

  /**
   * Records the end of the call. The body has run, so a failure here must not change its result.
   */
  private async record(end: Ended<Result>): Promise<void> {
    const { owner, ttlMs } = this.lease;
    const text = JSON.stringify(end);
    const result = utf8(text).length > this.options.maxResultBytes ? undefined : text;
    for (let attempt = 1; attempt <= RECORD_ATTEMPTS; attempt += 1) {
      const recorded = await this.step((store) =>
        store.finish(this.id, { owner, result, ttlMs }),
      ).catch(() => undefined);
      if (recorded === false) this.options.onUnexpectedError(new Error(NOT_RECORDED));
      if (recorded !== undefined || attempt === RECORD_ATTEMPTS) return;
      await pause(RECORD_AGAIN_MS * attempt);
    }
  }

  /** Runs one step of the store. It fails closed, also on a timeout. */
  private step<T>(take: (store: OnceSettings['store']) => Promise<T>): Promise<T> {
    return this.orFail(() => inTime(() => take(this.options.store)));
  }

  /** Reports an error of the store, and ends the call with its reason. */
  private async orFail<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.options.onUnexpectedError(error);
      throw new OnceError(isFull(error) ? 'store_full' : 'store_unavailable');
    }
  }
}

/** The recorded end of a call: its result, or the error for the client. */
type Ended<Result> =
  | { readonly result: Result }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

async function runToEnd<Result>(work: () => Promise<Result>): Promise<Ended<Result>> {
  try {
    return { result: await work() };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, data } = error;
    return { error: { code, message, ...(isJson(data) && { data }) } };
  }
}

/**
 * Parses a recorded end.
 *
 * @throws {@link OnceError} If the string from the store is not a recorded end.
 */
function readEnd<Result>(text: string): Ended<Result> {
  try {
    const end: unknown = JSON.parse(text);
    if (isObject(end) && (isObject(end.result) || isObject(end.error))) return end as Ended<Result>;
  } catch {
    // Throws the error below.
  }
  throw new OnceError('outcome_unknown');
}

function answerOf<Result>(end: Ended<Result>): Result {
  if ('result' in end) return end.result;
  const { code, message, data } = end.error;
  // Uses the constructor, because `fromError()` would drop unknown properties of the data.
  throw new ProtocolError(code, message, data);
}

const NOT_RECORDED = 'The end of a call was not recorded, because another owner holds its claim.';

function isJson(value: unknown): boolean {
  try {
    return (JSON.stringify(value) as string | undefined) !== undefined;
  } catch {
    return false;
  }
}

/** Checks the name, because the store may come from another copy of this package. */
function isFull(error: unknown): boolean {
  return error instanceof Error && error.name === 'OnceStoreFullError';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
