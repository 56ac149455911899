/**
 * The service: a tool that pays an order after a group has approved the price, and a second one
 * that pins it. The price may change while the call waits. A body may fail, or kill its process.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { argsOf, defineTool, install, resolver, ToolError } from 'mcp-resolve';
import type { RequestStateSeal } from 'mcp-resolve';
import { approval } from 'mcp-resolve/approvals';
import type { ApprovalDesk, Approved } from 'mcp-resolve/approvals';
import type { RecordStore } from 'mcp-resolve/store';
import * as z from 'zod';

import type { Begin } from './ledger.js';

/** The options of a server process. */
export interface ServiceOptions {
  readonly seal: RequestStateSeal;
  readonly desk: ApprovalDesk;
  readonly store: RecordStore;
  readonly priceOf: (order: string) => Promise<number>;
  readonly noteBegin: (begin: Begin) => Promise<void>;
}

/** The group that decides. */
export const GROUP = 'soak/treasury';

/** Returns the text that approvers see about a payment. */
export const factOf = (order: string, cents: number): string => `${order} for ${cents} cents`;

const PayInput = z.object({
  order: z.string(),
  requester: z.string(),
  quorum: z.int(),
  ending: z.enum(['pays', 'fails', 'kills']),
});
const args = argsOf(PayInput);

/** Creates the server factory of a process. */
export function serviceWith({
  seal,
  desk,
  store,
  priceOf,
  noteBegin,
}: ServiceOptions): () => McpServer {
  const payTool = (name: string, options: object) => {
    const price = resolver({ order: args.order }, ({ order }) => priceOf(order), options);
    const { order, requester, quorum } = args;
    const pair = resolver(
      { order, requester, quorum, price },
      ({ order, requester, quorum, price }) => {
        const facts = { payment: factOf(order, price) };
        return approval('Pay an order', { facts, by: GROUP, requester, quorum });
      },
      { asks: 'approval' },
    );
    return defineTool(
      name,
      { inputSchema: PayInput, resolve: { price, pair }, approvals: desk, once: store },
      async ({ order, price, pair, ending }, { callId }) => {
        await noteBegin(beginOf({ order, cents: price, call: callId }, pair));
        if (ending === 'kills') process.kill(process.pid, 'SIGKILL');
        if (ending === 'fails') throw new ToolError('the bank is closed');
        return `paid under ${pair.id}`;
      },
    );
  };
  const tools = [payTool('pay', {}), payTool('pay_pinned', { pin: z.number() })];
  return () => {
    const server = new McpServer({ name: 'soak-approvals', version: '1.0.0' });
    install(server, tools, { seal, logger: { warn: () => undefined } });
    return server;
  };
}

function beginOf(
  paid: Pick<Begin, 'order' | 'cents' | 'call'>,
  { id: approvalId, approvedBy }: Approved,
): Begin {
  const persons = approvedBy.map(({ who }) => who);
  return { ...paid, approval: approvalId, approvedBy: persons, at: Date.now() };
}
