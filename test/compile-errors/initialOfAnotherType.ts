// Type 'number' is not assignable to type 'string'.
import { elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';

const Size = z.object({ size: z.string() });

export const size = resolver(
  {},
  () =>
    elicit('Which size?', Size, {
      // Mistake:
      initial: { size: 5 },
    }),
  { asks: 'form' },
);
