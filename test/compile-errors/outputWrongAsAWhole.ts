// The body must return a value that matches `outputSchema`.
import { defineTool } from 'mcp-resolve';
import * as z from 'zod';

export const refund = defineTool(
  'refund',
  { outputSchema: z.array(z.string()) },
  // Mistake:
  () => 500,
);
