// Type '"froms"' is not assignable to type '"
import { confirm, resolver } from 'mcp-resolve';

export const sure = resolver({}, () => confirm('Sure?'), {
  // Mistake:
  asks: 'froms',
});
