// A guard is a resolver. Write guards: [guard]
import { defineTool, resolver } from 'mcp-resolve';

const mayRefund = resolver({}, () => true);

export const refund = defineTool(
  'refund',
  {
    guards: {
      // Mistake:
      mayRefund,
    },
  },
  () => 'refunded',
);
