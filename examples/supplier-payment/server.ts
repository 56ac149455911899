/**
 * Pays suppliers. The model names the invoice. The amount and the account come from the records,
 * and somebody of the treasury approves the payment on a page, perhaps days later. Large payments
 * need two persons.
 *
 * One process needs no configuration. Several processes share REDIS_URL or DATABASE_URL.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { McpServer, requireBearerAuth } from '@modelcontextprotocol/server';
import { argsOf, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import { approval, approvalDesk } from 'mcp-resolve/approvals';
import { createDualEraHandler } from 'mcp-resolve/node';
import * as z from 'zod';

import { type Listening, serveWithPages } from '../support/serve.js';
import { userOf, verifyAccessToken } from './people.js';
import { changeAccount, Due, dueFor, euros, Payment, paymentsWith, send } from './records.js';
import { treasurySite } from './site.js';
import { openStore } from './store.js';

const TWO_PERSONS_FROM = 1_000_000;

const store = await openStore();
let origin = '';

const desk = approvalDesk({
  store,
  // A real service posts to a chat or sends a mail.
  notify: ({ message, id }) => console.error(`To the treasury: ${message}, ${pageOf(id)}`),
});

const PayInput = z.object({
  invoice: z.string(),
  note: z.string().max(140).describe('Why this payment, for the approver'),
});
const args = argsOf(PayInput);

const user = resolver({}, (_, ctx) => userOf(ctx));

// Pinned: the payment goes to the account that the approver has seen.
const due = resolver({ invoice: args.invoice }, ({ invoice }) => dueFor(invoice), { pin: Due });

const secondPair = resolver(
  { user, invoice: args.invoice, note: args.note, due },
  ({ user, invoice, note, due: { supplier, iban, cents } }) =>
    approval(`Pay ${euros(cents)} to ${supplier}`, {
      facts: { Invoice: invoice, Account: iban, 'Note of the assistant': note },
      by: 'acme/treasury',
      requester: user,
      quorum: cents < TWO_PERSONS_FROM ? 1 : 2,
    }),
  { asks: 'approval' },
);

const paySupplier = defineTool(
  'pay_supplier',
  {
    description: 'Pay the invoice of a supplier. The treasury approves the payment first.',
    inputSchema: PayInput,
    outputSchema: Payment,
    resolve: { due, secondPair },
    approvals: desk,
    once: store,
  },
  ({ invoice, note, due, secondPair }, { callId }) => {
    const approved_by = secondPair.approvedBy.map(({ who }) => who);
    const payment = { ...due, invoice, note, approved_by, idempotency_key: callId };
    send(payment);
    return payment;
  },
);

const listPayments = defineTool(
  'list_payments',
  {
    description: 'List the payments with a note.',
    inputSchema: PayInput.pick({ note: true }),
    outputSchema: z.object({ payments: z.array(Payment) }),
  },
  ({ note }) => ({ payments: paymentsWith(note) }),
);

const AccountInput = z.object({ supplier: z.string(), iban: z.string() });
const changeAccountTool = defineTool(
  'change_account',
  { description: 'Change the account of a supplier.', inputSchema: AccountInput },
  ({ supplier, iban }) => {
    changeAccount(supplier, iban);
    return `The account of ${supplier} is ${iban} now.`;
  },
);

const whereToApprove = defineTool(
  'where_to_approve',
  { description: 'Return the address of the page of the treasury.' },
  () => pageOf(),
);

function pageOf(id?: string): string {
  return new URL(id === undefined ? '/approvals' : `/approvals/${id}`, origin).href;
}

// No tool asks its caller, so no other process has to open a token of this one.
const seal = requestStateSeal.ephemeral({ audience: 'payments', principal: userOf });

export function buildServer(): McpServer {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  install(server, [paySupplier, listPayments, changeAccountTool, whereToApprove], { seal });
  return server;
}

/** Opens the MCP server at /mcp, behind a bearer check, and the site of the treasury. */
export async function openPayments(port = 0): Promise<Listening> {
  const authenticate = requireBearerAuth({ verifier: { verifyAccessToken } });
  const handler = createDualEraHandler(buildServer, { authenticate });
  const site = treasurySite(desk);
  site.all('/mcp', (c) => handler.fetch(c.req.raw));
  const listener = serve({ fetch: site.fetch, hostname: '127.0.0.1', port }) as Server;
  await once(listener, 'listening');
  origin = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  return {
    url: new URL('/mcp', origin),
    close: async () => {
      await handler.close();
      listener.closeAllConnections();
      listener.close();
    },
  };
}

await serveWithPages(import.meta.url, buildServer, openPayments);
