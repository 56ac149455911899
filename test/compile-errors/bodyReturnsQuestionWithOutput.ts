// A tool body cannot ask a question. Return the question from a resolver and list that resolver under `resolve`.
import { confirm, defineTool } from 'mcp-resolve';
import * as z from 'zod';

export const refund = defineTool(
  'refund',
  { outputSchema: z.object({ refunded: z.boolean() }) },
  // Mistake:
  () => (Math.random() > 0.5 ? confirm('Refund?') : { refunded: true }),
);
