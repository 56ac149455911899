// This guard can return undefined, which lets the call continue. Return true or false, or throw an error.
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
