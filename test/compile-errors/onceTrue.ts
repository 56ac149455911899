// `once` must be a store. Write once: memoryStore(), once: redisStore(client) or once: postgresStore(client), from mcp-resolve/store.
import { defineTool } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    once: true,
  },
  () => 'refunded',
);
