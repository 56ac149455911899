/**
 * The ledger: two lists in a Redis that is never killed. Every run of a body appends its beginning
 * and its effect, and nothing removes an entry.
 */
import type { RedisClientType } from 'redis';

/** One run of a body. */
export interface Entry {
  /** The id of the call. */
  readonly call: string;
  readonly order: string;
  readonly cents: number;
  /** The id of the process that ran it. */
  readonly process: number;
  /** The id of the run. */
  readonly run: string;
}

/** The beginning of a run. */
export interface Begin {
  readonly order: string;
  readonly run: string;
  /** The time by the clock of the machine, which all processes share. */
  readonly at: number;
}

/** The part of a node-redis client that the ledger uses. */
export type LedgerClient = Pick<RedisClientType, 'sendCommand'>;

const KEY = 'soak:ledger';
const BEGINS = 'soak:begins';

export async function noteBegin(client: LedgerClient, begin: Begin): Promise<void> {
  await client.sendCommand(['RPUSH', BEGINS, JSON.stringify(begin)]);
}

/** Returns the beginnings of all runs. */
export async function allBegins(client: LedgerClient): Promise<Begin[]> {
  const lines = await client.sendCommand(['LRANGE', BEGINS, '0', '-1']);
  return (lines as unknown as string[]).map((line) => JSON.parse(line) as Begin);
}

export async function book(client: LedgerClient, entry: Entry): Promise<void> {
  await client.sendCommand(['RPUSH', KEY, JSON.stringify(entry)]);
}

/** Returns the entries from a position on. */
export async function entriesFrom(client: LedgerClient, position: number): Promise<Entry[]> {
  const lines = await client.sendCommand(['LRANGE', KEY, String(position), '-1']);
  return (lines as unknown as string[]).map((line) => JSON.parse(line) as Entry);
}
