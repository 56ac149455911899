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
import { RESULT_META, ToolError } from '../errors.js';
import { isObject } from '../values.js';
import { utf8 } from '../platform.js';
import { SLACK_MS, StoreFullError } from '../store/recordStore.js';
import { Attempt, LEASE_MS } from './attempt.js';
import type { CallState, RecordPlace } from './attempt.js';
import type { OnceSettings } from './onceSettings.js';

/** The number of attempts to record a result before its outcome stays unknown. */
const RECORD_ATTEMPTS = 3;

/** The time before the second attempt to record a result. */
const RECORD_AGAIN_MS = 50;

const REASONS = {
  in_progress:
    'this call is already in progress, so it was not started again. Send the same request again to get its result.',
  outcome_unknown:
    'the outcome of this call is unknown. A request was about to run it, but its end was never recorded, so it is not run again. Check what it did before you start a new call.',
  result_not_kept:
    'this call has completed, but its result was not kept, because it was too large or the store had no room. It is not run again.',
  store_unavailable:
    'this request did not run the call, because the store that prevents a second run failed or did not answer in time. An earlier request may have run it. Send the same request again later. If the outcome is then unknown, this request may be the reason, because the store may have noted it.',
  store_full: 'this call was not started, because the store that prevents a second run is full.',
} as const;

/** The reason that a result carries in its `_meta`. */
export type OnceReason = keyof typeof REASONS;

/** The property of a result's `_meta` that holds the reason. */
export const ONCE_META_KEY = 'mcp-resolve/once';

/** The error that ends a call with `once` that has no result to return. */
export class OnceError extends ToolError {
  readonly [RESULT_META]: Readonly<Record<string, unknown>>;

  constructor(readonly reason: OnceReason) {
    super(REASONS[reason]);
    this[RESULT_META] = { [ONCE_META_KEY]: reason };
  }
}

/** The options of a call that runs once. */
export interface SingleUseOptions extends OnceSettings, Pick<RecordPlace, 'user'> {
  /**
   * The maximum time from the call's first question to its last round, in seconds, as sealed in its
   * token. The policy of this process may differ.
   */
  readonly flowSeconds: number;
  /** Aborted when the client no longer wants the result. */
  readonly signal: AbortSignal;
  readonly onUnexpectedError: (error: unknown) => void;
  /** Called before a recorded end is returned or thrown. */
  readonly onRecorded?: (() => void) | undefined;
}

/** Ensures that one call runs once. */
export class SingleUse<Result> {
  private readonly attempt: Attempt;

  constructor(
    id: string,
    private readonly options: SingleUseOptions,
  ) {
    const { store, user, flowSeconds } = options;
    // Counted from now and not from the first question, so that a change of the system clock does
    // not shorten it.
    const ttlMs = Math.round(flowSeconds * 1000) + SLACK_MS;
    this.attempt = new Attempt({ store, key: `once:${id}`, ttlMs, user });
  }

  /**
   * Returns the result of a call that has run, or `undefined` if it has not. It waits for a call
   * that is running, and throws if there is no result to return.
   *
   * @param deadline The time of the call's last round, in seconds since the epoch.
   */
  async recall(deadline: number): Promise<{ readonly result: Result } | undefined> {
    const known = await this.orFail(() => this.attempt.read());
    if (known !== undefined) return { result: await this.replay(known) };
    // The process may have been suspended since it verified the token, until the record expired.
    if (Date.now() > 1000 * deadline) throw new OnceError('outcome_unknown');
    return undefined;
  }

  /**
   * Claims the call, runs `work` and records its end. If another request was first, it calls
   * `onLost` and returns the recorded result. `onLost` releases resources that the other request
   * may need.
   */
  async run(work: () => Promise<Result>, onLost?: () => Promise<void>): Promise<Result> {
    const known = await this.orFail(() => this.attempt.claim());
    if (known !== undefined) {
      await onLost?.();
      return this.replay(known);
    }
    // A failure is reported, and the next renewal may succeed.
    const renew = () => this.orFail(() => this.attempt.renew()).catch(() => false);
    const renewal = setInterval(() => void renew(), LEASE_MS / 3);
    try {
      const end = await runToEnd(work);
      await this.record(end);
      return answerOf(end);
    } finally {
      clearInterval(renewal);
    }
  }

  /** Returns the recorded result of a known call. */
  private async replay(known: CallState): Promise<Result> {
    const { state, end } = known.state === 'running' ? await this.wait() : known;
    if (state === 'lapsed') throw new OnceError('outcome_unknown');
    if (state !== 'done') throw new OnceError('in_progress');
    if (end === undefined) throw new OnceError('result_not_kept');
    if (!isEnded<Result>(end)) throw new OnceError('outcome_unknown');
    this.options.onRecorded?.();
    return answerOf(end);
  }

  /** Waits until the call is no longer running, for at most `waitMs`. */
  private async wait(): Promise<CallState> {
    const { waitMs, signal } = this.options;
    const until = performance.now() + waitMs;
    const known = await this.orFail(() => this.attempt.wait(until, signal));
    signal.throwIfAborted();
    return known;
  }

  /**
   * Records the end of the call. The body has run, so a failure here must not change its result. A
   * store that has no room for the result still has room for a record without it.
   */
  private async record(ended: Ended<Result>): Promise<void> {
    const size = utf8(JSON.stringify(ended)).length;
    let end = size > this.options.maxResultBytes ? undefined : ended;
    for (let attempt = 1; attempt <= RECORD_ATTEMPTS; attempt += 1) {
      try {
        const isRecorded = await this.attempt.finish(end);
        if (!isRecorded) this.options.onUnexpectedError(new Error(NOT_RECORDED));
        return;
      } catch (error) {
        this.options.onUnexpectedError(error);
        if (error instanceof StoreFullError) end = undefined;
      }
      if (attempt < RECORD_ATTEMPTS)
        await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN_MS * attempt));
    }
  }

  /** Reports an error of the store, and ends the call with its reason. */
  private async orFail<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.options.onUnexpectedError(error);
      throw new OnceError(error instanceof StoreFullError ? 'store_full' : 'store_unavailable');
    }
  }
}

const NOT_RECORDED = 'The end of a call was not recorded, because another owner holds its claim.';

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

/** Returns true if a record has the end of a call. */
function isEnded<Result>(end: unknown): end is Ended<Result> {
  return isObject(end) && (isObject(end.result) || isObject(end.error));
}

function answerOf<Result>(end: Ended<Result>): Result {
  if ('result' in end) return end.result;
  const { code, message, data } = end.error;
  // Uses the constructor, because `fromError()` would drop unknown properties of the data.
  throw new ProtocolError(code, message, data);
}

function isJson(value: unknown): boolean {
  try {
    return (JSON.stringify(value) as string | undefined) !== undefined;
  } catch {
    return false;
  }
}
