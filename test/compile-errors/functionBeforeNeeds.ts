// Needs come first. Write resolver({ id: args.id }, ({ id }) => …), or resolver({}, () => …) if there are none.
import { argsOf, resolver } from 'mcp-resolve';
import * as z from 'zod';

const args = argsOf(z.object({ id: z.string() }));

export const order = resolver(
  // Mistake:
  ({ id }: { id: string }) => id,
  { id: args.id },
);
