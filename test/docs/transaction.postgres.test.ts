/** Tests the recipe of docs/guide/recipes-postgres.md with a Postgres server. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineTool, type End, resolver, type Tool } from 'mcp-resolve';
import { accept, decline, probe, run } from 'mcp-resolve/testing';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { deferred } from '../support/deferred.js';
import { eras } from '../support/eras.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { GUIDE, makeProject, type Project, readPage, TIMEOUT_MS } from './page.js';

/** The exports of the page. */
interface Recipe {
  readonly TABLES: string;
  readonly pool: pg.Pool;
  readonly begin: () => Promise<pg.PoolClient>;
  readonly finish: (client: pg.PoolClient, end: End) => Promise<void>;
  readonly refundOrder: Tool<{ order_id: string }>;
}

const NAME = 'recipes-postgres';
const text = await readFile(path.join(GUIDE, `${NAME}.md`), 'utf8');
const page = readPage(NAME, text);
const [definitions = ''] = text.split(/^## Try it$/m);
const recipePage = readPage('recipe', definitions);
const withoutOnce = readPage('forgetful', definitions.replace('once: memoryStore(),', ''));

const order = { order_id: 'ORD-7' };
const approved = { approval: accept({ confirm: true }) };
const REFUNDED = 'Refunded 4800 cents for ORD-7.';
const FAILED = 'Error executing tool';
const CHANGED = `${FAILED} refund_order: ORD-7 was refunded or changed in the meantime`;

let server: PostgresServer;
let project: Project;
let recipe: Recipe;
let forgetful: Recipe;

beforeAll(async () => {
  server = await startPostgres();
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
  project = await makeProject([page, recipePage, withoutOnce]);
  const load = async (name: string): Promise<Recipe> =>
    (await import(pathToFileURL(path.join(project.folder, `${name}.ts`)).href)) as Recipe;
  recipe = await load('recipe');
  forgetful = await load('forgetful');
}, TIMEOUT_MS);

afterAll(async () => {
  await Promise.all([close(recipe.pool), close(forgetful.pool)]);
  vi.unstubAllEnvs();
  await server.stop();
  await project.remove();
});

beforeEach(async () => {
  await recipe.pool.query('DROP TABLE IF EXISTS refunds, orders');
  await recipe.pool.query(recipe.TABLES);
  await recipe.pool.query("INSERT INTO orders VALUES ('ORD-7', 4800)");
});

/** Ends a pool and waits until its connections are closed, for which `pool.end()` does not wait. */
async function close(pool: pg.Pool): Promise<void> {
  let open = pool.totalCount;
  const closed = new Promise<void>((resolve) => {
    if (open === 0) resolve();
    pool.on('remove', () => {
      open -= 1;
      if (open === 0) resolve();
    });
  });
  await pool.end();
  await closed;
}

/** Returns the rows of both tables. */
async function rows(): Promise<{ refunds: unknown[]; orders: unknown[] }> {
  const refunds = await recipe.pool.query('SELECT order_id, cents FROM refunds');
  const orders = await recipe.pool.query('SELECT id, refunded FROM orders');
  return { refunds: refunds.rows, orders: orders.rows };
}

const unchanged = { refunds: [], orders: [{ id: 'ORD-7', refunded: false }] };
const refunded = {
  refunds: [{ order_id: 'ORD-7', cents: 4800 }],
  orders: [{ id: 'ORD-7', refunded: true }],
};

/** Expects that no connection is in use, and that no transaction is open. */
async function expectAllReturned({ pool }: Recipe = recipe): Promise<void> {
  await vi.waitFor(() => expect(pool.idleCount).toBe(pool.totalCount));
  const open = await pool.query(
    "SELECT 1 FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'",
  );
  expect(open.rowCount).toBe(0);
}

it('the page prints the output that it shows', { timeout: TIMEOUT_MS }, async () => {
  await recipe.pool.query('DROP TABLE refunds, orders');
  const { code, stdout, stderr } = await project.run(page);

  expect({ code, stdout: stdout.trimEnd(), stderr }).toEqual({
    code: 0,
    stdout: page.output.trimEnd(),
    stderr: '',
  });
});

describe.each(eras)('on the %s era', (era) => {
  it('commits after an approval', async () => {
    const result = await run(recipe.refundOrder, order, { era, answers: approved });

    expect(result.text).toBe(REFUNDED);
    expect(await rows()).toEqual(refunded);
    await expectAllReturned();
  });

  it('opens no transaction after a decline', async () => {
    const answers = { approval: decline() };
    const result = await run(recipe.refundOrder, order, { era, answers });

    expect(result.ran.transaction).toBe(0);
    expect(await rows()).toEqual(unchanged);
  });

  it('rolls back when the order has changed', async () => {
    const approval = async () => {
      await recipe.pool.query('UPDATE orders SET cents = 5000');
      return approved.approval;
    };
    const result = await run(recipe.refundOrder, order, { era, answers: { approval } });

    expect(result.text).toBe(CHANGED);
    expect(await rows()).toEqual(unchanged);
    await expectAllReturned();
  });

  it('refunds an order once, for more calls at a time than the pool has connections', async () => {
    const atOnce = 15;
    // No user answers before every call has read the order.
    let asked = 0;
    const allAsked = deferred();
    const approval = async () => {
      asked += 1;
      if (asked === atOnce) allAsked.resolve();
      await allAsked.promise;
      return approved.approval;
    };
    const calls = Array.from({ length: atOnce }, () =>
      run(recipe.refundOrder, order, { era, answers: { approval } }),
    );
    const texts = (await Promise.all(calls)).map((result) => result.text);
    const [first, ...others] = texts.toSorted((one, other) => one.length - other.length);

    expect(first).toBe(REFUNDED);
    expect(new Set(others)).toEqual(new Set([CHANGED]));
    expect(await rows()).toEqual(refunded);
    await expectAllReturned();
  });

  it('fails when the commit fails', async () => {
    await recipe.pool.query(
      'ALTER TABLE refunds ADD UNIQUE (order_id) DEFERRABLE INITIALLY DEFERRED',
    );
    await recipe.pool.query("INSERT INTO refunds VALUES ('earlier', 'ORD-7', 1)");
    const result = await run(recipe.refundOrder, order, { era, answers: approved });

    expect(result).toMatchObject({
      text: `${FAILED} refund_order`,
      isError: true,
      cause: { code: '23505' },
    });
    expect(await rows()).toEqual({
      refunds: [{ order_id: 'ORD-7', cents: 1 }],
      orders: unchanged.orders,
    });
    await expectAllReturned();
  });
});

describe('a transaction', () => {
  /** Runs a body in a transaction of the recipe. */
  const inTransaction = (body: (db: pg.PoolClient) => Promise<string>) => {
    const db = resolver({}, recipe.begin, { dispose: recipe.finish });
    return run(defineTool('try_it', { resolve: { db } }, ({ db }) => body(db)));
  };

  it('fails the call when the body ignores a failed statement', async () => {
    const result = await inTransaction(async (db) => {
      await db.query('UPDATE orders SET refunded = true');
      await db.query('SELECT 1/0').catch(() => undefined);
      return 'Done.';
    });

    expect(result).toMatchObject({
      text: `${FAILED} try_it`,
      cause: { message: 'Postgres rolled the transaction back' },
    });
    expect(await rows()).toEqual(unchanged);
    await expectAllReturned();
  });

  it('survives a connection that Postgres closes while the body waits', async () => {
    const result = await inTransaction(async (db) => {
      const { rows: backends } = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await db.query('UPDATE orders SET refunded = true');
      const ended = new Promise((resolve) => db.once('end', resolve));
      await recipe.pool.query('SELECT pg_terminate_backend($1)', [backends[0]?.pid]);
      await ended;
      return 'Done.';
    });

    expect(result).toMatchObject({ text: `${FAILED} try_it`, isError: true });
    expect(await rows()).toEqual(unchanged);
    await expectAllReturned();
  });
});

describe('a client that sends its last round again', () => {
  it('receives the recorded result', async () => {
    const again = await probe.replayed(recipe.refundOrder, order, { answers: approved });

    expect(again).toMatchObject({ refused: true, text: REFUNDED });
    expect(await rows()).toEqual(refunded);
  });

  it('changes nothing in the database if no store remembers the call', async () => {
    const again = await probe.replayed(forgetful.refundOrder, order, { answers: approved });

    expect(again).toMatchObject({ refused: false, text: REFUNDED });
    expect(await rows()).toEqual(refunded);
    await expectAllReturned(forgetful);
  });
});
