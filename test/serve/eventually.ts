import { vi } from 'vitest';

/** Waits until an assertion holds, for what a peer notices in its own time. */
export function eventually(assertion: () => unknown): Promise<unknown> {
  return vi.waitFor(assertion, { timeout: 10_000, interval: 10 });
}
