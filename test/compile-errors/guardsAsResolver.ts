// `guards` must be an array of resolvers. Write guards: [guard].
import { defineTool, resolver } from 'mcp-resolve';

const allowed = resolver({}, () => true);

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    guards: allowed,
  },
  () => 'refunded',
);
