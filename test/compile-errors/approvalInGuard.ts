// A guard cannot wait for an approval, because guards run before the values that an approval is about. List the resolver under `resolve`.
import { defineTool, resolver } from 'mcp-resolve';
import { approval, approvalDesk } from 'mcp-resolve/approvals';
import { memoryStore } from 'mcp-resolve/store';

const desk = approvalDesk({ store: memoryStore() });

const secondPair = resolver(
  {},
  () => approval('Pay a supplier', { by: 'acme/treasury', requester: 'ann' }),
  { asks: 'approval' },
);

export const pay = defineTool(
  'pay',
  {
    approvals: desk,
    // Mistake:
    guards: [secondPair],
  },
  () => 'paid',
);
