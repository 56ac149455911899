// 'cents' needs the argument 'order_id', which is optional in `inputSchema`. Make it required, give it a default, or let the resolver accept undefined.
import { arg, defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';

const cents = resolver({ order_id: arg<string>() }, ({ order_id }) => order_id.length);

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.discriminatedUnion('by', [
      z.object({ by: z.literal('order'), order_id: z.string() }),
      z.object({ by: z.literal('invoice'), invoice_id: z.string() }),
    ]),
    // Mistake:
    resolve: { cents },
  },
  (values) => `${values.cents}`,
);
