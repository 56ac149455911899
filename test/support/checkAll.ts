/**
 * Checks each entry of a list in one test. The test fails with the names and the errors of all
 * entries that fail. A test for each entry would cost more than the checks, if there are hundreds.
 */
import { AssertionError } from 'node:assert';
import { inspect } from 'node:util';

export async function checkAll<T>(
  entries: readonly T[],
  nameOf: (entry: T) => string,
  check: (entry: T) => void | Promise<void>,
): Promise<void> {
  const failed: string[] = [];
  for (const entry of entries) {
    try {
      await check(entry);
    } catch (error) {
      failed.push(`${nameOf(entry)}: ${described(error)}`);
    }
  }
  if (failed.length === 0) return;
  const message = `${failed.length} of ${entries.length} failed.\n\n${failed.join('\n\n')}`;
  throw new AssertionError({ message });
}

/** Returns the message of an error, and the values that an assertion compared. */
function described(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  if (!('actual' in error && 'expected' in error)) return error.message;
  return `${error.message}\n  expected: ${inspect(error.expected)}\n  received: ${inspect(error.actual)}`;
}
