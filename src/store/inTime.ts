/**
 * Guards the steps of a store. The caller of a tool must not wait for a database that never
 * answers, so a late step counts as failed. The step itself is not cancelled, because a store has
 * no way to do that, and its late result is ignored.
 */
import type { RecordStore } from './recordStore.js';

/** The time that a store may take for one step. */
const STORE_TIMEOUT_MS = 5000;

/** Runs one step of a store. It rejects if the step takes too long. */
export async function inTime<T>(step: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The store did not answer within ${STORE_TIMEOUT_MS} ms.`));
    }, STORE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([step(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The two steps of a store. */
export type StoreSteps = Pick<RecordStore, 'get' | 'put'>;

/**
 * Returns the steps of a store, which reject if a step takes too long or returns something else
 * than its interface says.
 */
export function guardedSteps(store: RecordStore): StoreSteps {
  return {
    get: async (key) => {
      const value: unknown = await inTime(() => store.get(key));
      if (value === undefined || typeof value === 'string') return value;
      throw new Error('`get` of the store must return a string or undefined.');
    },
    put: async (key, value, how) => {
      const answer: unknown = await inTime(() => store.put(key, value, how));
      if (typeof answer === 'boolean') return answer;
      throw new Error('`put` of the store must return true or false.');
    },
  };
}
