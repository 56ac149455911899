// is not assignable to type '"auto" | Dispose<number> | undefined'.
import { resolver } from 'mcp-resolve';

export const price = resolver({}, () => 500, {
  name: 'price',
  // Mistake:
  dispose: 'automatic',
});
