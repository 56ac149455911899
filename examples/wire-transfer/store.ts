/**
 * The store that records which transfers have run: in memory, or in Redis if REDIS_URL is set.
 * Processes that share a key need Redis.
 */
import { memoryStore, type RecordStore, redisStore } from 'mcp-resolve/store';
import { createClient } from 'redis';

/** Opens the store. */
export async function openStore(): Promise<RecordStore> {
  const { REDIS_URL: url } = process.env;
  if (url === undefined) return memoryStore();
  const client = createClient({ url, disableOfflineQueue: true });
  client.on('error', (error: Error) => console.error(`Redis: ${error.message}`));
  await client.connect();
  // The connection does not keep the process alive.
  client.unref();
  return redisStore(client, { prefix: 'wire-transfer:' });
}
