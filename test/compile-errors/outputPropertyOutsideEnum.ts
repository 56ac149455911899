// The body returns 'status' with a type that does not match `outputSchema`.
import { defineTool } from 'mcp-resolve';
import * as z from 'zod';

export const refund = defineTool(
  'refund',
  { outputSchema: z.object({ status: z.enum(['refunded', 'refused']) }) },
  // Mistake:
  () => ({ status: 'lost' }),
);
