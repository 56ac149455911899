// 'attempts' does not exist in type 'ConfirmOptions'
import { confirm, resolver } from 'mcp-resolve';

export const sure = resolver(
  {},
  () =>
    confirm('Sure?', {
      // Mistake:
      attempts: 3,
    }),
  { asks: 'form' },
);
