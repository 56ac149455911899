// 'cents' needs the argument 'order_id', which has a different type in `inputSchema`. Make the types match.
import { arg, argsOf, defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { order_id } = argsOf(z.object({ order_id: z.string() }));
const price = resolver({ id: arg.optional(order_id) }, ({ id }) => id?.length ?? 0);

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.object({ order_id: z.number() }),
    // Mistake:
    resolve: { cents: price },
  },
  ({ cents }) => `${cents}`,
);
