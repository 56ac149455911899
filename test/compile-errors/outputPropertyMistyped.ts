// The body returns 'cents' with a type that does not match `outputSchema`.
import { defineTool } from 'mcp-resolve';
import * as z from 'zod';

export const refund = defineTool(
  'refund',
  { outputSchema: z.object({ order_id: z.string(), cents: z.number() }) },
  // Mistake:
  () => ({ order_id: 'A-1', cents: '500' }),
);
