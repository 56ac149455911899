// A tool has a name, a configuration and a body. Write defineTool(name, { inputSchema, once }, body).
import { defineTool } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  // Mistake:
  () => 'refunded',
);
