// 'guard' needs the argument 'order_id', which has a different type in `inputSchema`. Make the types match.
import { argsOf, defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { order_id } = argsOf(z.object({ order_id: z.string() }));
const mayRefund = resolver({ id: order_id }, ({ id }) => id !== '');

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.object({ order_id: z.number() }),
    // Mistake:
    guards: [mayRefund],
  },
  ({ order_id }) => `${order_id}`,
);
