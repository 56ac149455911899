// A guard is a resolver. Write guards: [guard], with guard = resolver({ id: args.id }, ({ id }) => mayRefund(id)).
import { defineTool } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  {
    guards: [
      // Mistake:
      () => true,
    ],
  },
  () => 'refunded',
);
