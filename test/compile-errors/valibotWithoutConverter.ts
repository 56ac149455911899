// Property 'jsonSchema' is missing in type
import { defineTool } from 'mcp-resolve';
import * as v from 'valibot';

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    inputSchema: v.object({ order_id: v.string() }),
  },
  () => 'refunded',
);
