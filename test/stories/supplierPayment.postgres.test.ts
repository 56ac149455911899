/** Tests the supplier payment with Postgres. */
import { afterAll, beforeAll } from 'vitest';

import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { describeStoryOn } from './supplierPayment.js';

let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres();
  const { PGHOST, PGPORT, PGUSER, PGDATABASE } = postgres.env;
  // The programs inherit the environment of this process.
  process.env.DATABASE_URL = `postgres://${PGUSER}@${encodeURIComponent(PGHOST)}:${PGPORT}/${PGDATABASE}`;
}, 60_000);

afterAll(async () => {
  delete process.env.DATABASE_URL;
  await postgres.stop();
});

describeStoryOn('Postgres');
