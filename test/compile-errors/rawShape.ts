// 'order_id' does not exist in type 'StandardSchemaWithJSON<unknown, unknown>'.
import { defineTool } from 'mcp-resolve';
import * as z from 'zod';

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    inputSchema: { order_id: z.string() },
  },
  () => 'refunded',
);
