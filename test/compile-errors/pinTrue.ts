// `pin` must be the schema of the value, because later rounds restore it. Write pin: z.number() or pin: z.object({ … }).
import { resolver } from 'mcp-resolve';

export const cents = resolver(
  {},
  () => 500,
  // Mistake:
  { pin: true },
);
