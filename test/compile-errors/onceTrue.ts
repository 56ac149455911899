// `once` must be a store. Write once: memoryOnceStore() or once: redisOnceStore(client), from mcp-resolve/once.
import { defineTool } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    once: true,
  },
  () => 'refunded',
);
