// 'cents' needs the argument 'order_id', which is optional in `inputSchema`. Make it required, give it a default, or let the resolver accept undefined.
import { argsOf, defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { order_id } = argsOf(z.object({ order_id: z.string() }));
const order = resolver({ id: order_id }, ({ id }) => ({ id, total: 5 }));
const amount = resolver({ order }, (values) => values.order.total);
const cents = resolver({ amount }, (values) => values.amount * 100);

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.object({ order_id: z.string().optional() }),
    // Mistake:
    resolve: { cents },
  },
  (values) => `${values.cents}`,
);
