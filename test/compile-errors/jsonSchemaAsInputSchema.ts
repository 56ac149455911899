// This must be a schema that validates and describes itself, such as z.object({ … }). Wrap fields in z.object(), and a JSON Schema in fromJsonSchema().
import { defineTool } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    inputSchema: { type: 'object', properties: { order_id: { type: 'string' } } },
  },
  () => 'refunded',
);
