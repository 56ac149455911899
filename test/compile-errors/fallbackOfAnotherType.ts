// Type 'string' is not assignable to type 'number'.
import { elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';

const Stay = z.object({ days: z.number() });

export const stay = resolver(
  {},
  () =>
    elicit('How long?', Stay, {
      // Mistake:
      otherwise: { days: 'three' },
    }),
  { asks: 'form' },
);
