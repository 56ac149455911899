// No mistake.
import { argsOf, confirm, defineTool, elicit, outcome, resolver } from 'mcp-resolve';
import * as z from 'zod';

const RefundInput = z.object({ order_id: z.string(), reason: z.string() });
const args = argsOf(RefundInput);

const order = resolver({ id: args.order_id }, ({ id }) => ({ id, total: 5 }));
const scope = resolver(
  { order },
  (values) =>
    values.order.total === 0
      ? { full: true }
      : elicit('All of it?', z.object({ full: z.boolean() })),
  { asks: 'form' },
);
const amount = resolver({ order, scope }, (values) => (values.scope.full ? values.order.total : 1));
const askRestock = resolver({ order }, (values) => confirm(`Restock ${values.order.id}?`), {
  asks: 'form',
});
const mayRefund = resolver({ id: args.order_id }, ({ id }) => id !== '');

export const refund = defineTool(
  'refund',
  {
    description: 'Refund an order.',
    inputSchema: RefundInput,
    outputSchema: z.object({ status: z.enum(['refunded', 'refused']), cents: z.number() }),
    guards: [mayRefund],
    resolve: { cents: amount, restock: outcome(askRestock) },
  },
  ({ cents, restock }) => ({
    status: restock.action === 'accept' ? 'refunded' : 'refused',
    cents,
  }),
);
