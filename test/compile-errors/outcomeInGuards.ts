// Type 'OutcomeOf<true, never>' is missing the following properties from type 'Resolver<unknown, Reqs>'
import { confirm, defineTool, outcome, resolver } from 'mcp-resolve';

const sure = resolver({}, () => confirm('Sure?'), { asks: 'form' });

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    guards: [outcome(sure)],
  },
  () => 'refunded',
);
