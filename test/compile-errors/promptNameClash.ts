// 'price' is both an argument in `argsSchema` and a resolved parameter. Rename one of them.
import { definePrompt, resolver } from 'mcp-resolve';
import * as z from 'zod';

const price = resolver({}, () => 500);

export const plan = definePrompt(
  'plan',
  {
    argsSchema: z.object({ price: z.string() }),
    // Mistake:
    resolve: { price },
  },
  () => 'planned',
);
