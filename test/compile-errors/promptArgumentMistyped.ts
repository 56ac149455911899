// 'price' needs the argument 'city', which has a different type in `argsSchema`. Make the types match.
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
