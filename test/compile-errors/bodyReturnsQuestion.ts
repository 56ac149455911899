// A tool body cannot ask a question. Return the question from a resolver and list that resolver under `resolve`.
import { confirm, defineTool } from 'mcp-resolve';
import * as z from 'zod';

export const refund = defineTool(
  'refund',
  { inputSchema: z.object({ order_id: z.string() }) },
  // Mistake:
  ({ order_id }) => confirm(`Refund ${order_id}?`),
);
