// 'price' needs the argument 'city', which is optional in `argsSchema`. Make it required, give it a default, or let the resolver accept undefined.
import { argsOf, definePrompt, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { city } = argsOf(z.object({ city: z.string() }));
const price = resolver({ at: city }, ({ at }) => at.length);

export const plan = definePrompt(
  'plan',
  {
    argsSchema: z.object({ city: z.string().optional() }),
    // Mistake:
    resolve: { price },
  },
  ({ price }) => `${price}`,
);
