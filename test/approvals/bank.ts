/** A bank whose payments need a second pair of eyes, and clients of it on both eras. */
import { argsOf, defineTool, requestStateSeal, resolver } from 'mcp-resolve';
import type { AnyResolver, CallEvent, Filler, RequestStateSeal, Tool } from 'mcp-resolve';
import { approval } from 'mcp-resolve/approvals';
import type { ApprovalDesk, ApprovalOptions, ApprovalsMeta } from 'mcp-resolve/approvals';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { RecordStore } from 'mcp-resolve/store';
import type { Era } from 'mcp-resolve/testing';
import * as z from 'zod';

import { connectClient, type PlainClient, type ScriptedUser } from '../support/plainClient.js';
import { errorTextOf } from '../support/results.js';
import { onError, serving, SILENT } from '../support/servers.js';

export const PayInput = z.object({ invoice: z.string(), cents: z.number() });
export const args = argsOf(PayInput);
export const INVOICE = { invoice: 'INV-7', cents: 4900 };

/** The needs of {@link secondPair}. */
interface Payment {
  readonly invoice: string;
  readonly cents: number;
}

/** Creates a resolver that asks the treasury to approve a payment. */
export function secondPair(options: Partial<ApprovalOptions> & { readonly message?: string } = {}) {
  const { message = 'Pay a supplier', ...rest } = options;
  return resolver(
    { invoice: args.invoice, cents: args.cents },
    ({ invoice, cents }: Payment) =>
      approval(message, {
        facts: { invoice, amount: `${cents / 100} EUR` },
        by: 'acme/treasury',
        requester: 'ann',
        ...rest,
      }),
    { asks: 'approval' },
  );
}

/** The parts of a payment that a test changes. */
export interface PayOptions {
  readonly approvals: ApprovalDesk;
  readonly once?: RecordStore;
  /** Further resolvers. Default: only {@link secondPair}. */
  readonly resolve?: Readonly<Record<string, Filler>>;
  readonly guards?: readonly AnyResolver[];
  readonly body?: () => unknown;
}

/** Creates the payment, whose body notes what it gets. */
export function payTool(paid: unknown[], options: PayOptions): Tool {
  const { approvals, once, resolve, guards, body } = options;
  const config: object = {
    inputSchema: PayInput,
    resolve: resolve ?? { secondPair: secondPair() },
    approvals,
    ...(once && { once }),
    ...(guards && { guards }),
  };
  return defineTool('pay', config, (values: object, ctx) => {
    paid.push({ ...values, callId: ctx.callId });
    body?.();
    return 'Paid.';
  });
}

/** A caller of the bank. */
export interface Caller extends ScriptedUser {
  /** The principal. Default: ann. */
  readonly user?: string;
  readonly seal?: RequestStateSeal;
  readonly events?: CallEvent[];
  readonly reported?: unknown[];
}

export function sealOf(user: string | undefined): RequestStateSeal {
  return requestStateSeal.ephemeral({ audience: 'bank', principal: () => user });
}

/** Connects a client of an era to a server with the tool. */
export function clientOf(
  era: Era,
  tool: Tool,
  { user = 'ann', seal = sealOf(user), events, reported, ...scripted }: Caller = {},
): Promise<PlainClient> {
  const onEvent = events && ((event: CallEvent) => void events.push(event));
  const factory = serving([tool], { seal, logger: SILENT, ...(onEvent && { onEvent }) });
  return connectClient(
    era,
    (ctx) => {
      const server = factory(ctx);
      onError(server, (error) => void reported?.push(error));
      return server;
    },
    scripted,
  );
}

/** What a call waits for, or why it was refused. The result must be an error. */
export function waitingOf(result: CallToolResult): ApprovalsMeta & { readonly text: string } {
  const text = errorTextOf(result);
  const meta = result._meta?.['mcp-resolve/approvals'];
  if (meta === undefined) throw new Error(`expected a call that waits: ${text}`);
  return { ...(meta as ApprovalsMeta), text };
}

/** Returns the id of the only request that a call waits for. */
export function idOf(result: CallToolResult): string {
  const { requests } = waitingOf(result);
  if (requests.length !== 1) throw new Error(`expected one request: ${JSON.stringify(requests)}`);
  return requests[0]!.id;
}
