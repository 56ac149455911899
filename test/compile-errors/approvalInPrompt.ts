// 'secondPair' asks for an approval, but only the calls of a tool can wait. Use a tool.
import { definePrompt, resolver } from 'mcp-resolve';
import { approval } from 'mcp-resolve/approvals';

const secondPair = resolver(
  {},
  () => approval('Pay a supplier', { by: 'acme/treasury', requester: 'ann' }),
  { asks: 'approval' },
);

export const pay = definePrompt(
  'pay',
  {
    // Mistake:
    resolve: { secondPair },
  },
  ({ secondPair }) => secondPair.id,
);
