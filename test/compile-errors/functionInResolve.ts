// A parameter takes a resolver or outcome(resolver). Wrap a function or a question in resolver({}, () => …).
import { defineTool } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    resolve: { cents: () => 500 },
  },
  // Follows:
  ({ cents }) => `${cents}`,
);
