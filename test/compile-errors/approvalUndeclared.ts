// This function can ask. Add { asks: 'approval' }.
import { resolver } from 'mcp-resolve';
import { approval } from 'mcp-resolve/approvals';

export const secondPair = resolver(
  {},
  // Mistake:
  () => approval('Pay a supplier', { by: 'acme/treasury', requester: 'ann' }),
);
