/** Tests the command lines that `npm test` and the other scripts run for their arguments. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { commandsOf } from '../../scripts/commands.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the command lines of a script, with spaces between the words. */
const linesOf = (script: string, ...args: string[]): string[] =>
  commandsOf(script, args).map((words) => words.join(' '));

describe('npm test', () => {
  it('runs the unit tests without a name', () => {
    expect(linesOf('test')).toEqual(['vitest run --project unit']);
  });

  it('filters the unit tests by a path', () => {
    expect(linesOf('test', 'test/pin', '-t', 'carries')).toEqual([
      'vitest run --project unit test/pin -t carries',
    ]);
  });

  it('prepares a suite before it runs it, and passes the arguments to vitest only', () => {
    expect(linesOf('test', 'runtimes', '--reporter=json')).toEqual([
      'npm run --silent build -- --logLevel warn',
      'npm ci --prefix peers/runtimes',
      'vitest run --project peers peers/runtimes --reporter=json',
    ]);
  });

  it('runs several suites in the order of their names', () => {
    expect(linesOf('test', 'redis', 'docs', '--bail=1')).toEqual([
      'vitest run --project redis --bail=1',
      'vitest run --project docs --bail=1',
    ]);
  });

  it('runs a suite for each project of vitest and each folder of peers with `all`', () => {
    const lines = linesOf('test', 'all').join('\n');
    const projects = readFileSync(path.join(ROOT, 'vitest.config.ts'), 'utf8').matchAll(
      /suite\('(\w+)'/g,
    );
    const folders = readdirSync(path.join(ROOT, 'peers'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /^[\w-]+\/[\w-]+\.test\.ts$/.test(file))
      .map((file) => path.dirname(file));

    for (const [, project = ''] of projects) expect(lines).toContain(`--project ${project}`);
    for (const folder of folders) expect(lines).toContain(`--project peers peers/${folder}`);
  });

  it('refuses an unknown name with the list of suites', () => {
    expect(() => commandsOf('test', ['rediss'])).toThrow(
      /^The script 'test' has no 'rediss'\. Choose from unit, .*redis, .*, all\. Or write a path, such as test\/pin\.$/,
    );
    expect(() => commandsOf('test', ['redis', 'doc'])).toThrow("has no 'doc'");
  });

  it('prints the refusal as one sentence and exits with code 1', () => {
    const program = ['--import', 'tsx', 'scripts/run.ts', 'test', 'rediss'];
    const { status, stdout, stderr } = spawnSync(process.execPath, program, { cwd: ROOT });

    expect({ status, stdout: String(stdout) }).toEqual({ status: 1, stdout: '' });
    expect(String(stderr)).toMatch(/^The script 'test' has no 'rediss'\. .*\n$/);
  });
});

describe('npm run bench', () => {
  it('passes the names of figures to the benchmark', () => {
    expect(linesOf('bench', 'Q1', 'digest', '--quick')).toEqual([
      'npm run --silent build -- --logLevel warn',
      'tsx --tsconfig bench/tsconfig.run.json bench/run.ts Q1 digest --quick',
    ]);
  });
});
