// 'resolvers' does not exist in type
import { defineTool, resolver } from 'mcp-resolve';

const cents = resolver({}, () => 500);

export const refund = defineTool(
  'refund',
  {
    description: 'Refund an order.',
    // Mistake:
    resolvers: { cents },
  },
  () => 'refunded',
);
