// Needs come first. Write resolver({ id: args.id }, ({ id }) => …), or resolver({}, () => …) if there are none.
import { resolver } from 'mcp-resolve';

export const cents = resolver(
  // Mistake:
  () => 500,
);
