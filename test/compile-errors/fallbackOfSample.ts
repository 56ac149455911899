// No overload matches this call.
import { resolver, sample } from 'mcp-resolve';

export const hint = resolver(
  {},
  () =>
    // Mistake:
    sample({ messages: [], maxTokens: 9 }, { otherwise: 'Bring a coat' }),
  { asks: 'sample' },
);
