// This must be a schema that validates and describes itself, such as z.object({ … }). Wrap fields in z.object(), and a JSON Schema in fromJsonSchema().
import { defineTool } from 'mcp-resolve';
import * as z from 'zod';

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    outputSchema: { cents: z.number() },
  },
  () => 'refunded',
);
