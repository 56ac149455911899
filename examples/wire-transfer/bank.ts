/**
 * The bank that executes transfers. A real one books an idempotency key once; this one books
 * whatever it is sent, so that a second order would be seen.
 *
 * Its book is in memory, or in the file that BANK_BOOK names, which outlives the process.
 */
import { randomUUID } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';

/** An order as the bank has booked it. */
export const Order = z.object({
  number: z.string().describe('The bank gives every order its own'),
  reference: z.string(),
  recipient: z.string(),
  usd: z.number(),
  charged_cents: z.int(),
  idempotency_key: z.string(),
  process: z.int().describe('Who sent it'),
});

const { BANK_BOOK: file } = process.env;
const lines: string[] = [];

/** Where money takes an hour to go: time enough to pull the plug in the middle. */
export const FAR_AWAY = 'Moon Base';

/** Books an order, waits until the recipient has the money, and gives the order's number. */
export async function execute(order: Omit<z.infer<typeof Order>, 'number'>): Promise<string> {
  const number = randomUUID();
  const line = JSON.stringify({ ...order, number });
  if (file === undefined) lines.push(line);
  else await appendFile(file, `${line}\n`);
  await delay(order.recipient === FAR_AWAY ? 60 * 60_000 : 30, undefined, { ref: false });
  return number;
}

/** The orders with a reference, the first one first. */
export async function ordersWith(reference: string): Promise<z.infer<typeof Order>[]> {
  return (await bookedLines())
    .map((line) => Order.parse(JSON.parse(line)))
    .filter((order) => order.reference === reference);
}

async function bookedLines(): Promise<string[]> {
  if (file === undefined) return lines;
  const book = await readFile(file, { encoding: 'utf8', flag: 'a+' });
  return book.split('\n').slice(0, -1);
}
