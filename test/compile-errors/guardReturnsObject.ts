// A guard must return a boolean: return true to let the call go on, or throw a ToolError. A guard that asks uses confirm().
import { defineTool, resolver } from 'mcp-resolve';

const mayRefund = resolver({}, () => ({ allowed: false }));

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    guards: [mayRefund],
  },
  () => 'refunded',
);
