// A need is an argument (args.name of argsOf(schema)), a resolver or outcome(resolver). Wrap a function in resolver({}, () => …).
import { resolver } from 'mcp-resolve';

export const cents = resolver(
  // Mistake:
  { order: () => 5 },
  // Follows:
  ({ order }) => order,
);
