// is not assignable to type
import { confirm, elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';

const Stay = z.object({ days: z.number() });

export const stay = resolver(
  {},
  () =>
    elicit('How long?', Stay, {
      // Mistake:
      otherwise: () => confirm('Three days?'),
    }),
  { asks: 'form' },
);
