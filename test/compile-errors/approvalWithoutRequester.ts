// Property 'requester' is missing in type '{ by: string; }' but required in type 'ApprovalOptions'.
import { resolver } from 'mcp-resolve';
import { approval } from 'mcp-resolve/approvals';

export const secondPair = resolver(
  {},
  () =>
    // Mistake:
    approval('Pay a supplier', { by: 'acme/treasury' }),
  { asks: 'approval' },
);
