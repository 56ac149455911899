// A guard that gives undefined lets the call go on: give true or false, or throw.
import { defineTool, resolver } from 'mcp-resolve';

const roles = new Map([['ann', ['refund']]]);
const mayRefund = resolver({}, (_, ctx) =>
  roles.get(ctx.http?.authInfo?.clientId ?? '')?.includes('refund'),
);

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    guards: [mayRefund],
  },
  () => 'refunded',
);
