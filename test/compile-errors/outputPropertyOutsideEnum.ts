// The body returns 'status' of another type than outputSchema has.
import { defineTool } from 'mcp-resolve';
import * as z from 'zod';

export const refund = defineTool(
  'refund',
  { outputSchema: z.object({ status: z.enum(['refunded', 'refused']) }) },
  // Mistake:
  () => ({ status: 'lost' }),
);
