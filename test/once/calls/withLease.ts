/** Leases that a test need not wait half a minute for; of no test runner, as programs use it too. */
import { memoryOnceStore } from 'mcp-resolve/once';
import type { OnceStore } from 'mcp-resolve/once';

/** The same store, in which a claim holds for this time instead of 30 seconds. */
export function withLease(leaseMs: number, store: OnceStore = memoryOnceStore()): OnceStore {
  return {
    ...store,
    claim: (id, lease) => store.claim(id, { ...lease, leaseMs }),
    renew: (id, lease) => store.renew(id, { ...lease, leaseMs }),
  };
}
