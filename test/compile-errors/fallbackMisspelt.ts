// 'otherwize' does not exist in type
import { confirm, resolver } from 'mcp-resolve';

export const sure = resolver(
  {},
  () =>
    confirm('Sure?', {
      // Mistake:
      otherwize: true,
    }),
  { asks: 'form' },
);
