/**
 * A store on Postgres, for several processes. A record is a row of one table. Each step is one
 * statement, which needs no session, so any connection of a pool or a pooler can run it.
 *
 * Records expire by the clock of the database. A new record removes some expired ones. Under
 * REPEATABLE READ and SERIALIZABLE, Postgres may refuse a statement that another one overtook. It
 * is repeated, which a step allows, and fails if that does not help.
 */
import type { Sentences } from '../author/sentences.js';
import { rejectUnknownOptions } from '../options.js';
import { randomId } from '../platform.js';
import { isObject } from '../values.js';
import { checkedStore } from './recordStore.js';
import type { PutOptions, RecordStore } from './recordStore.js';

/**
 * Runs one statement with its parameters, and returns the rows, or an object with the rows. It must
 * commit before it returns.
 */
export type PostgresQuery = (sql: string, values: PostgresValue[]) => PromiseLike<unknown>;

/** A parameter of a statement. */
export type PostgresValue = string | number;

/** A pool or client of `pg`, a PGlite database, or the `sql` function of Neon. */
export interface PostgresClient {
  query(sql: string, values: PostgresValue[]): PromiseLike<unknown>;
}

/** The options of {@link postgresStore}. */
export interface PostgresStoreOptions {
  /** The table, with its schema if needed. Default: `mcp_resolve_records`. */
  readonly table?: string;
}

/**
 * Creates a store on Postgres, for processes that share it. The table must exist: `npx mcp-resolve
 * sql` prints its SQL. The application owns the client. The store has no limits of its own, and all
 * users share the table.
 *
 * A call whose record is lost can run again. So keep `synchronous_commit` on, use the primary
 * server for reads too, and do not pass a client that is in a transaction.
 *
 * @example
 *
 * ```ts
 * const store = postgresStore(new pg.Pool({ max: 10 }), { table: 'bank.records' });
 * ```
 *
 * @param client A pool or client of `pg`, a PGlite database, the `sql` function of Neon, or a
 *   function that runs one statement.
 * @throws {TypeError} If the client is not supported or an option is invalid.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- its constraint has the sentence
export function postgresStore<C extends PostgresClient | PostgresQuery | Sentences['postgres']>(
  client: C,
  options?: PostgresStoreOptions,
): RecordStore;
export function postgresStore(
  client: PostgresClient | PostgresQuery,
  options: PostgresStoreOptions = {},
): RecordStore {
  const table = tableOf(options, 'postgresStore()');
  return checkedStore(new Postgres(queryOf(client), table));
}

/**
 * Returns the SQL that creates the table of {@link postgresStore}. `npx mcp-resolve sql` prints it.
 *
 * @example
 *
 * ```ts
 * await new pg.Pool().query(postgresTableSql({ table: 'bank.records' }));
 * ```
 *
 * @throws {TypeError} If an option is invalid.
 */
export function postgresTableSql(options: PostgresStoreOptions = {}): string {
  const table = tableOf(options, 'postgresTableSql()');
  const index = quote(`${table.split('.').at(-1) ?? table}_expires_at`);
  return `CREATE TABLE IF NOT EXISTS ${quote(table)} (
  key text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS ${index} ON ${quote(table)} (expires_at);
`;
}

/** A name that Postgres does not shorten, also with the ending of the index. */
const TABLE = /^[a-z_][a-z0-9_]{0,49}(?:\.[a-z_][a-z0-9_]{0,49})?$/;

function tableOf(options: PostgresStoreOptions, caller: string): string {
  rejectUnknownOptions(options, ['table'], caller);
  const { table = 'mcp_resolve_records' } = options;
  if (typeof table === 'string' && TABLE.test(table)) return table;
  throw new TypeError(
    `${caller}: \`table\` must be a name such as 'records' or 'bank.records', of lower-case letters, digits and underscores, and of at most 50 characters each.`,
  );
}

function quote(table: string): string {
  return table
    .split('.')
    .map((name) => `"${name}"`)
    .join('.');
}

/** Returns the function that runs statements. The `sql` function of Neon has a `query` of its own. */
function queryOf(client: PostgresClient | PostgresQuery): PostgresQuery {
  const { query } = Object(client) as Partial<PostgresClient>;
  if (typeof query === 'function') return (sql, values) => query.call(client, sql, values);
  if (typeof client === 'function') return client;
  throw new TypeError(
    'postgresStore(): `client` must have a method `query(sql, values)`, as a pool of pg has, or be a function (sql, values) => rows.',
  );
}

/** The number of times that a statement runs before its failure counts. */
const ATTEMPTS = 10;

/** Runs the statements on one table. */
class Postgres {
  private readonly statements: ReturnType<typeof statementsOn>;

  constructor(
    private readonly query: PostgresQuery,
    private readonly table: string,
  ) {
    this.statements = statementsOn(quote(table));
  }

  async get(key: string): Promise<string | undefined> {
    const row = await this.row(this.statements.get, [key]);
    if (row === undefined) return undefined;
    if (typeof row.value !== 'string') throw notUnderstood();
    return row.value.slice(MARK.length);
  }

  async put(key: string, value: string, { was, ttlMs }: PutOptions): Promise<boolean> {
    const { insertAndSweep, insert, replace } = this.statements;
    const row =
      was === undefined
        ? await this.row(insertAndSweep, [key, value, ttlMs], insert)
        : await this.row(replace, [key, value, ttlMs, was]);
    return row !== undefined;
  }

  /**
   * Runs a statement, and `again` if it was overtaken. Returns its row, if there is one. The row
   * repeats a random id, because a client that mixes up replies must not look like a write.
   */
  private async row(sql: string, values: PostgresValue[], again = sql): Promise<Row | undefined> {
    const id = randomId();
    for (let attempt = 1; ; attempt += 1) {
      try {
        const statement = attempt === 1 ? sql : again;
        const [row, ...others] = rowsOf(await this.query(statement, [id, ...values]));
        if (others.length > 0 || (row && row.id !== id)) throw notUnderstood();
        return row;
      } catch (error) {
        const code = isObject(error) ? error.code : undefined;
        if (code === UNDEFINED_TABLE) throw this.tableMissing(error);
        if (!OVERTAKEN.includes(code) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private tableMissing(cause: unknown): Error {
    const { table } = this;
    return new Error(
      `There is no table '${table}' in Postgres. Create it with the SQL that this command prints: npx mcp-resolve sql ${table}`,
      { cause },
    );
  }
}

const UNDEFINED_TABLE = '42P01';

/** The errors of statements that were overtaken: a serialization failure and a deadlock. */
const OVERTAKEN: readonly unknown[] = ['40001', '40P01'];

/** Stands before a value that is read, because PGlite drops a byte order mark at the beginning. */
const MARK = '=';

/** Returns the statements on a table. The parameters are id, key, value, lifetime and `was`. */
function statementsOn(table: string) {
  const deadline = `clock_timestamp() + $4::float8 * interval '1 millisecond'`;
  const insert = `INSERT INTO ${table} AS known (key, value, expires_at)
VALUES ($2, $3, ${deadline})
ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
WHERE known.value = excluded.value OR known.expires_at <= clock_timestamp()
RETURNING $1::text AS id`;
  return {
    get: `SELECT $1::text AS id, '${MARK}' || value AS value FROM ${table}
WHERE key = $2 AND expires_at > clock_timestamp()`,
    insert,
    // Skips locked rows, so it waits for no other statement. `now()` lets it use the index.
    insertAndSweep: `WITH swept AS (
  DELETE FROM ${table} WHERE key = ANY (ARRAY(
    SELECT key FROM ${table} WHERE expires_at <= now() AND key <> $2
    ORDER BY expires_at LIMIT 10 FOR UPDATE SKIP LOCKED
  ))
)
${insert}`,
    replace: `UPDATE ${table} SET value = $3, expires_at = ${deadline}
WHERE key = $2 AND value IN ($3, $5) AND expires_at > clock_timestamp()
RETURNING $1::text AS id`,
  };
}

type Row = Readonly<Record<string, unknown>>;

function rowsOf(result: unknown): Row[] {
  const rows: unknown = isObject(result) ? result.rows : result;
  if (!Array.isArray(rows) || !rows.every(isObject)) throw notUnderstood();
  return rows;
}

function notUnderstood(): Error {
  return new Error('Postgres or its client returned an unexpected result for a statement.');
}
