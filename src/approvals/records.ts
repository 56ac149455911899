/** The records of a desk: reads and compare-and-sets on its store, each with a time limit. */
import { inTime } from '../store/inTime.js';
import { SLACK_MS } from '../store/recordStore.js';
import type { RecordStore } from '../store/recordStore.js';

/** The number of times that a change is tried while others change the same record. */
const ATTEMPTS = 100;

/** A change of a record. Without a value, the record stays as it is. */
export interface Change<T> {
  readonly value?: string | undefined;
  /** The time until which the record has to live. */
  readonly until?: number;
  readonly of?: string;
  readonly result: T;
}

/** The records of a desk. */
export class Records {
  constructor(
    private readonly store: RecordStore,
    readonly now: () => number,
  ) {}

  get(key: string): Promise<string | undefined> {
    return inTime(() => this.store.get(key));
  }

  /** Replaces the value `was`. A record outlives the time until which it is needed a little. */
  put(key: string, value: string, how: PutUntil): Promise<boolean> {
    return inTime(() => this.send(key, value, how));
  }

  /** The step of {@link put} without a time limit. */
  send(key: string, value: string, { was, until, of }: PutUntil): Promise<boolean> {
    const ttlMs = Math.ceil(Math.max(until - this.now(), 0)) + SLACK_MS;
    return this.store.put(key, value, { was, ttlMs, ...(of !== undefined && { of }) });
  }

  /**
   * Changes a record, however many others change it at the same time.
   *
   * @throws {Error} If others change it all the time.
   */
  async change<T>(key: string, decide: (present: string | undefined) => Change<T>): Promise<T> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const was = await this.get(key);
      const { value, until = 0, of, result } = decide(was);
      if (value === undefined) return result;
      if (await this.put(key, value, { was, until, ...(of !== undefined && { of }) }))
        return result;
    }
    throw new Error(
      `A record was changed by others ${ATTEMPTS} times, so this change was given up.`,
    );
  }
}

/** The rest of a {@link Records.put}. */
export interface PutUntil {
  readonly was: string | undefined;
  readonly until: number;
  readonly of?: string;
}
