// 'cents' is both an argument in `inputSchema` and a resolved parameter. Rename one of them.
import { defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';

const cents = resolver({}, () => 500);

export const refund = defineTool(
  'refund',
  {
    inputSchema: z.discriminatedUnion('scope', [
      z.object({ scope: z.literal('all') }),
      z.object({ scope: z.literal('part'), cents: z.number() }),
    ]),
    // Mistake:
    resolve: { cents },
  },
  ({ scope }) => scope,
);
