// `keys` must be an array, because keys are rotated. Write keys: [key].
import { requestStateSeal } from 'mcp-resolve';

export const seal = requestStateSeal({
  // Mistake:
  keys: 'one secret of 32 bytes or more, not in an array',
  audience: 'desk',
});
