// A tool body cannot ask a question. Return the question from a resolver and list that resolver under `resolve`.
import { defineTool, elicit } from 'mcp-resolve';
import * as z from 'zod';

export const refund = defineTool(
  'refund',
  { inputSchema: z.object({ order_id: z.string() }) },
  // Mistake:
  async ({ order_id }) =>
    order_id === '' ? elicit('Which order?', z.object({ id: z.string() })) : 'refunded',
);
