// This function can ask. Add { asks: 'form' }.
import { argsOf, confirm, resolver } from 'mcp-resolve';
import * as z from 'zod';

const args = argsOf(z.object({ cents: z.number() }));

export const approval = resolver(
  { cents: args.cents },
  // Mistake:
  ({ cents }) => (cents < 100 ? true : confirm(`Pay ${cents} cents?`)),
);
