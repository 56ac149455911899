/** The tool of every app: an amount from the records, and an approval for 100 euros or more. */
import { argsOf, confirm, defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';

const invoices = { 'INV-1': 40, 'INV-2': 900 }; // in euros

export const PayInput = z.object({ invoice: z.enum(['INV-1', 'INV-2']) });
const args = argsOf(PayInput);

const amountDue = resolver({ id: args.invoice }, ({ id }) => invoices[id], { pin: z.number() });
const approval = resolver(
  { id: args.invoice, euros: amountDue },
  ({ id, euros }) => (euros < 100 ? true : confirm(`Pay ${euros} euros for ${id}?`)),
  { asks: 'form' },
);

export const payInvoice = defineTool(
  'pay_invoice',
  {
    description: 'Pay an invoice. The amount comes from the records.',
    inputSchema: PayInput,
    resolve: { euros: amountDue, approved: approval },
  },
  ({ invoice, euros }) => `Paid ${euros} euros for ${invoice}.`,
);
