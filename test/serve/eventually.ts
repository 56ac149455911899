import { vi } from 'vitest';

/** Waits until an assertion holds. */
export function eventually(assertion: () => unknown): Promise<unknown> {
  return vi.waitFor(assertion, { timeout: 10_000, interval: 10 });
}
