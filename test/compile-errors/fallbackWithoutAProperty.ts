// Property 'days' is missing in type
import { elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';

const Stay = z.object({ days: z.number(), nights: z.number() });

export const stay = resolver(
  {},
  () =>
    elicit('How long?', Stay, {
      // Mistake:
      otherwise: { nights: 3 },
    }),
  { asks: 'form' },
);
