/** Approvals on a real Postgres, which two pools share. */
import { postgresStore, postgresTableSql } from 'mcp-resolve/store';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';

import { connectionTo, type PostgresServer, startPostgres } from '../support/postgres.js';
import { describeApprovalsOn } from './sharedStore.js';

let postgres: PostgresServer;
let pools: pg.Pool[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  pools = [1, 2].map(() => new pg.Pool(connectionTo(postgres.env)));
  // The server ends the connections when it stops.
  for (const pool of pools) pool.on('error', () => undefined);
  await pools[0]!.query(postgresTableSql());
}, 60_000);

afterAll(async () => {
  for (const pool of pools) await pool.end();
  await postgres.stop();
});

describeApprovalsOn('Postgres', () => [postgresStore(pools[0]!), postgresStore(pools[1]!)]);
