/** The records of a desk: reads and compare-and-sets on its store, each with a time limit. */
import { guardedSteps } from '../store/inTime.js';
import type { StoreSteps } from '../store/inTime.js';
import { SLACK_MS } from '../store/recordStore.js';
import type { RecordStore } from '../store/recordStore.js';

/** The number of times that a change is tried while others change the same record. */
const ATTEMPTS = 100;

/** A change of a record. Without a value, the record stays as it is. */
export interface Change<T> {
  readonly value?: string | undefined;
  /** The time until which the record has to live. */
  readonly until?: number;
  readonly of?: string | undefined;
  readonly result: T;
}

/** The records of a desk. */
export class Records {
  private readonly steps: StoreSteps;

  constructor(
    private readonly store: RecordStore,
    readonly now: () => number,
  ) {
    this.steps = guardedSteps(store);
  }

  get(key: string): Promise<string | undefined> {
    return this.steps.get(key);
  }

  /** Replaces the value `was`. A record outlives the time until which it is needed a little. */
  async put(key: string, value: string, { was, until, of, onFailure }: PutUntil): Promise<boolean> {
    const ttlMs = Math.ceil(Math.max(until - this.now(), 0)) + SLACK_MS;
    const how = { was, ttlMs, ...(of !== undefined && { of }) };
    if (onFailure === undefined) return this.steps.put(key, value, how);
    let sent: Promise<unknown> = Promise.resolve();
    const answer = { isLate: true };
    const put = (): Promise<boolean> => {
      const step = this.store.put(key, value, how);
      sent = Promise.allSettled([step]).then(() => (answer.isLate = false));
      return step;
    };
    try {
      return await guardedSteps({ get: this.steps.get, put }).put(key, value, how);
    } catch (error) {
      // A step that never answers may have been done.
      if (answer.isLate) onFailure();
      void sent.then(onFailure);
      throw error;
    }
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
      if (await this.put(key, value, { was, until, of })) return result;
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
  readonly of?: string | undefined;
  /**
   * Called if the step fails, once the store can no longer write the record. If the step is late,
   * it is called before as well.
   */
  readonly onFailure?: (() => void) | undefined;
}
