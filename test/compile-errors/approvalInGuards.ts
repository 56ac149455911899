// An approval cannot be a guard. List the resolver under `resolve`.
import { defineTool, memoryStore, resolver } from 'mcp-resolve';
import { approval, approvalDesk } from '../../src/approvals.js';

const desk = approvalDesk({ store: memoryStore() });
const second = resolver({}, () => approval('Refund', { by: 'desk', requester: 'ann' }), {
  asks: 'approval',
});

export const refund = defineTool(
  'refund',
  {
    approvals: desk,
    guards: [
      // Mistake:
      second,
    ],
  },
  () => 'refunded',
);
