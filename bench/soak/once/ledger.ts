/** The ledger: a list in Redis, to which every run of a body adds a line. Nothing is ever removed. */
import type { RedisClientType } from 'redis';

/** One run of a body. */
export interface Entry {
  /** The id of the call. */
  readonly call: string;
  readonly order: string;
  readonly cents: number;
  /** The process in which it ran. */
  readonly process: number;
}

/** What the ledger needs of a client of node-redis. */
export type LedgerClient = Pick<RedisClientType, 'sendCommand'>;

const KEY = 'soak:ledger';

export async function book(client: LedgerClient, entry: Entry): Promise<void> {
  await client.sendCommand(['RPUSH', KEY, JSON.stringify(entry)]);
}

/** The entries from a position on. */
export async function entriesFrom(client: LedgerClient, position: number): Promise<Entry[]> {
  const lines = await client.sendCommand(['LRANGE', KEY, String(position), '-1']);
  return (lines as unknown as string[]).map((line) => JSON.parse(line) as Entry);
}
