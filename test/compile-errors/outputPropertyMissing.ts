// The body does not return 'cents', which `outputSchema` requires.
import { defineTool } from 'mcp-resolve';
import * as z from 'zod';

export const refund = defineTool(
  'refund',
  { outputSchema: z.object({ order_id: z.string(), cents: z.number() }) },
  // Mistake:
  () => ({ order_id: 'A-1' }),
);
