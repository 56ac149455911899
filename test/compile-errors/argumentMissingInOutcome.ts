// 'restock' needs the argument 'order_id', which `inputSchema` does not have.
import { argsOf, confirm, defineTool, outcome, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { order_id } = argsOf(z.object({ order_id: z.string() }));
const askRestock = resolver({ id: order_id }, ({ id }) => confirm(`Restock ${id}?`), {
  asks: 'form',
});

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.object({ reason: z.string() }),
    // Mistake:
    resolve: { restock: outcome(askRestock) },
  },
  ({ restock }) => restock.action,
);
