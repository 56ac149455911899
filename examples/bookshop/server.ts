/**
 * A bookshop in three steps: a parameter from the inventory, a parameter that is computed from
 * another one, and a question that the customer sees only if a book is out of stock.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, defineTool, elicit, install, memoryStore, resolver } from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../support/serve.js';

const inventory = new Map([
  ['Dune', 7],
  ['Neuromancer', 0],
]);
let lookups = 0;

const BookInput = z.object({ title: z.string() });
const args = argsOf(BookInput);

// Step 1: a value from the inventory.
const checkStock = resolver({ title: args.title }, ({ title }) => {
  lookups += 1;
  return { title, copies: inventory.get(title) ?? 0 };
});

const reserveBook = defineTool(
  'reserve_book',
  { description: 'Reserve a copy.', inputSchema: BookInput, resolve: { stock: checkStock } },
  ({ title, stock }) =>
    stock.copies === 0
      ? `'${title}' is out of stock.`
      : `Reserved '${title}' (${stock.copies - 1} copies left).`,
);

// Step 2: a resolver that depends on another one.
const estimateDelivery = resolver({ stock: checkStock }, ({ stock }) =>
  stock.copies > 0 ? 'tomorrow' : 'in 2-3 weeks',
);

// Step 3: a resolver that asks if it has to.
const Backorder = z.object({ confirm: z.boolean().describe('Order anyway and wait?') });

const confirmBackorder = resolver(
  { stock: checkStock },
  ({ stock }) =>
    stock.copies > 0
      ? { confirm: true }
      : elicit(`'${stock.title}' is out of stock (2-3 weeks). Order anyway?`, Backorder),
  { asks: Backorder },
);

const orderBook = defineTool(
  'order_book',
  {
    description: 'Order a book.',
    inputSchema: BookInput,
    resolve: { stock: checkStock, delivery: estimateDelivery, backorder: confirmBackorder },
    // A retry of the approved request does not order a second copy.
    once: memoryStore(),
  },
  ({ title, stock, delivery, backorder }) => {
    if (!backorder.confirm) return 'No order placed.';
    if (stock.copies === 0) return `Backordered '${title}'; it ships ${delivery}.`;
    return `Ordered '${title}'; it arrives ${delivery}.`;
  },
);

const countLookups = defineTool(
  'count_lookups',
  { description: 'The number of inventory lookups since the server started.' },
  () => String(lookups),
);

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'bookshop', version: '1.0.0' });
  install(server, [reserveBook, orderBook, countLookups]);
  return server;
}

await serveWhenRun(import.meta.url, buildServer);
