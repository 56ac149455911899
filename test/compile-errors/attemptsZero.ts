// `attempts` must be an integer from 1 to 10. It is the number of times that the form is shown in all.
import { elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';

const City = z.object({ city: z.string() });

export const city = resolver({}, () => elicit('Which city?', City), {
  asks: 'form',
  // Mistake:
  attempts: 0,
});
