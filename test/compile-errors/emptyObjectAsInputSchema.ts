// Type '{}' is not assignable to type 'SchemaOrSentence | undefined'.
import { defineTool } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    inputSchema: {},
  },
  () => 'refunded',
);
