/** The store of a process, and stores that wrap it. */
import { setTimeout as delay } from 'node:timers/promises';
import { postgresStore, redisStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import pg from 'pg';
import { createClient } from 'redis';

import type { Random } from '../tokens/random.js';

/** Opens the store that the environment names, as `StoreServer` sets it. */
export async function openStore(): Promise<RecordStore> {
  const { STORE, STORE_URL = '' } = process.env;
  const logger = { warn: () => undefined };
  if (STORE === 'redis') return redisStore(await connectRedis(STORE_URL), { logger });
  const pool = new pg.Pool({ max: 10 });
  pool.on('error', () => undefined);
  return postgresStore(pool);
}

/** Connects to a Redis, and again after each failure. */
export async function connectRedis(url: string) {
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/**
 * Creates a store that sometimes waits before and after a change. Kills then also hit the moments
 * between claim and body, between body and record, and between record and answer.
 */
export function hesitating(store: RecordStore, random: Random): RecordStore {
  return {
    ...store,
    put: async (key, value, how) => {
      await hesitation(random);
      const answer = await store.put(key, value, how);
      await hesitation(random);
      return answer;
    },
  };
}

async function hesitation(random: Random): Promise<void> {
  if (random.percent(10)) await delay(random.between(20, 200));
}
