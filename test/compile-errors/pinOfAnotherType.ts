// The `pin` schema restores a different type than the resolver returns. Describe the whole value in the schema.
import { resolver } from 'mcp-resolve';
import * as z from 'zod';

export const price = resolver({}, () => 500, {
  name: 'price',
  // Mistake:
  pin: z.string(),
});
