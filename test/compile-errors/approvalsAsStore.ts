// `approvals` must be a desk. Write approvals: approvalDesk({ store }), from mcp-resolve/approvals.
import { defineTool, memoryStore } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    approvals: memoryStore(),
  },
  () => 'refunded',
);
