// 'guard' needs the argument 'city', which `argsSchema` does not have.
import { argsOf, definePrompt, resolver } from 'mcp-resolve';
import * as z from 'zod';

const { city } = argsOf(z.object({ city: z.string() }));
const mayTravel = resolver({ to: city }, ({ to }) => to !== '');

export const plan = definePrompt(
  'plan',
  {
    argsSchema: z.object({ days: z.string() }),
    // Mistake:
    guards: [mayTravel],
  },
  ({ days }) => days,
);
