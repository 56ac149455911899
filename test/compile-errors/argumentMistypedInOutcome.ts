// 'restock' needs the argument 'order_id', which has a different type in `inputSchema`. Make the types match.
import { argsOf, confirm, defineTool, outcome, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { order_id } = argsOf(z.object({ order_id: z.string() }));
const askRestock = resolver({ id: order_id }, ({ id }) => confirm(`Restock ${id}?`), {
  asks: 'form',
});

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.object({ order_id: z.number() }),
    // Mistake:
    resolve: { restock: outcome(askRestock) },
  },
  ({ restock }) => restock.action,
);
