/**
 * Stores with short leases, so that tests need not wait for half a minute. The file does not import
 * the test runner, because child processes use it too.
 */
import { memoryOnceStore } from 'mcp-resolve/once';
import type { OnceStore } from 'mcp-resolve/once';

/** Returns the store with a lease of this time instead of 30 seconds. */
export function withLease(leaseMs: number, store: OnceStore = memoryOnceStore()): OnceStore {
  return {
    ...store,
    claim: (id, lease) => store.claim(id, { ...lease, leaseMs }),
    renew: (id, lease) => store.renew(id, { ...lease, leaseMs }),
  };
}
