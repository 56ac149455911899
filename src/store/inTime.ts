/**
 * Limits the time of a step. The caller of a tool must not wait for a database that never answers,
 * so a late step counts as failed. It is not cancelled, and its late result is ignored.
 */
import type { RecordStore } from './recordStore.js';

const TIMEOUT_MS = 5000;

/** Runs a step. It rejects if the step takes too long. */
export async function inTime<T>(step: () => Promise<T>, subject = 'The store'): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${subject} did not answer within ${TIMEOUT_MS} ms.`));
    }, TIMEOUT_MS);
  });
  try {
    return await Promise.race([step(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The two steps of a store. */
export type StoreSteps = Pick<RecordStore, 'get' | 'put'>;

/** Returns the steps of a store. They reject if they take too long or return a wrong type. */
export function guardedSteps(store: StoreSteps): StoreSteps {
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
