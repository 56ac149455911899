// 'restock' needs the argument 'order_id', which is optional in `inputSchema`. Make it required, give it a default, or let the resolver accept undefined.
import { argsOf, confirm, defineTool, outcome, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { order_id } = argsOf(z.object({ order_id: z.string() }));
const askRestock = resolver({ id: order_id }, ({ id }) => confirm(`Restock ${id}?`), {
  asks: 'form',
});

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.object({ order_id: z.string().optional() }),
    // Mistake:
    resolve: { restock: outcome(askRestock) },
  },
  ({ restock }) => restock.action,
);
