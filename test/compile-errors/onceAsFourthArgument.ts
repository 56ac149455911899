// A tool has a name, a configuration and a body. Write defineTool(name, { inputSchema, once }, body).
import { argsOf, defineTool, resolver } from 'mcp-resolve';
import * as z from 'zod';
import { memoryStore } from '../../src/store.js';

const Input = z.object({ order_id: z.string() });
const cents = resolver({ id: argsOf(Input).order_id }, ({ id }) => id.length);

export const refund = defineTool(
  'refund',
  { inputSchema: Input, resolve: { cents } },
  ({ order_id, cents }) => `Refunded ${cents} for ${order_id}.`,
  // Mistake:
  { once: memoryStore() },
);
