/**
 * Wires dollars abroad. The model names the recipient and the amount. The server quotes the price
 * in euros, the user approves it, and the server charges that price once.
 *
 * One process needs no configuration. Several processes share MCP_RESOLVE_KEYS and REDIS_URL.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, install, resolver } from 'mcp-resolve';
import * as z from 'zod';

import { serveWhenRun } from '../support/serve.js';
import { execute, Order, ordersWith } from './bank.js';
import { Quote, quoteFor, shown } from './market.js';
import { openStore } from './store.js';

const TransferInput = z.object({
  recipient: z.string(),
  usd: z.number().positive(),
  reference: z.string(),
});
const Receipt = z.object({ order: z.string(), charged_cents: z.int() });
const args = argsOf(TransferInput);

// Pinned: later rounds use the quote that the user saw.
const quote = resolver({ usd: args.usd }, ({ usd }) => quoteFor(usd), { pin: Quote });

const approval = resolver(
  { usd: args.usd, recipient: args.recipient, quote },
  ({ usd, recipient, quote: { charged_cents, fee_cents, rate } }) =>
    confirm(
      `Wire ${usd} USD to ${recipient}? You pay ${shown(charged_cents)} EUR (${rate} EUR per dollar, plus a fee of ${shown(fee_cents)} EUR).`,
    ),
  { asks: 'form' },
);

const wireTransfer = defineTool(
  'wire_transfer',
  {
    description: 'Wire dollars to a recipient. The user approves the price in euros first.',
    inputSchema: TransferInput,
    outputSchema: Receipt,
    resolve: { quote, approval },
    once: { store: await openStore(), waitMs: 5000 },
  },
  async ({ reference, recipient, usd, quote: { charged_cents } }, { callId }) => {
    const transfer = { reference, recipient, usd, charged_cents };
    const sender = { idempotency_key: callId, process: process.pid };
    return { order: await execute({ ...transfer, ...sender }), charged_cents };
  },
);

const listTransfers = defineTool(
  'list_transfers',
  {
    description: 'List the booked orders with a reference.',
    inputSchema: TransferInput.pick({ reference: true }),
    outputSchema: z.object({ orders: z.array(Order) }),
  },
  async ({ reference }) => ({ orders: await ordersWith(reference) }),
);

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'wire-transfer', version: '1.0.0' });
  install(server, [wireTransfer, listTransfers]);
  return server;
}

await serveWhenRun(import.meta.url, buildServer);
