/** Tests `mcp-resolve sql`, which prints the SQL of the table of `postgresStore`. */
import { postgresTableSql } from 'mcp-resolve/store';
import { expect, test } from 'vitest';

import { fromSources } from './project.js';

test('prints the SQL of the default table', async () => {
  expect(await fromSources('sql')).toEqual({ code: 0, stdout: postgresTableSql(), stderr: '' });
});

test('prints the SQL of another table', async () => {
  const { stdout } = await fromSources('sql', 'bank.records');
  expect(stdout).toBe(postgresTableSql({ table: 'bank.records' }));
});

test.each([
  [['a b'], 'postgresTableSql(): `table` must be a name such as'],
  [['one', 'two'], 'sql takes the name of a table or nothing, as in: mcp-resolve sql'],
  [['--table', 'records'], 'sql takes the name of a table or nothing, as in: mcp-resolve sql'],
])('refuses %j', async (typed, sentence) => {
  const { code, stderr } = await fromSources('sql', ...typed);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
