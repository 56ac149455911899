// Type '() => number' is not assignable to type 'Filler'.
import { defineTool } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    resolve: { cents: () => 500 },
  },
  // Follows:
  ({ cents }) => `${cents}`,
);
