// 'sizes' does not exist in type
import { elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';

const Size = z.object({ size: z.string() });

export const size = resolver(
  {},
  () =>
    elicit('Which size?', Size, {
      // Mistake:
      initial: { sizes: 'M' },
    }),
  { asks: 'form' },
);
