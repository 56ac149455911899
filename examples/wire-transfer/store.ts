/**
 * The store that records which transfers have run: in memory, or in Redis if REDIS_URL is set.
 * Processes that share a key need Redis.
 */
import { memoryOnceStore, type OnceStore, redisOnceStore } from 'mcp-resolve/once';
import { createClient } from 'redis';

/** Opens the store. */
export async function openStore(): Promise<OnceStore> {
  const { REDIS_URL: url, LEASE_MS } = process.env;
  if (url === undefined) return memoryOnceStore();
  const client = createClient({ url, disableOfflineQueue: true });
  client.on('error', (error: Error) => console.error(`Redis: ${error.message}`));
  await client.connect();
  // The connection does not keep the process alive.
  client.unref();
  const store = redisOnceStore(client, { prefix: 'wire-transfer:' });
  return LEASE_MS === undefined ? store : withLease(store, Number(LEASE_MS));
}

/**
 * Changes how long a claim is valid, for the test of a crash. The default is 30 seconds, renewed
 * every 10. With a shorter lease, a body that runs longer looks like a crash.
 */
function withLease(store: OnceStore, leaseMs: number): OnceStore {
  return {
    ...store,
    claim: (id, lease) => store.claim(id, { ...lease, leaseMs }),
    renew: (id, lease) => store.renew(id, { ...lease, leaseMs }),
  };
}
