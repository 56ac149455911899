// Type '"froms"' is not assignable to type '"form" |
import { confirm, resolver } from 'mcp-resolve';

export const sure = resolver({}, () => confirm('Sure?'), {
  // Mistake:
  asks: 'froms',
});
