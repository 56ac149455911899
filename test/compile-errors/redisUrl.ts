// `client` must be a client of node-redis or ioredis. Write redisStore(createClient({ url })).
import { defineTool } from 'mcp-resolve';
import { redisStore } from '../../src/store.js';

export const refund = defineTool(
  'refund',
  {
    once: redisStore(
      // Mistake:
      'redis://127.0.0.1:6379',
    ),
  },
  () => 'refunded',
);
