/** Approvals on a real Redis, which two clients share. */
import { redisStore } from 'mcp-resolve/store';
import { createClient } from 'redis';
import { afterAll, beforeAll } from 'vitest';

import { type RedisServer, startRedis } from '../support/redis.js';
import { describeApprovalsOn } from './sharedStore.js';

let redis: RedisServer;
let clients: ReturnType<typeof createClient>[] = [];

beforeAll(async () => {
  redis = await startRedis();
  clients = [createClient({ url: redis.url }), createClient({ url: redis.url })];
  for (const client of clients) await client.connect();
});

afterAll(async () => {
  for (const client of clients) client.destroy();
  await redis.stop();
});

describeApprovalsOn('Redis', () => [redisStore(clients[0]!), redisStore(clients[1]!)]);
