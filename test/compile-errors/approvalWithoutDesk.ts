// 'secondPair' asks for an approval, so the tool needs a desk. Add `approvals: desk`.
import { defineTool, resolver } from 'mcp-resolve';
import { approval } from 'mcp-resolve/approvals';

const secondPair = resolver(
  {},
  () => approval('Pay a supplier', { by: 'acme/treasury', requester: 'ann' }),
  { asks: 'approval' },
);

export const pay = defineTool(
  'pay',
  {
    // Mistake:
    resolve: { secondPair },
  },
  ({ secondPair }) => secondPair.id,
);
