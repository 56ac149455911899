/** Makes a transfer by hand, so that its answer can be sent several times. */
import { randomUUID } from 'node:crypto';
import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { accept, decline, type OpenCall, resumeCall, startCall } from 'mcp-resolve/client';
import * as z from 'zod';

import type { Connection } from '../support/connect.js';
import { Order } from './bank.js';

/** A transfer that waits for an answer. */
export interface OpenTransfer {
  /** A unique reference, to find the bank's orders. */
  reference: string;
  /** The price in the question, in cents. */
  price: number;
  approve: () => Promise<CallToolResult>;
  decline: () => Promise<CallToolResult>;
  /** The saved call, for another client. */
  saved: string;
}

/** The approval. */
export const approval = accept({ confirm: true });

export const transferTo = (recipient: string) => ({
  recipient,
  usd: 250,
  reference: randomUUID(),
});

/** Starts a transfer, and stops at the question. */
export async function begin(client: Client, recipient: string): Promise<OpenTransfer> {
  const target = { name: 'wire_transfer', arguments: transferTo(recipient) };
  const call = await startCall(client, target);
  if (call.done) throw new Error('the server did not ask');
  return openTransfer(call, target.arguments.reference);
}

/** Resumes a transfer that another client has started. */
export function resume(client: Client, { saved, reference }: OpenTransfer): OpenTransfer {
  return openTransfer(resumeCall<'tools/call'>(client, saved), reference);
}

function openTransfer(call: OpenCall<'tools/call'>, reference: string): OpenTransfer {
  const question = call.questions.approval;
  if (question?.method !== 'elicitation/create') throw new Error('the server did not ask');
  const answer = async (given: ReturnType<typeof decline>): Promise<CallToolResult> => {
    const next = await call.answer({ approval: given });
    if (!next.done) throw new Error('the server asked again');
    return next.result;
  };
  return {
    reference,
    price: priceIn(question.params.message),
    approve: () => answer(approval),
    decline: () => answer(decline()),
    saved: JSON.stringify(call),
  };
}

/** Returns the price in a question, in cents. */
export function priceIn(message: string): number {
  return Math.round(Number(/You pay ([\d.]+) EUR/.exec(message)?.[1]) * 100);
}

/** Returns the price on a receipt, in cents. */
export function chargedOn({ structuredContent }: CallToolResult): number {
  return z.object({ charged_cents: z.int() }).parse(structuredContent).charged_cents;
}

/** Returns the bank's orders with a reference. */
export async function ordersOf(
  { call }: Pick<Connection, 'call'>,
  { reference }: { reference: string },
): Promise<z.infer<typeof Order>[]> {
  const { structured } = await call('list_transfers', { reference });
  return z.object({ orders: z.array(Order) }).parse(structured).orders;
}
