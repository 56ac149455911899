// Type 'number' is not assignable to type 'string'.
import { resolver } from 'mcp-resolve';

export const price = resolver({}, () => 500, {
  name: 'price',
  // Mistake:
  dispose: (value: string) => value.length,
});
