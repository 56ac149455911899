/**
 * A bank that executes transfers. A real bank books each idempotency key once. This one books every
 * order, so that a second order would be visible.
 *
 * It keeps its orders in memory, or in the file BANK_BOOK, which survives a restart.
 */
import { randomUUID } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';

/** A booked order. */
export const Order = z.object({
  number: z.string().describe('The number that the bank assigns'),
  reference: z.string(),
  recipient: z.string(),
  usd: z.number(),
  charged_cents: z.int(),
  idempotency_key: z.string(),
  process: z.int().describe('The process that sent it'),
});

const { BANK_BOOK: file } = process.env;
const lines: string[] = [];

/** A recipient whose transfers take an hour, so that a process can crash meanwhile. */
export const FAR_AWAY = 'Moon Base';

/** Books an order, waits until the money has arrived, and returns the order's number. */
export async function execute(order: Omit<z.infer<typeof Order>, 'number'>): Promise<string> {
  const number = randomUUID();
  const line = JSON.stringify({ ...order, number });
  if (file === undefined) lines.push(line);
  else await appendFile(file, `${line}\n`);
  await delay(order.recipient === FAR_AWAY ? 60 * 60_000 : 30, undefined, { ref: false });
  return number;
}

/** Returns the orders with a reference, oldest first. */
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
