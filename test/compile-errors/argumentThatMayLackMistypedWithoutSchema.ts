// 'cents' needs the argument 'order_id', which has a different type in `inputSchema`. Make the types match.
import { arg, defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';

const price = resolver(
  { order_id: arg.optional<string>() },
  ({ order_id }) => order_id?.length ?? 0,
);

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.object({ order_id: z.number() }),
    // Mistake:
    resolve: { cents: price },
  },
  ({ cents }) => `${cents}`,
);
