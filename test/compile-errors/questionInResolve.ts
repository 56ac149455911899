// A parameter takes a resolver or outcome(resolver). Wrap a function or a question in resolver({}, () => …).
import { confirm, defineTool } from 'mcp-resolve';

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    resolve: { approved: confirm('Refund?') },
  },
  () => 'refunded',
);
