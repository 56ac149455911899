// This function can ask. Add { asks: 'sample' }.
import { resolver, sample } from 'mcp-resolve';

export const summary = resolver(
  {},
  // Mistake:
  () => Promise.resolve(sample({ messages: [], maxTokens: 10 })),
);
