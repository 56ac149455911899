/** The ledger: a list in Redis. Every run of a body appends an entry, and nothing removes one. */
import type { RedisClientType } from 'redis';

/** One run of a body. */
export interface Entry {
  /** The id of the call. */
  readonly call: string;
  readonly order: string;
  readonly cents: number;
  /** The id of the process that ran it. */
  readonly process: number;
}

/** The part of a node-redis client that the ledger uses. */
export type LedgerClient = Pick<RedisClientType, 'sendCommand'>;

const KEY = 'soak:ledger';

export async function book(client: LedgerClient, entry: Entry): Promise<void> {
  await client.sendCommand(['RPUSH', KEY, JSON.stringify(entry)]);
}

/** Returns the entries from a position on. */
export async function entriesFrom(client: LedgerClient, position: number): Promise<Entry[]> {
  const lines = await client.sendCommand(['LRANGE', KEY, String(position), '-1']);
  return (lines as unknown as string[]).map((line) => JSON.parse(line) as Entry);
}
