/**
 * The store on Postgres, with a real server: the contract of stores and the model through every
 * kind of client, isolation level and pooler, expiry, sweeping, and a server that goes down.
 */
import { PGlite } from '@electric-sql/pglite';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { postgresStore, postgresTableSql } from 'mcp-resolve/store';
import type { PostgresClient, PostgresQuery, RecordStore } from 'mcp-resolve/store';
import { storeContract } from 'mcp-resolve/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { type Pooler, startPooler } from '../support/pgbouncer.js';
import { connectionTo, type PostgresServer, startPostgres } from '../support/postgres.js';
import { runOnModel, storeCommandsInRealTime } from './storeModel.js';

const LEVELS = ['read committed', 'repeatable read', 'serializable'] as const;

let postgres: PostgresServer;
let pooler: Pooler;
/** A pool for the tests themselves. */
let pool: pg.Pool;

beforeAll(async () => {
  postgres = await startPostgres();
  pooler = await startPooler(postgres);
  pool = poolOn(postgres);
  await pool.query(postgresTableSql());
}, 60_000);

afterAll(async () => {
  await pool.end();
  await pooler.stop();
  await postgres.stop();
});

/** The functions that close what a test opened. */
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Creates a pool. An isolation level becomes the default of its connections. */
function poolOn({ env }: Pooler, level?: (typeof LEVELS)[number]): pg.Pool {
  const escaped = level?.replace(' ', '\\ ');
  const options = level && { options: `-c default_transaction_isolation=${escaped}` };
  const made = new pg.Pool({ ...connectionTo(env), ...options });
  made.on('error', () => undefined);
  return made;
}

function ownPool(level?: (typeof LEVELS)[number]): pg.Pool {
  const made = poolOn(postgres, level);
  open.push(() => made.end());
  return made;
}

const MINUTE = 60_000;

interface Write {
  readonly was?: string;
  readonly ttlMs?: number;
}

const put = (
  store: RecordStore,
  key: string,
  value = 'value',
  { was, ttlMs = MINUTE }: Write = {},
) => store.put(key, value, { was, ttlMs });

/** Creates a table of its own and returns the store on it. */
async function ownTable(table: string): Promise<RecordStore> {
  await pool.query(postgresTableSql({ table }));
  return postgresStore(pool, { table });
}

/** A client, and the function that closes it. */
type Connected = [client: PostgresClient | PostgresQuery, close: () => unknown];

describe('the store on Postgres follows the contract with', () => {
  const CLIENTS: Readonly<Record<string, () => Promise<Connected>>> = {
    ...Object.fromEntries(
      LEVELS.map((level) => [
        `a pool of pg under ${level}`,
        async (): Promise<Connected> => {
          const made = poolOn(postgres, level);
          expect((await made.query('SHOW transaction_isolation')).rows).toEqual([
            { transaction_isolation: level },
          ]);
          return [made, () => made.end()];
        },
      ]),
    ),
    'one client of pg': async () => {
      const client = new pg.Client(connectionTo(postgres.env));
      await client.connect();
      return [client, () => client.end()];
    },
    'PgBouncer, which pools transactions': async () => {
      const made = poolOn(pooler);
      return [made, () => made.end()];
    },
    PGlite: async () => {
      const database = await PGlite.create();
      await database.exec(postgresTableSql());
      return [database, () => database.close()];
    },
    'a function that returns rows': async () => {
      const made = poolOn(postgres);
      const query: PostgresQuery = async (sql, values) =>
        (await made.query<object>(sql, values)).rows;
      return [query, () => made.end()];
    },
    'a function that has a query method, as that of Neon': async () => {
      const made = poolOn(postgres);
      const sql = () => Promise.reject(new Error('the template function was called'));
      const query: PostgresQuery = async (text, values) =>
        (await made.query<object>(text, values)).rows;
      return [Object.assign(sql, { query }), () => made.end()];
    },
  };

  for (const [name, connect] of Object.entries(CLIENTS)) {
    describe.concurrent(name, () => {
      let store: RecordStore;
      let close: () => unknown;

      beforeAll(async () => {
        let client: PostgresClient | PostgresQuery;
        [client, close] = await connect();
        store = postgresStore(client);
      });

      afterAll(async () => {
        await close();
      });

      for (const check of storeContract(() => store)) test(check.name, check.run);
    });
  }
});

describe('the store on Postgres behaves like the model', () => {
  test.each(LEVELS)(
    'under %s',
    async (level) => {
      const table = `model_${level.replace(' ', '_')}`;
      await ownTable(table);
      const store = postgresStore(ownPool(level), { table });
      await fc.assert(
        fc.asyncProperty(storeCommandsInRealTime, async (commands) => {
          await pool.query(`DELETE FROM ${table}`);
          await runOnModel(commands, { store, wait: () => undefined });
        }),
        { seed: 20_260_728, numRuns: 100 },
      );
    },
    60_000,
  );
});

describe('a pooler that hands every statement to another connection', () => {
  test('changes nothing, because no statement needs a session', async () => {
    const made = poolOn(pooler);
    open.push(() => made.end());
    const used = new Set<unknown>();
    const store = postgresStore(async (sql, values) => {
      const backend = await made.query<object>('SELECT pg_backend_pid()');
      used.add(JSON.stringify(backend.rows));
      return made.query(sql, values);
    });
    for (let call = 0; call < 20; call += 1) {
      expect(await put(store, `pooled ${call}`, 'one')).toBe(true);
      expect(await put(store, `pooled ${call}`, 'two', { was: 'one' })).toBe(true);
      expect(await put(store, `pooled ${call}`, 'three', { was: 'one' })).toBe(false);
      expect(await store.get(`pooled ${call}`)).toBe('two');
    }
    const writers = Array.from({ length: 12 }, (_, value) => put(store, 'pooled race', `${value}`));
    expect((await Promise.all(writers)).filter(Boolean)).toHaveLength(1);
    expect(used.size).toBeGreaterThan(1);
  });
});

describe('a step is one statement', () => {
  test('of which only a new record sweeps', async () => {
    const sent: string[] = [];
    const store = postgresStore((sql, values) => {
      sent.push(sql);
      return pool.query(sql, values);
    });
    await store.get('counted');
    await put(store, 'counted');
    await put(store, 'counted', 'next', { was: 'value' });
    await put(store, 'counted', 'other', { was: 'value' });
    expect(sent.map((sql) => sql.split(' ')[0])).toEqual(['SELECT', 'WITH', 'UPDATE', 'UPDATE']);
  });

  test('that waits for another writer, and compares with what that one wrote', async () => {
    const store = postgresStore(ownPool());
    await put(store, 'locked', 'one');
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query("UPDATE mcp_resolve_records SET value = 'two' WHERE key = 'locked'");
      const late = put(store, 'locked', 'three', { was: 'one' });
      await waitingFor(other);
      await other.query('COMMIT');
      expect(await late).toBe(false);
      expect(await store.get('locked')).toBe('two');
    } finally {
      other.release();
    }
  });

  test.each(['repeatable read', 'serializable'] as const)(
    'that is repeated if another writer overtook it (%s)',
    async (level) => {
      const codes: unknown[] = [];
      const made = ownPool(level);
      const store = postgresStore((sql, values) =>
        made.query(sql, values).catch((error: unknown) => {
          codes.push(Reflect.get(error as object, 'code'));
          throw error;
        }),
      );
      const key = `overtaken ${level}`;
      await put(store, key, 'one');
      const other = await pool.connect();
      try {
        await other.query('BEGIN');
        await other.query("UPDATE mcp_resolve_records SET value = 'two' WHERE key = $1", [key]);
        const late = put(store, key, 'three', { was: 'one' });
        await waitingFor(other);
        await other.query('COMMIT');
        expect(await late).toBe(false);
        expect(codes).toEqual(['40001']);
      } finally {
        other.release();
      }
    },
  );

  test('that fails in the end if it is always overtaken', async () => {
    let sent = 0;
    const overtaken = Object.assign(new Error('could not serialize access'), { code: '40001' });
    const store = postgresStore(() => {
      sent += 1;
      return Promise.reject(overtaken);
    });
    await expect(put(store, 'key')).rejects.toBe(overtaken);
    expect(sent).toBe(10);
  });

  /** Waits until a statement waits for a lock of this connection. */
  async function waitingFor(holder: pg.PoolClient): Promise<void> {
    const [{ pid }] = (await holder.query('SELECT pg_backend_pid() AS pid')).rows as [
      { pid: number },
    ];
    const waiting = () =>
      pool.query('SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))', [pid]);
    await expect.poll(async () => (await waiting()).rowCount, { timeout: 10_000 }).toBe(1);
  }
});

describe('records expire', () => {
  test('by the clock of the database', async () => {
    const store = await ownTable('by_clock');
    await put(store, 'key', 'value', { ttlMs: 1_000_000 });
    const left = await pool.query(
      `SELECT expires_at - clock_timestamp() BETWEEN interval '900 s' AND interval '1000 s' AS fits FROM by_clock`,
    );
    expect(left.rows).toEqual([{ fits: true }]);
    await pool.query("UPDATE by_clock SET expires_at = clock_timestamp() - interval '1 ms'");
    expect(await store.get('key')).toBeUndefined();
    expect(await put(store, 'key', 'next', { was: 'value' })).toBe(false);
    expect(await put(store, 'key', 'next')).toBe(true);
    expect(await store.get('key')).toBe('next');
  });

  test('and a new record removes up to ten that have expired', async () => {
    const store = await ownTable('swept');
    await pool.query(
      "INSERT INTO swept SELECT 'old ' || n, 'value', clock_timestamp() - n * interval '1 s' FROM generate_series(1, 25) n",
    );
    await put(store, 'lives');
    const left = async () =>
      (await pool.query("SELECT 1 FROM swept WHERE key LIKE 'old %'")).rowCount;
    expect(await left()).toBe(15);
    // The oldest go first.
    expect((await pool.query("SELECT 1 FROM swept WHERE key = 'old 25'")).rowCount).toBe(0);
    await put(store, 'lives', 'next', { was: 'value' });
    expect(await left()).toBe(15);
    // An expired record can be replaced by the put that would sweep it.
    expect(await put(store, 'old 15')).toBe(true);
    expect(await store.get('old 15')).toBe('value');
    await put(store, 'one more');
    expect(await left()).toBe(1);
    expect(await store.get('lives')).toBe('next');
  });

  test('without waiting for a row that another connection has locked', async () => {
    const store = await ownTable('locked_rows');
    await put(store, 'old', 'value', { ttlMs: 0 });
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT 1 FROM locked_rows FOR UPDATE');
      expect(await put(store, 'new')).toBe(true);
      await other.query('COMMIT');
    } finally {
      other.release();
    }
  });

  test.each([Infinity, Number.NaN])('but not after %d ms, which is refused', async (ttlMs) => {
    await expect(put(postgresStore(pool), 'endless', 'value', { ttlMs })).rejects.toThrow(
      'interval out of range',
    );
  });
});

describe('the table', () => {
  test('can be in a schema, and be created again', async () => {
    await pool.query('CREATE SCHEMA bank');
    const options = { table: 'bank.order' };
    await pool.query(postgresTableSql(options));
    await pool.query(postgresTableSql(options));
    const store = postgresStore(pool, options);
    expect(await put(store, 'key')).toBe(true);
    expect((await pool.query('SELECT key, value FROM bank."order"')).rows).toEqual([
      { key: 'key', value: 'value' },
    ]);
    expect(await postgresStore(pool).get('key')).toBeUndefined();
  });

  test('has an index that a sweep uses', async () => {
    const store = await ownTable('indexed');
    await pool.query(
      "INSERT INTO indexed SELECT 'k' || n, 'v', clock_timestamp() + interval '1 h' FROM generate_series(1, 5000) n",
    );
    await pool.query('ANALYZE indexed');
    const plans: string[] = [];
    const explained = postgresStore(
      async (sql, values) => {
        plans.push(JSON.stringify((await pool.query<object>(`EXPLAIN ${sql}`, values)).rows));
        return [];
      },
      { table: 'indexed' },
    );
    await put(explained, 'key');
    await put(explained, 'key', 'value', { was: 'x' });
    await explained.get('key');
    expect(plans[0]).toContain('using indexed_expires_at');
    expect(plans.join()).not.toContain('Seq Scan');
    expect(await store.get('key')).toBeUndefined();
  });

  test('that is missing is an error with the command that prints its SQL', async () => {
    for (const [options, sentence] of [
      [
        { table: 'missing' },
        "'missing' in Postgres. Create it with the SQL that this command prints: npx mcp-resolve sql missing",
      ],
      [
        { table: 'no.where' },
        "'no.where' in Postgres. Create it with the SQL that this command prints: npx mcp-resolve sql no.where",
      ],
    ] as const) {
      const store = postgresStore(pool, options);
      const refused = new Error(`There is no table ${sentence}`);
      await expect(store.get('key')).rejects.toThrow(refused);
      await expect(put(store, 'key')).rejects.toThrow(refused);
      await expect(put(store, 'key', 'next', { was: 'value' })).rejects.toMatchObject({
        cause: { code: '42P01' },
      });
    }
  });

  test('without a primary key fails every new record', async () => {
    await pool.query('CREATE TABLE keyless (key text, value text, expires_at timestamptz)');
    const store = postgresStore(pool, { table: 'keyless' });
    await expect(put(store, 'key')).rejects.toMatchObject({ code: '42P10' });
  });
});

describe('a Postgres that goes down', () => {
  test('fails every step, and has its records when it is back', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcp-resolve-pg-'));
    open.push(() => rm(folder, { recursive: true, force: true }));
    const server = await startPostgres({ folder });
    const made = poolOn(server);
    open.push(() => made.end());
    await made.query(postgresTableSql());
    const store = postgresStore(made);
    await put(store, 'call');
    await server.kill();
    await expect(store.get('call')).rejects.toThrow(Error);
    await expect(put(store, 'call')).rejects.toThrow(Error);
    const again = await startPostgres({ folder });
    open.push(again.stop);
    await expect
      .poll(() => store.get('call').catch(() => 'away'), { timeout: 10_000 })
      .toBe('value');
  }, 60_000);
});
