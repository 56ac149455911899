/**
 * Limits the time of one step of a store. Its caller must not wait for a database that never
 * answers, so a late step counts as failed. The step itself is not cancelled, because a store has
 * no way to do that, and its late result is ignored.
 */

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
