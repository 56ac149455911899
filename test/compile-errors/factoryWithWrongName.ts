// 'cents' needs the argument 'invoice_id', which `inputSchema` does not have.
import { type Arg, argsOf, defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';

const priceOf = <N extends string>(id: Arg<string, N>) => resolver({ id }, ({ id }) => id.length);
const { invoice_id } = argsOf(z.object({ invoice_id: z.string() }));

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.object({ order_id: z.string() }),
    // Mistake:
    resolve: { cents: priceOf(invoice_id) },
  },
  ({ cents }) => `${cents}`,
);
