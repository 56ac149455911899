// A guard must return a boolean: return true to let the call go on, or throw a ToolError. A guard that asks uses confirm().
import { defineTool, elicit, resolver } from 'mcp-resolve';
import * as z from 'zod';

const mayRefund = resolver({}, () => elicit('Really?', z.object({ sure: z.boolean() })), {
  asks: 'form',
});

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    guards: [mayRefund],
  },
  () => 'refunded',
);
