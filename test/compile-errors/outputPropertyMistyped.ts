// The body returns 'cents' of another type than outputSchema has.
import { defineTool } from 'mcp-resolve';
import * as z from 'zod';

export const refund = defineTool(
  'refund',
  { outputSchema: z.object({ order_id: z.string(), cents: z.number() }) },
  // Mistake:
  () => ({ order_id: 'A-1', cents: '500' }),
);
