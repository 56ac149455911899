/**
 * Where it is remembered which transfers have run: in this process, or in the Redis that REDIS_URL
 * names, for processes that share a key.
 */
import { memoryOnceStore, type OnceStore, redisOnceStore } from 'mcp-resolve/once';
import { createClient } from 'redis';

/** Opens the store that the environment asks for. */
export async function openStore(): Promise<OnceStore> {
  const { REDIS_URL: url, LEASE_MS } = process.env;
  if (url === undefined) return memoryOnceStore();
  const client = createClient({ url });
  client.on('error', (error: Error) => console.error(`Redis: ${error.message}`));
  await client.connect();
  // The connection alone is no reason for a process to stay.
  client.unref();
  const store = redisOnceStore(client, { prefix: 'wire-transfer:' });
  return LEASE_MS === undefined ? store : withLease(store, Number(LEASE_MS));
}

/**
 * A store whose claims hold for another time than 30 seconds. They are renewed every 10, so this
 * one is for stories: bodies that take longer than `leaseMs` look as if they had crashed.
 */
function withLease(store: OnceStore, leaseMs: number): OnceStore {
  return {
    ...store,
    claim: (id, lease) => store.claim(id, { ...lease, leaseMs }),
    renew: (id, lease) => store.renew(id, { ...lease, leaseMs }),
  };
}
