// 'guard' needs the argument 'city', which `argsSchema` does not have.
import { argsOf, definePrompt, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { city } = argsOf(z.object({ city: z.string() }));
const price = resolver({ at: city }, ({ at }) => at.length);

export const plan = definePrompt(
  'plan',
  {
    argsSchema: z.object({ days: z.string() }),
    // Mistake:
    guards: [price],
  },
  ({ days }) => days,
);
