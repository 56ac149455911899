// 'cents' needs the argument 'region', which `inputSchema` does not have.
import { argsOf, defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';

const args = argsOf(z.object({ order_id: z.string(), region: z.string() }));
const order = resolver({ id: args.order_id }, ({ id }) => ({ id, total: 5 }));
const cents = resolver({ order, region: args.region }, (values) => values.order.total);

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.object({ reason: z.string() }),
    // Mistake:
    resolve: { cents },
  },
  (values) => `${values.cents}`,
);
