/** A transfer as its client makes it by hand: begun, and then answered as often as one likes. */
import { randomUUID } from 'node:crypto';
import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { accept, decline, type OpenCall, resumeCall, startCall } from 'mcp-resolve/client';
import * as z from 'zod';

import type { Connection } from '../support/connect.js';
import { Order } from './bank.js';

/** A transfer that waits for a yes or a no. */
export interface OpenTransfer {
  /** Its own, so that the bank's orders are found by it. */
  reference: string;
  /** What it will cost, as the question says, in cents. */
  price: number;
  yes: () => Promise<CallToolResult>;
  no: () => Promise<CallToolResult>;
  /** The call as text, for a client that goes on with it later. */
  saved: string;
}

/** What a person says who agrees. */
export const agreed = accept({ confirm: true });

export const transferTo = (recipient: string) => ({
  recipient,
  usd: 250,
  reference: randomUUID(),
});

/** Begins a transfer: up to the question, which nobody is asked yet. */
export async function begin(client: Client, recipient: string): Promise<OpenTransfer> {
  const target = { name: 'wire_transfer', arguments: transferTo(recipient) };
  const call = await startCall(client, target);
  if (call.done) throw new Error('there was no question');
  return openTransfer(call, target.arguments.reference);
}

/** Takes up a transfer that another client has begun. */
export function takeUp(client: Client, { saved, reference }: OpenTransfer): OpenTransfer {
  return openTransfer(resumeCall<'tools/call'>(client, saved), reference);
}

function openTransfer(call: OpenCall<'tools/call'>, reference: string): OpenTransfer {
  const { approval } = call.questions;
  if (approval?.method !== 'elicitation/create') throw new Error('there was no question');
  const answer = async (approval: ReturnType<typeof decline>): Promise<CallToolResult> => {
    const next = await call.answer({ approval });
    if (!next.done) throw new Error('there was another question');
    return next.result;
  };
  return {
    reference,
    price: priceIn(approval.params.message),
    yes: () => answer(agreed),
    no: () => answer(decline()),
    saved: JSON.stringify(call),
  };
}

/** The price in a question, in cents. */
export function priceIn(message: string): number {
  return Math.round(Number(/charged ([\d.]+) EUR/.exec(message)?.[1]) * 100);
}

/** The price on a receipt, in cents. */
export function chargedOn({ structuredContent }: CallToolResult): number {
  return z.object({ charged_cents: z.int() }).parse(structuredContent).charged_cents;
}

/** What the bank has booked under a reference. */
export async function ordersOf(
  { call }: Pick<Connection, 'call'>,
  { reference }: { reference: string },
): Promise<z.infer<typeof Order>[]> {
  const { structured } = await call('list_transfers', { reference });
  return z.object({ orders: z.array(Order) }).parse(structured).orders;
}
