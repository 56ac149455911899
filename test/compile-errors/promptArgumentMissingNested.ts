// 'price' needs the argument 'city', which `argsSchema` does not have.
import { argsOf, definePrompt, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { city } = argsOf(z.object({ city: z.string() }));
const country = resolver({ at: city }, ({ at }) => at.length);
const rate = resolver({ country }, (values) => values.country);
const price = resolver({ rate }, (values) => values.rate * 80);

export const plan = definePrompt(
  'plan',
  {
    argsSchema: z.object({ days: z.string() }),
    // Mistake:
    resolve: { price },
  },
  ({ days, price }) => days + price,
);
