/** An approval in a module of its own, which every client skips that declares no forms. */
import { confirm, resolver } from 'mcp-resolve';

export const approvalForAll = resolver({}, () => confirm('Pay?', { otherwise: true }), {
  name: 'approval',
  asks: 'form',
});
