/**
 * One attempt to run a call: the changes that it makes to the record of the call. Each change is a
 * compare-and-set on the record that the attempt has seen or written last.
 *
 * ```
 *             claim             finish
 * (none) ───────────► running ─────────► done
 *   free ────────────►│  ▲  ▲              ▲
 *    ▲                │  │  └─ renew       │
 *    │ release        │  │ renew, late     │
 *    └────────────────┤  │                 │
 *       lease ran out ▼  │                 │
 *                     lapsed ──────────────┘      finish, late
 * ```
 *
 * A lapsed call is never claimed again, because it may have run. An attempt releases a call if its
 * claim failed, because then nothing has run. A lease ends by the clocks of the processes. If they
 * differ, `running` and `lapsed` can be confused, and nothing else.
 */
import { isObject } from '../values.js';
import { randomId } from '../platform.js';
import { guardedSteps } from '../store/inTime.js';
import type { StoreSteps } from '../store/inTime.js';
import type { RecordStore } from '../store/recordStore.js';

/** The duration of a claim that is not renewed. */
export const LEASE_MS = 30_000;

/** The first and the longest time between two reads of a request that waits. */
const WAIT_MS = { first: 50, longest: 1000 };

/** The state of a call, as its record says. `end` is missing if it was not kept. */
export interface CallState {
  readonly state: 'free' | 'running' | 'lapsed' | 'done';
  readonly end?: unknown;
}

export interface RecordPlace {
  readonly store: RecordStore;
  readonly key: string;
  /** The lifetime of the record, from each change on. */
  readonly ttlMs: number;
  /** The user that the record counts for. */
  readonly user: Promise<string | undefined>;
}

/** One attempt to run a call. */
export class Attempt {
  private readonly owner = randomId();
  private readonly steps: StoreSteps;
  /** The record that the next change replaces. */
  private present: string | undefined;
  /** The time of the last look at the record, or of the start. */
  private readAt = bothClocks();

  constructor(private readonly place: RecordPlace) {
    this.steps = guardedSteps(place.store);
  }

  /** Returns the state of the call, or `undefined` if it can be claimed. */
  async read(): Promise<CallState | undefined> {
    this.readAt = bothClocks();
    this.present = await this.steps.get(this.place.key);
    const known = stateOf(this.present);
    return this.present === undefined || known.state === 'free' ? undefined : known;
  }

  /**
   * Claims the call. Returns the state of the call if another attempt was first, and `undefined` if
   * this one holds the call now. After a record's lifetime without a look at it, another attempt
   * may have come and gone.
   */
  async claim(): Promise<CallState | undefined> {
    const was = this.present;
    this.present = this.encode(newLease());
    try {
      if (await this.put(this.present, was))
        return msSince(this.readAt) < this.place.ttlMs ? undefined : { state: 'lapsed' };
    } catch (error) {
      // The store may have written the claim, or may still do so.
      void this.change({ state: 'free' }).catch(() => false);
      throw error;
    }
    return stateOf(await this.steps.get(this.place.key));
  }

  /**
   * Waits while the call runs, until a time by `performance.now()`. The time between two reads
   * doubles. Returns the state of the call, which is still `running` if the signal is aborted.
   */
  async wait(until: number, signal: AbortSignal): Promise<CallState> {
    let known: CallState = { state: 'running' };
    let ms = WAIT_MS.first;
    while (known.state === 'running' && performance.now() < until) {
      if (!(await pause(Math.min(ms, until - performance.now()), signal))) break;
      known = stateOf(await sharedRead(this.place));
      ms = Math.min(2 * ms, WAIT_MS.longest);
    }
    return known;
  }

  /** Prolongs the claim. */
  renew(): Promise<boolean> {
    return this.change(newLease());
  }

  /** Records the end. Returns false if another attempt holds the call. */
  finish(end: unknown): Promise<boolean> {
    return this.change({ state: 'done', end });
  }

  /**
   * Changes the record while this attempt holds the call. The record can differ from the one that
   * was written last, because the store can lose a reply or the record.
   */
  private async change(content: CallState): Promise<boolean> {
    const value = this.encode(content);
    for (let tries = 0; tries < 3; tries += 1) {
      if (await this.put(value, this.present)) {
        this.present = value;
        return true;
      }
      const text = await this.steps.get(this.place.key);
      const { owner, state } = parse(text);
      const isHeld = text !== undefined && state !== 'free';
      if (isHeld && (owner !== this.owner || state !== 'running'))
        return owner === this.owner && state === content.state;
      this.present = text;
    }
    return false;
  }

  /** Encodes a record with a new revision, so that no record ever returns. */
  private encode(content: object): string {
    return JSON.stringify({ revision: randomId(), owner: this.owner, ...content });
  }

  private async put(value: string, was: string | undefined): Promise<boolean> {
    const { key, ttlMs, user } = this.place;
    const of = await user;
    return this.steps.put(key, value, { was, ttlMs, ...(of !== undefined && { of }) });
  }
}

/** The monotonic clock can stand still while a machine is suspended, and the other one can be set. */
function bothClocks() {
  return { monotonic: performance.now(), wall: Date.now() };
}

function msSince({ monotonic, wall }: ReturnType<typeof bothClocks>): number {
  return Math.max(performance.now() - monotonic, Date.now() - wall);
}

function newLease() {
  return { state: 'running', until: Date.now() + LEASE_MS } as const;
}

/**
 * Decodes a record. One that cannot be read, or that disappeared, counts as lapsed, because its
 * call may have run.
 */
export function stateOf(text: string | undefined): CallState {
  const { state, until, end } = parse(text);
  if (state === 'free') return { state };
  if (state === 'done') return { state, end };
  const isRunning = state === 'running' && typeof until === 'number' && until > Date.now();
  return { state: isRunning ? 'running' : 'lapsed' };
}

function parse(text = ''): Readonly<Record<string, unknown>> {
  try {
    const record: unknown = JSON.parse(text);
    return isObject(record) ? record : {};
  } catch {
    return {};
  }
}

/** A read of a record, and the time at which it began. */
interface Read {
  readonly at: number;
  readonly text: Promise<string | undefined>;
}

/** The last reads of each store, by key, the oldest first. */
const lastReads = new WeakMap<RecordStore, Map<string, Read>>();

/**
 * Reads a record for a request that waits. All requests share a read that began less than 50 ms
 * ago, so their number does not change how often the store is read.
 */
function sharedRead({ store, key }: RecordPlace): Promise<string | undefined> {
  const reads = lastReads.get(store) ?? new Map<string, Read>();
  lastReads.set(store, reads);
  const now = performance.now();
  for (const [known, { at }] of reads) {
    if (now - at < WAIT_MS.first) break;
    reads.delete(known);
  }
  const read = reads.get(key) ?? { at: now, text: guardedSteps(store).get(key) };
  reads.set(key, read);
  return read.text;
}

/** Waits for a time. Returns false as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve(!signal.aborted);
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
