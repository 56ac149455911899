// 'cents' needs the argument 'order_id', which `inputSchema` does not have.
import { arg, defineTool, resolver } from 'mcp-resolve';

const cents = resolver({ order_id: arg<string>() }, ({ order_id }) => order_id.length);

export const refund = defineTool(
  'refund',
  {
    // Mistake:
    resolve: { cents },
  },
  (values) => `${values.cents}`,
);
