/** Reads what a call waits for, and what the bank has received. */
import type { Client } from '@modelcontextprotocol/client';
import * as z from 'zod';

import type { Connection } from '../support/connect.js';
import { Payment } from './records.js';

/** The end of the text that the model reads while a call waits. */
export const AGAIN =
  'Make the same call again later, with the same arguments. Do not try to reach the same goal in another way.';

const Approvals = z.object({
  state: z.string(),
  requests: z.array(z.object({ id: z.string(), given: z.number(), quorum: z.number() })),
});

/** Calls the tool, and returns what the call says to programs. */
export async function approvalsIn(
  client: Client,
  args: { invoice: string; note: string },
): Promise<z.infer<typeof Approvals>> {
  const { _meta } = await client.callTool({ name: 'pay_supplier', arguments: args });
  return Approvals.parse(_meta?.['mcp-resolve/approvals']);
}

/** Returns the payments with a note. */
export async function paymentsWith(
  { call }: Pick<Connection, 'call'>,
  note: string,
): Promise<z.infer<typeof Payment>[]> {
  const { structured } = await call('list_payments', { note });
  return z.object({ payments: z.array(Payment) }).parse(structured).payments;
}
