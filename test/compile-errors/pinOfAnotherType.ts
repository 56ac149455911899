// The pin restores another type than the resolver returns: let its schema describe the whole value.
import { resolver } from 'mcp-resolve';
import * as z from 'zod';

export const price = resolver({}, () => 500, {
  name: 'price',
  // Mistake:
  pin: z.string(),
});
