/**
 * The bodies that began and the present prices, in a Redis that is never killed. Nothing removes a
 * body.
 */
import type { LedgerClient } from '../once/ledger.js';

/** A body that began. */
export interface Begin {
  /** The id of the approval. */
  readonly approval: string;
  readonly approvedBy: readonly string[];
  readonly call: string;
  readonly order: string;
  readonly cents: number;
  /** The time by the clock of the machine, which no jump changes. */
  readonly at: number;
}

const BEGINS = 'soak:approved';

export async function noteBegin(client: LedgerClient, begin: Begin): Promise<void> {
  await client.sendCommand(['RPUSH', BEGINS, JSON.stringify(begin)]);
}

export async function allBegins(client: LedgerClient): Promise<Begin[]> {
  const lines = await client.sendCommand(['LRANGE', BEGINS, '0', '-1']);
  return (lines as unknown as string[]).map((line) => JSON.parse(line) as Begin);
}

export async function setPrice(client: LedgerClient, order: string, cents: number): Promise<void> {
  await client.sendCommand(['SET', `soak:price:${order}`, String(cents)]);
}

export async function priceOf(client: LedgerClient, order: string): Promise<number> {
  const cents: unknown = await client.sendCommand(['GET', `soak:price:${order}`]);
  return Number(cents ?? 100);
}
