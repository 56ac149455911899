/** Tests the supplier payment with Redis. */
import { afterAll, beforeAll } from 'vitest';

import { type RedisServer, startRedis } from '../support/redis.js';
import { describeStoryOn } from './supplierPayment.js';

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedis();
  // The programs inherit the environment of this process.
  process.env.REDIS_URL = redis.url;
});

afterAll(async () => {
  delete process.env.REDIS_URL;
  await redis.stop();
});

describeStoryOn('Redis');
