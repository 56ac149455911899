/** A refund desk: two questions, so three rounds. `bench/languages` has it in Python. */
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { argsOf, defineTool, elicit, install, requestStateSeal, resolver } from 'mcp-resolve';
import * as z from 'zod';

const RefundInput = z.object({ order_id: z.string(), reason: z.string() });
const Receipt = z.object({
  order_id: z.string(),
  refunded_cents: z.int(),
  restocked: z.boolean(),
  reason: z.string(),
});
const Scope = z.object({ full: z.boolean(), sku: z.string().default('') });
const Restock = z.object({ restock: z.boolean() });

const ORDERS = new Map([
  [
    'ORD-7002',
    [
      { sku: 'enamel-mug', cents: 1800, physical: true },
      { sku: 'canvas-tote', cents: 2400, physical: true },
      { sku: 'sticker-pack', cents: 600, physical: false },
    ],
  ],
]);

const args = argsOf(RefundInput);

const order = resolver({ id: args.order_id }, ({ id }) => ORDERS.get(id) ?? []);

const scope = resolver(
  { id: args.order_id, order },
  ({ id, order: lines }) => {
    const skus = lines.map(({ sku }) => sku).join(', ');
    return elicit(`${id} has several items (${skus}). Refund the whole order, or one?`, Scope);
  },
  { asks: Scope },
);

const chosen = resolver({ order, scope }, ({ order: lines, scope: { full, sku } }) =>
  full ? lines : lines.filter((line) => line.sku === sku),
);

const restock = resolver(
  { chosen },
  ({ chosen: lines }) => {
    const physical = lines.filter((line) => line.physical);
    if (physical.length === 0) return { restock: false };
    return elicit(`Return ${physical.map(({ sku }) => sku).join(', ')} to stock?`, Restock);
  },
  { asks: Restock },
);

const cents = resolver({ chosen }, ({ chosen: lines }) =>
  lines.reduce((sum, line) => sum + line.cents, 0),
);

const refund = defineTool(
  'refund_order',
  { inputSchema: RefundInput, outputSchema: Receipt, resolve: { cents, restock } },
  ({ order_id, reason, ...resolved }) => ({
    order_id,
    refunded_cents: resolved.cents,
    restocked: resolved.restock.restock,
    reason,
  }),
);

const seal = requestStateSeal({
  keys: ['a key of at least 32 bytes, for benchmarks only'],
  audience: 'bench',
});

export const refunding: McpServerFactory = (request) => {
  const server = new McpServer({ name: 'refund-desk', version: '1.0.0' });
  install(server, [refund], { seal, request });
  return server;
};
