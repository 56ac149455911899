// A tool body returns a string or a CallToolResult: to return another value, declare outputSchema.
import { defineTool } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  { description: 'Refund an order.' },
  // Mistake:
  (): unknown => 'refunded',
);
