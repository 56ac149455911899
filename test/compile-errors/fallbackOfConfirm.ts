// Type 'string' is not assignable to type 'boolean | (() => boolean | Promise<boolean>) | undefined'.
import { confirm, resolver } from 'mcp-resolve';

export const sure = resolver(
  {},
  () =>
    confirm('Sure?', {
      // Mistake:
      otherwise: 'yes',
    }),
  { asks: 'form' },
);
