/** The records of the accounting department: suppliers, invoices, and the payments of this process. */
import { ToolError } from 'mcp-resolve';
import * as z from 'zod';

/** What has to be paid, to whom, and to which account. */
export const Due = z.object({ supplier: z.string(), iban: z.string(), cents: z.int() });

const ibans = new Map([
  ['Nordwind Paper', 'DE02 1203 0000 0000 2020 51'],
  ['Baltic Steel', 'EE38 2200 2210 2014 5685'],
]);

const invoices = new Map([
  ['INV-17', { supplier: 'Nordwind Paper', cents: 490_000 }],
  ['INV-18', { supplier: 'Baltic Steel', cents: 4_800_000 }],
]);

/** Returns what has to be paid for an invoice. */
export function dueFor(number: string): z.infer<typeof Due> {
  const invoice = invoices.get(number);
  if (invoice === undefined)
    throw new ToolError(
      `there is no invoice '${number}'; there are ${[...invoices.keys()].join(', ')}`,
    );
  const { supplier } = invoice;
  return { ...invoice, iban: ibans.get(supplier) ?? '' };
}

/** Changes the account of a supplier. */
export function changeAccount(supplier: string, iban: string): void {
  if (!ibans.has(supplier)) throw new ToolError(`there is no supplier '${supplier}'`);
  ibans.set(supplier, iban);
}

/** A payment that the bank has received. */
export const Payment = Due.extend({
  invoice: z.string(),
  note: z.string(),
  approved_by: z.array(z.string()),
  idempotency_key: z.string(),
});

const paid: z.infer<typeof Payment>[] = [];

/** Sends a payment to the bank. A real bank books each idempotency key once. */
export function send(payment: z.infer<typeof Payment>): void {
  paid.push(payment);
}

/** Returns the payments with a note. */
export function paymentsWith(note: string): z.infer<typeof Payment>[] {
  return paid.filter((payment) => payment.note === note);
}

export function euros(cents: number): string {
  return `${(cents / 100).toFixed(2)} EUR`;
}
