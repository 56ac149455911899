// 'price' needs the argument 'city', which has another type in argsSchema.
import { argsOf, definePrompt, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { city } = argsOf(z.object({ city: z.string() }));
const price = resolver({ at: city }, ({ at }) => at.length);

export const plan = definePrompt(
  'plan',
  {
    argsSchema: z.object({ city: z.coerce.number() }),
    // Mistake:
    resolve: { price },
  },
  ({ price }) => `${price}`,
);
