// 'cents' needs the argument 'order_id', which `inputSchema` does not have.
import { argsOf, defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { order_id } = argsOf(z.object({ order_id: z.string() }));
const price = resolver({ id: order_id }, ({ id }) => id.length);

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.object({ reason: z.string() }),
    // Mistake:
    resolve: { cents: price },
  },
  ({ cents, reason }) => `${cents} for ${reason}`,
);
