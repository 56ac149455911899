// A parameter takes a resolver or outcome(resolver). Wrap a function or a question in resolver({}, () => …).
import { argsOf, defineTool } from 'mcp-resolve';
import * as z from 'zod';

const RefundInput = z.object({ order_id: z.string() });

export const refund = defineTool(
  'refund',
  {
    inputSchema: RefundInput,
    // Mistake:
    resolve: { id: argsOf(RefundInput).order_id },
  },
  // Follows:
  ({ id }) => id,
);
