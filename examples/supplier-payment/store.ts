/**
 * The store of the desk: in Redis if REDIS_URL is set, in Postgres if DATABASE_URL is set, and
 * otherwise in the memory of this process, which forgets the requests when it ends.
 */
import {
  memoryStore,
  postgresStore,
  postgresTableSql,
  type RecordStore,
  redisStore,
} from 'mcp-resolve/store';
import pg from 'pg';
import { createClient } from 'redis';

/** Opens the store. Its connections do not keep the process alive. */
export async function openStore(): Promise<RecordStore> {
  const { REDIS_URL, DATABASE_URL } = process.env;
  if (REDIS_URL !== undefined) return openRedis(REDIS_URL);
  if (DATABASE_URL !== undefined) return openPostgres(DATABASE_URL);
  return memoryStore();
}

async function openRedis(url: string): Promise<RecordStore> {
  const client = createClient({ url, disableOfflineQueue: true });
  client.on('error', (error: Error) => console.error(`Redis: ${error.message}`));
  await client.connect();
  client.unref();
  return redisStore(client, { prefix: 'supplier-payment:' });
}

async function openPostgres(connectionString: string): Promise<RecordStore> {
  const pool = new pg.Pool({ connectionString, allowExitOnIdle: true });
  pool.on('error', (error) => console.error(`Postgres: ${error.message}`));
  await pool.query(postgresTableSql());
  return postgresStore(pool);
}
