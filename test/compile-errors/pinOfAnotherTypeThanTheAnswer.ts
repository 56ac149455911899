// The `pin` schema restores a different type than the resolver returns. Describe the whole value in the schema.
import { elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';

const Days = z.object({ days: z.number() });

export const stay = resolver({}, () => (Date.now() > 0 ? { days: 3 } : elicit('Days?', Days)), {
  asks: 'form',
  name: 'stay',
  // Mistake:
  pin: z.object({ days: z.string() }),
});
