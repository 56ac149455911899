// 'receipt' asks for an approval, so the tool needs a desk. Add `approvals: desk`.
import { defineTool, outcome, resolver } from 'mcp-resolve';
import { approval } from 'mcp-resolve/approvals';

const secondPair = resolver(
  {},
  () => approval('Pay a supplier', { by: 'acme/treasury', requester: 'ann' }),
  { asks: 'approval' },
);

const receipt = resolver({ approved: outcome(secondPair) }, ({ approved }) => approved.action);

export const pay = defineTool(
  'pay',
  {
    // Mistake:
    resolve: { receipt },
  },
  ({ receipt }) => receipt,
);
