/** The results of statements that the Postgres store accepts, and what it refuses by itself. */
import { postgresStore, postgresTableSql } from 'mcp-resolve/store';
import { describe, expect, test } from 'vitest';

type Reply = (id: unknown) => unknown;

/** Replies to a statement, given the id that it repeats. */
const storeThat = (reply: Reply) => postgresStore((_, [id]) => Promise.resolve(reply(id)));
const get = (reply: Reply) => storeThat(reply).get('key');
const put = (reply: Reply, was?: string) => storeThat(reply).put('key', 'value', { was, ttlMs: 1 });

const UNEXPECTED = 'Postgres or its client returned an unexpected result for a statement.';

const RESULTS: readonly unknown[] = [
  ...[undefined, null, true, 1, 'value', {}, { rowCount: 1 }, { rows: 1 }, { rows: {} }],
  ...[[null], ['key'], [['key', 'value']], [{}], [{ id: 1, value: 1 }], [[{ id: 'key' }]]],
  ...[[{ id: '2s5mBWm1l0nFhHq0hC2f1w', value: '=of another statement' }], [{ value: '=value' }]],
];
const REPLIES: readonly Reply[] = RESULTS.map((result) => () => result);
const twoRows: Reply = (id) => [
  { id, value: '=a' },
  { id, value: '=b' },
];

describe('get()', () => {
  test('accepts no row or one, with and without an object around the rows', async () => {
    expect(await get(() => [])).toBeUndefined();
    expect(await get(() => ({ rows: [] }))).toBeUndefined();
    expect(await get((id) => [{ id, value: '=' }])).toBe('');
    expect(await get((id) => ({ rows: [{ id, value: '=value' }] }))).toBe('value');
  });

  test.each(
    [...REPLIES, twoRows, (id: unknown) => [{ id }]].map((reply) => [reply('its id'), reply]),
  )('fails on %j', async (_, reply) => {
    await expect(get(reply)).rejects.toThrow(new Error(UNEXPECTED));
  });
});

describe('put()', () => {
  test('accepts no row, or one with its id', async () => {
    for (const was of [undefined, 'before']) {
      expect(await put(() => [], was)).toBe(false);
      expect(await put(() => ({ rows: [] }), was)).toBe(false);
      expect(await put((id) => [{ id }], was)).toBe(true);
      expect(await put((id) => ({ rows: [{ id }] }), was)).toBe(true);
    }
  });

  test.each([...REPLIES, twoRows].map((reply) => [reply('its id'), reply]))(
    'fails on %j',
    async (_, reply) => {
      for (const was of [undefined, 'before'])
        await expect(put(reply, was)).rejects.toThrow(new Error(UNEXPECTED));
    },
  );
});

test.each(['\0', 'a\ud800', '\udc00b'])('refuses %j before it reaches Postgres', async (text) => {
  const store = postgresStore(() => Promise.reject(new Error('a statement was sent')));
  const refused = new TypeError(
    'A store takes well-formed strings without NUL, and the key or value has a NUL or a lone surrogate.',
  );
  const how = { was: undefined, ttlMs: 1 };
  await expect(store.get(text)).rejects.toThrow(refused);
  await expect(store.put(text, 'value', how)).rejects.toThrow(refused);
  await expect(store.put('key', text, how)).rejects.toThrow(refused);
  await expect(store.put('key', 'value', { ...how, was: text })).rejects.toThrow(refused);
});

test('postgresTableSql returns a table and an index', () => {
  expect(postgresTableSql({ table: 'bank.records' })).toBe(
    `CREATE TABLE IF NOT EXISTS "bank"."records" (
  key text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS "records_expires_at" ON "bank"."records" (expires_at);
`,
  );
});

describe('postgresStore', () => {
  test('uses no connection until the first step', () => {
    expect(() => postgresStore(() => expect.unreachable())).not.toThrow();
  });

  test.each([undefined, null, {}, 'postgres://127.0.0.1', { query: 'SELECT' }])(
    'refuses the client %j',
    (client) => {
      expect(() => postgresStore(client as never)).toThrow(
        new TypeError(
          'postgresStore(): `client` must have a method `query(sql, values)`, as a pool of pg has, or be a function (sql, values) => rows.',
        ),
      );
    },
  );

  const NAMES =
    "`table` must be a name such as 'records' or 'bank.records', of lower-case letters, digits and underscores, and of at most 50 characters each.";

  test.each<[object | null, string]>([
    [{ tabel: 'a' }, "has no option 'tabel'. Known options: table."],
    [null, '`options` must be an object.'],
    ...['', 'Records', '1st', 'a b', 'a"b', 'a.b.c', 'a;b', 'é', `a${'b'.repeat(50)}`, 5].map(
      (table): [object, string] => [{ table }, NAMES],
    ),
  ])('refuses the options %j', (options, sentence) => {
    for (const make of [
      () => postgresStore(() => Promise.resolve([]), options!),
      () => postgresTableSql(options!),
    ]) {
      expect(make).toThrow(TypeError);
      expect(make).toThrow(sentence);
    }
  });
});
