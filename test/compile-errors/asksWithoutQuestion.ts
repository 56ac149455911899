// This function cannot ask. Remove `asks`.
import { argsOf, resolver } from 'mcp-resolve';
import * as z from 'zod';

const args = argsOf(z.object({ cents: z.number() }));

export const total = resolver(
  { cents: args.cents },
  // Mistake:
  ({ cents }) => cents * 2,
  { asks: 'form' },
);
