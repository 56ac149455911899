/**
 * Waits for a call that another request runs. All requests of this process that wait for the same
 * call share one poll, so their number does not change how often the store is read.
 *
 * The poll reads after 50 ms, and then after twice as long each time, up to one second. It also
 * reads at the deadline of each request. If one such read has just happened, the next one is at
 * least 50 ms later, so many different deadlines do not cause many reads. The poll ends when no
 * request waits for it any more.
 */
import { inTime } from '../store/inTime.js';
import type { OnceEntry, OnceStore } from './onceStore.js';

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1000;

/** The state of a call, or `undefined` if the store does not know it. */
type Entry = OnceEntry | undefined;

const RUNNING: OnceEntry = { state: 'running' };

/** A running call, and how long a request waits for it. */
export interface Wait {
  readonly store: OnceStore;
  readonly id: string;
  /** The time by `performance.now()` at which the request stops waiting. */
  readonly until: number;
  /** Aborted when the client no longer wants the result. */
  readonly signal: AbortSignal;
}

/**
 * Returns the state of a call as soon as it is no longer running. At the deadline, or if the signal
 * is aborted, it returns `running`. It rejects if a read fails or takes too long.
 */
export function waitWhileRunning({ store, id, until, signal }: Wait): Promise<Entry> {
  if (signal.aborted) return Promise.resolve(RUNNING);
  const poll = pollOf(store, id);
  return new Promise((resolve) => {
    const waiter: Waiter = {
      until,
      end: (entry) => {
        signal.removeEventListener('abort', stop);
        poll.remove(waiter);
        resolve(entry);
      },
    };
    const stop = (): void => waiter.end(RUNNING);
    signal.addEventListener('abort', stop);
    poll.add(waiter);
  });
}

const polls = new WeakMap<OnceStore, Map<string, Poll>>();

/** Returns the polls of a store that requests wait for, by call id. */
export function pollsOf(store: OnceStore): Map<string, Poll> {
  const found = polls.get(store) ?? new Map<string, Poll>();
  polls.set(store, found);
  return found;
}

function pollOf(store: OnceStore, id: string): Poll {
  const ofStore = pollsOf(store);
  const poll =
    ofStore.get(id) ??
    new Poll(
      () => store.read(id),
      () => void ofStore.delete(id),
    );
  ofStore.set(id, poll);
  return poll;
}

/** A request that waits. */
interface Waiter {
  readonly until: number;
  readonly end: (entry: Entry | Promise<Entry>) => void;
}

/** The poll of one call. It starts at once, and stops when its last waiter is removed. */
class Poll {
  private readonly waiters = new Set<Waiter>();
  private delayMs = FIRST_DELAY_MS;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** The time of the next read. During a read it is `-Infinity`, so that no other one starts. */
  private nextAt = Infinity;
  /** The earliest time of a read that is made for a deadline. */
  private deadlinesFrom = 0;

  constructor(
    private readonly readEntry: () => Promise<Entry>,
    private readonly onStop: () => void,
  ) {
    this.readAt(performance.now() + this.delayMs);
  }

  add(waiter: Waiter): void {
    this.waiters.add(waiter);
    this.readAt(this.lastReadFor(waiter));
  }

  remove(waiter: Waiter): void {
    this.waiters.delete(waiter);
    if (this.waiters.size > 0) return;
    clearTimeout(this.timer);
    this.onStop();
  }

  /** Schedules the next read, unless an earlier one is scheduled. */
  private readAt(time: number): void {
    if (time >= this.nextAt) return;
    clearTimeout(this.timer);
    this.nextAt = time;
    this.timer = setTimeout(() => void this.read(), Math.ceil(time - performance.now()));
  }

  private lastReadFor({ until }: Waiter): number {
    return Math.max(until, this.deadlinesFrom);
  }

  /** Reads the state, ends the waiters that need not wait any longer, and schedules the next read. */
  private async read(): Promise<void> {
    this.nextAt = -Infinity;
    const reply = inTime(this.readEntry);
    const isRunning = await reply.then(
      (entry) => entry?.state === 'running',
      () => false,
    );
    const now = performance.now();
    const ended = [...this.waiters].filter(({ until }) => !isRunning || until <= now);
    for (const { end } of ended) end(reply);
    if (this.waiters.size > 0) this.readAgain(now, ended.length > 0);
  }

  private readAgain(now: number, afterDeadline: boolean): void {
    if (afterDeadline) this.deadlinesFrom = now + FIRST_DELAY_MS;
    this.delayMs = Math.min(2 * this.delayMs, LONGEST_DELAY_MS);
    const deadlines = [...this.waiters].map((waiter) => this.lastReadFor(waiter));
    this.nextAt = Infinity;
    this.readAt(deadlines.reduce((one, other) => Math.min(one, other), now + this.delayMs));
  }
}
