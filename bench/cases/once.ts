/** Servers of the confirm flow with `once`, on each store over loopback, and without it. */
import { McpServer } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { argsOf, confirm, defineTool, install, requestStateSeal, resolver } from 'mcp-resolve';
import { memoryStore, postgresStore, postgresTableSql, redisStore } from 'mcp-resolve/store';
import type { RecordStore } from 'mcp-resolve/store';
import pg from 'pg';
import { createClient } from 'redis';
import * as z from 'zod';

import { connectionTo, startPostgres } from '../../test/support/postgres.js';
import { startRedis } from '../../test/support/redis.js';

const seal = requestStateSeal({
  keys: ['a key of at least 32 bytes, for benchmarks only'],
  audience: 'bench',
});

const Folder = z.object({ path: z.string() });
const files = resolver({ path: argsOf(Folder).path }, ({ path }) => path.length);
const sure = resolver({ files }, (values) => confirm(`Delete ${values.files} files?`), {
  asks: 'form',
});

/** Serves a tool for the flow of confirm.ts. */
export function confirmingOnce(once?: RecordStore): McpServerFactory {
  const tool = defineTool(
    'delete_folder',
    { inputSchema: Folder, resolve: { files, sure }, ...(once && { once }) },
    (values) => `Deleted ${values.files} files.`,
  );
  return (request) => {
    const server = new McpServer({ name: 'once', version: '1.0.0' });
    install(server, [tool], { seal, request });
    return server;
  };
}

/** A store, and the function that closes its database. */
export interface OpenStore {
  readonly store: RecordStore;
  readonly close: () => Promise<void>;
}

/** Opens each kind of store. */
export const openStores: Readonly<Record<string, () => Promise<OpenStore>>> = {
  memory: () => {
    const limits = { maxEntries: 10_000_000, maxBytes: 2 ** 40, share: 1 };
    const store = memoryStore({ ...limits, singleProcess: true });
    return Promise.resolve({ store, close: () => Promise.resolve() });
  },
  Redis: async () => {
    const server = await startRedis();
    const client = createClient({ url: server.url });
    await client.connect();
    const close = async (): Promise<void> => {
      client.destroy();
      await server.stop();
    };
    return { store: redisStore(client), close };
  },
  Postgres: async () => {
    const server = await startPostgres();
    const pool = new pg.Pool({ ...connectionTo(server.env), max: 10 });
    // The server ends its connections when it stops.
    pool.on('error', () => undefined);
    await pool.query(postgresTableSql());
    const close = async (): Promise<void> => {
      await pool.end();
      await server.stop();
    };
    return { store: postgresStore(pool), close };
  },
};

/** Counts the steps of a store. */
export function countingSteps(store: RecordStore): {
  readonly store: RecordStore;
  readonly steps: () => number;
} {
  let taken = 0;
  const counted = <T>(step: Promise<T>): Promise<T> => {
    taken += 1;
    return step;
  };
  const counting: RecordStore = {
    ...store,
    get: (key) => counted(store.get(key)),
    put: (key, value, how) => counted(store.put(key, value, how)),
  };
  return { store: counting, steps: () => taken };
}
