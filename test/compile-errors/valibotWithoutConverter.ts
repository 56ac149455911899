// This must be a schema that validates and describes itself, such as z.object({ … }). Wrap fields in z.object(), and a JSON Schema in fromJsonSchema().
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
