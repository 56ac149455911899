/**
 * Waits for a call that another request runs. All requests of this process that wait for the same
 * call share one poll, so their number does not change how often the store is read.
 *
 * The poll reads after 50 ms, and then after twice as long each time, up to one second. It also
 * reads at the deadline of each request, but at least 50 ms after the last read. It ends when no
 * request waits for it any more.
 */
import { guardedSteps } from '../store/inTime.js';
import type { RecordStore } from '../store/recordStore.js';
import { stateOf } from './attempt.js';
import type { CallState } from './attempt.js';

const SHORTEST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1000;

const RUNNING: CallState = { state: 'running' };

/** A running call, and how long a request waits for it. */
export interface Wait {
  readonly store: RecordStore;
  readonly key: string;
  /** The time by `performance.now()` at which the request stops waiting. */
  readonly until: number;
  /** Aborted when the client no longer wants the result. */
  readonly signal: AbortSignal;
}

/**
 * Returns the state of a call as soon as it is no longer running. At the deadline, or if the signal
 * is aborted, it returns `running`. It rejects if a read fails or takes too long.
 */
export function waitWhileRunning({ store, key, until, signal }: Wait): Promise<CallState> {
  if (signal.aborted) return Promise.resolve(RUNNING);
  const poll = pollOf(store, key);
  return new Promise((resolve) => {
    const stop = (): void => waiter.end(RUNNING);
    const waiter: Waiter = {
      until,
      end: (state) => {
        signal.removeEventListener('abort', stop);
        poll.remove(waiter);
        resolve(state);
      },
    };
    signal.addEventListener('abort', stop);
    poll.add(waiter);
  });
}

const polls = new WeakMap<RecordStore, Map<string, Poll>>();

/** Returns the polls of a store that requests wait for, by key. */
export function pollsOf(store: RecordStore): Map<string, Poll> {
  const found = polls.get(store) ?? new Map<string, Poll>();
  polls.set(store, found);
  return found;
}

function pollOf(store: RecordStore, key: string): Poll {
  const ofStore = pollsOf(store);
  const { get } = guardedSteps(store);
  const read = async (): Promise<CallState> => stateOf(await get(key));
  const poll = ofStore.get(key) ?? new Poll(read, () => void ofStore.delete(key));
  ofStore.set(key, poll);
  return poll;
}

/** A request that waits. */
interface Waiter {
  readonly until: number;
  readonly end: (state: CallState | Promise<CallState>) => void;
}

/** The poll of one call. It stops when its last waiter is removed. */
class Poll {
  private readonly waiters = new Set<Waiter>();
  private delayMs = SHORTEST_DELAY_MS;
  private lastRead = performance.now();
  private isReading = false;
  private firstDeadline = Infinity;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly readState: () => Promise<CallState>,
    private readonly onStop: () => void,
  ) {}

  add(waiter: Waiter): void {
    this.waiters.add(waiter);
    this.firstDeadline = Math.min(this.firstDeadline, waiter.until);
    if (!this.isReading) this.schedule();
  }

  remove(waiter: Waiter): void {
    this.waiters.delete(waiter);
    if (this.waiters.size > 0) return;
    clearTimeout(this.timer);
    this.onStop();
  }

  private schedule(): void {
    const { firstDeadline, lastRead, delayMs } = this;
    const time = Math.max(
      Math.min(firstDeadline, lastRead + delayMs),
      lastRead + SHORTEST_DELAY_MS,
    );
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.read(), Math.ceil(time - performance.now()));
  }

  /** Reads the state, ends the waiters that need not wait any longer, and schedules the next read. */
  private async read(): Promise<void> {
    this.isReading = true;
    const reply = this.readState();
    const isRunning = await reply.then(
      ({ state }) => state === 'running',
      () => false,
    );
    this.isReading = false;
    this.lastRead = performance.now();
    this.delayMs = Math.min(2 * this.delayMs, LONGEST_DELAY_MS);
    this.firstDeadline = Infinity;
    for (const { until, end } of [...this.waiters]) {
      if (!isRunning || until <= this.lastRead) end(reply);
      else this.firstDeadline = Math.min(this.firstDeadline, until);
    }
    if (this.waiters.size > 0) this.schedule();
  }
}
