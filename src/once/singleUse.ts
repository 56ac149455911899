/**
 * One approval, one execution. Whoever brings a token of a call that has run gets what it answered
 * then, whatever the answers say that come with it.
 *
 * ```
 * token verified ─► recall ──known──► the recorded answer, or why there is none
 *                     │ unknown
 *                     ▼
 *                 resolvers ─► claim ──not ours──► as above
 *                                │ ours: a lease, renewed while the body runs
 *                                ▼
 *                              body ─► record ─► answer
 * ```
 *
 * A store that fails ends the call before its body runs. One that fails afterwards leaves a lease
 * that lapses, and a lapsed call is never run again: nobody knows how far it came.
 */
import { ProtocolError } from '@modelcontextprotocol/server';
import { isObject } from '../define/schema.js';
import { randomId, utf8 } from '../platform.js';
import type { OnceEntry, OnceLease } from './onceStore.js';
import { OnceError } from './onceError.js';
import type { OnceSettings } from './onceSettings.js';

/** A record outlives every token of its call, also where the clocks of two servers differ. */
const SLACK_SECONDS = 120;

/** How long a claim holds when whoever holds it falls silent. */
const LEASE_MS = 30_000;

/** How long a store may take over one step. */
const STORE_TIMEOUT_MS = 5000;

/** How often a recording is tried before the outcome stays unknown. */
const RECORD_ATTEMPTS = 3;

const POLL_MS = 50;

/** What a call that runs once is watched with. */
export interface SingleUseOptions extends OnceSettings {
  /** How long a call may take from its first question on. */
  readonly maxFlowSeconds: number;
  /** Aborted when the client no longer wants the result. */
  readonly signal: AbortSignal;
  readonly onUnexpectedError: (error: unknown) => void;
}

/** Makes sure that one call runs once. */
export class SingleUse<Result> {
  private readonly lease: OnceLease;

  constructor(
    private readonly id: string,
    private readonly options: SingleUseOptions,
  ) {
    const ttlMs = (options.maxFlowSeconds + SLACK_SECONDS) * 1000;
    this.lease = { owner: randomId(), leaseMs: LEASE_MS, ttlMs };
  }

  /** The answer of a call that has run. It waits for one that runs, or throws if that is not known. */
  async recall(): Promise<{ readonly result: Result } | undefined> {
    const known = await this.step((store) => store.read(this.id));
    return known && { result: await this.replay(known) };
  }

  /**
   * Runs `work` if nobody has, and records its end. Otherwise it returns what was recorded, after
   * `onLost`: a request that waits for another one must not hold what that one may need.
   */
  async run(work: () => Promise<Result>, onLost?: () => Promise<void>): Promise<Result> {
    const known = await this.step((store) => store.claim(this.id, this.lease));
    if (known !== undefined) {
      await onLost?.();
      return this.replay(known);
    }
    const renewal = setInterval(() => void this.renew(), LEASE_MS / 3);
    try {
      const end = await endOf(work);
      await this.record(end);
      return answerOf(end);
    } finally {
      clearInterval(renewal);
    }
  }

  /** What is known about the call, as an answer. */
  private async replay(known: OnceEntry): Promise<Result> {
    const entry = known.state === 'running' ? await this.wait() : known;
    if (entry?.state === 'running') throw new OnceError('in_progress');
    // A record that is gone before its time says as little as a lapsed one.
    if (entry?.state !== 'done') throw new OnceError('outcome_unknown');
    if (typeof entry.result !== 'string') throw new OnceError('result_not_kept');
    return answerOf(readEnd<Result>(entry.result));
  }

  private async wait(): Promise<OnceEntry | undefined> {
    const { waitMs, signal } = this.options;
    const until = performance.now() + waitMs;
    let entry: OnceEntry | undefined = { state: 'running' };
    while (entry?.state === 'running' && performance.now() < until) {
      await pause(Math.min(POLL_MS, until - performance.now()));
      signal.throwIfAborted();
      entry = await this.step((store) => store.read(this.id));
    }
    return entry;
  }

  /** A renewal that fails has been reported; the next one may not. */
  private async renew(): Promise<void> {
    await this.step((store) => store.renew(this.id, this.lease)).catch(() => undefined);
  }

  /** The body has run: whatever happens here, its caller gets the answer. */
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
      await pause(POLL_MS * attempt);
    }
  }

  /** One step of the store. It fails closed: also when it takes too long. */
  private async step<T>(take: (store: OnceSettings['store']) => Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`no answer within ${STORE_TIMEOUT_MS} ms`));
      }, STORE_TIMEOUT_MS);
    });
    try {
      return await Promise.race([take(this.options.store), late]);
    } catch (error) {
      this.options.onUnexpectedError(error);
      throw new OnceError(isFull(error) ? 'store_full' : 'store_unavailable');
    } finally {
      clearTimeout(timer);
    }
  }
}

/** How a call ended, as it is recorded: also with an error for the client. */
type Ended<Result> =
  | { readonly result: Result }
  | {
      readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
    };

async function endOf<Result>(work: () => Promise<Result>): Promise<Ended<Result>> {
  try {
    return { result: await work() };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, data } = error;
    return { error: { code, message, ...(isJson(data) && { data }) } };
  }
}

/** @throws {@link OnceError} If what the store gave is not what was recorded. */
function readEnd<Result>(text: string): Ended<Result> {
  try {
    const end: unknown = JSON.parse(text);
    if (isObject(end) && (isObject(end.result) || isObject(end.error))) return end as Ended<Result>;
  } catch {
    // As below.
  }
  throw new OnceError('outcome_unknown');
}

function answerOf<Result>(end: Ended<Result>): Result {
  if ('result' in end) return end.result;
  const { code, message, data } = end.error;
  // As it is: fromError() would drop members of the data that it does not know.
  throw new ProtocolError(code, message, data);
}

const NOT_RECORDED = 'The end of a call was not recorded: its claim belongs to somebody else.';

function isJson(value: unknown): boolean {
  try {
    return (JSON.stringify(value) as string | undefined) !== undefined;
  } catch {
    return false;
  }
}

/** By its name: the store may come from another copy of this package. */
function isFull(error: unknown): boolean {
  return error instanceof Error && error.name === 'OnceStoreFullError';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
