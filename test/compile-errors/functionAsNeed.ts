// Type '() => number' is not assignable to type 'Need'.
import { resolver } from 'mcp-resolve';

export const cents = resolver(
  // Mistake:
  { order: () => 5 },
  // Follows:
  ({ order }) => order,
);
