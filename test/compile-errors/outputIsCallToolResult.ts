// With `outputSchema`, the body returns the value itself, not a CallToolResult.
import { defineTool } from 'mcp-resolve';
import * as z from 'zod';

export const refund = defineTool(
  'refund',
  { outputSchema: z.object({ refunded: z.boolean() }) },
  // Mistake:
  () => ({ content: [], structuredContent: { refunded: true } }),
);
