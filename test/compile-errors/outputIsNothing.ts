// A tool body must return a string or a CallToolResult. To return another value, declare `outputSchema`.
import { defineTool } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  { description: 'Refund an order.' },
  // Mistake:
  () => {},
);
