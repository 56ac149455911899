// 'cents' is both an argument in `inputSchema` and a resolved parameter. Rename one of them.
import { defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';

const cents = resolver({}, () => 500);

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.object({ order_id: z.string(), cents: z.number() }),
    // Mistake:
    resolve: { cents },
  },
  ({ order_id }) => order_id,
);
