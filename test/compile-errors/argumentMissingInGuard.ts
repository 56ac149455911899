// 'guard' needs the argument 'order_id', which `inputSchema` does not have.
import { argsOf, defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { order_id } = argsOf(z.object({ order_id: z.string() }));
const mayRefund = resolver({ id: order_id }, ({ id }) => id !== '');

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.object({ reason: z.string() }),
    // Mistake:
    guards: [mayRefund],
  },
  ({ reason }) => reason,
);
