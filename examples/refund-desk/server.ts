/**
 * A refund desk. The model names an order and a reason. The amount comes from the order record, and
 * the user decides the rest. Set NODE_DEBUG=refund-desk to log every function that runs.
 */
import { debuglog } from 'node:util';
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, defineTool, elicit, install, memoryStore, outcome, resolver } from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../support/serve.js';
import { findOrder, linesOf, skus } from './orders.js';

const log = debuglog('refund-desk');

const RefundInput = z.object({ order_id: z.string(), reason: z.string() });
const Receipt = z.object({
  order_id: z.string(),
  refunded_cents: z.int(),
  restocked: z.boolean(),
  reason: z.string(),
});
const Scope = z.object({ full: z.boolean(), sku: z.string().default('') });
const Restock = z.object({ restock: z.boolean() });
const args = argsOf(RefundInput);

const loadOrder = resolver({ id: args.order_id }, ({ id }) => {
  log('load_order');
  return findOrder(id);
});

const refundScope = resolver(
  { id: args.order_id, order: loadOrder },
  ({ id, order }) => {
    log('refund_scope');
    if (order.lines.length === 1) return { full: true, sku: '' };
    const items = skus(order.lines);
    return elicit(`${id} has several items (${items}). Refund the whole order, or one SKU?`, Scope);
  },
  { asks: Scope },
);

const refundAmount = resolver({ order: loadOrder, scope: refundScope }, ({ order, scope }) => {
  log('refund_amount');
  return linesOf(order, scope).reduce((cents, line) => cents + line.cents, 0);
});

const askRestock = resolver(
  { order: loadOrder, scope: refundScope },
  ({ order, scope }) => {
    log('ask_restock');
    const physical = linesOf(order, scope).filter((line) => line.physical);
    if (physical.length === 0) return { restock: false };
    const items = skus(physical);
    return elicit(`The refund includes physical items (${items}). Return them to stock?`, Restock);
  },
  { asks: Restock },
);

const refundOrder = defineTool(
  'refund_order',
  {
    description: 'Refund an order. The amount comes from the order record, not from the caller.',
    inputSchema: RefundInput,
    outputSchema: Receipt,
    resolve: { cents: refundAmount, restock: outcome(askRestock) },
    // For one process. ../wire-transfer has a store for several.
    once: memoryStore(),
  },
  ({ order_id, reason, cents, restock }) => {
    log('refund_order');
    const restocked = restock.action === 'accept' && restock.data.restock;
    return { order_id, refunded_cents: cents, restocked, reason };
  },
);

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'refund-desk', version: '1.0.0' });
  install(server, [refundOrder]);
  return server;
}

await serveWhenRun(import.meta.url, buildServer);
