// 'nmae' does not exist in type 'ResolverOptions<number, Schema
import { resolver } from 'mcp-resolve';

export const cents = resolver(
  {},
  () => 500,
  // Mistake:
  { nmae: 'cents' },
);
