// Property 'order_id' is missing in type '{}' but required in type '{ order_id: string; reason?: string | undefined; }'.
import { defineTool } from 'mcp-resolve';
import * as z from 'zod';

const refund = defineTool(
  'refund',
  { inputSchema: z.object({ order_id: z.string(), reason: z.string().default('') }) },
  ({ order_id, reason }) => order_id + reason,
);

// Mistake:
export const result = refund.call({});
