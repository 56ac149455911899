// A guard must return a boolean: return true to let the call go on, or throw a ToolError. A guard that asks uses confirm().
import { defineTool, resolver, ToolError } from 'mcp-resolve';

const mayRefund = resolver({}, (_, ctx) => {
  if (ctx.http?.authInfo === undefined) throw new ToolError('sign in first');
});

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    guards: [mayRefund],
  },
  () => 'refunded',
);
