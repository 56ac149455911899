/**
 * Tests that the kit works with any test runner. The tests of the guide run under `node:test`, and
 * a broken one fails with the kit's message.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ROOT } from '../support/compilers.js';

const TIMEOUT = 120_000;

let project: string;
let shown: string;

beforeAll(async () => {
  const guide = await readFile(path.join(ROOT, 'docs/guide/testing.md'), 'utf8');
  const tool = /```ts\n(.*?)```/s.exec(guide)?.[1] ?? '';
  shown = /```js\n(.*?)```/s.exec(guide)?.[1] ?? '';
  project = await mkdtemp(path.join(tmpdir(), 'mcp-resolve-runners-'));
  const config = { extends: path.join(ROOT, 'tsconfig.json'), include: ['*.ts'] };
  await write('tsconfig.json', JSON.stringify(config));
  await write('package.json', JSON.stringify({ type: 'module' }));
  await write('payInvoice.ts', tool);
  await symlink(path.join(ROOT, 'node_modules'), path.join(project, 'node_modules'), 'junction');
});

afterAll(() => rm(project, { recursive: true, force: true }));

const write = (file: string, text: string): Promise<void> =>
  writeFile(path.join(project, file), text);

/** Runs a test file under Node's test runner. */
function nodeTest(file: string): Promise<{ code: unknown; output: string }> {
  const args = ['--import', 'tsx', '--test', '--test-reporter', 'tap', file];
  // With this variable, Node's runner reports to an outer runner.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = { cwd: project, env, timeout: TIMEOUT - 10_000, killSignal: 'SIGKILL' as const };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, output: stdout + stderr });
    });
  });
}

describe('under node:test', () => {
  test('the tests in the guide pass', { timeout: TIMEOUT }, async () => {
    await write('shown.test.ts', shown);
    const { code, output } = await nodeTest('shown.test.ts');

    expect(output).toMatch(/^# pass 2$/m);
    expect({ code, output }).toMatchObject({ code: 0 });
  });

  test('a question without a scripted answer fails its test', { timeout: TIMEOUT }, async () => {
    const broken = shown.replace('{ approved: accept(', '{ aproved: accept(');
    expect(broken).not.toBe(shown);
    await write('broken.test.ts', broken);
    const { code, output } = await nodeTest('broken.test.ts');

    expect(output).toMatch(/^# pass 1$/m);
    expect(output).toMatch(/^# fail 1$/m);
    expect(output).toContain("'pay_invoice' asks a question that has no scripted answer.");
    expect(output).toContain('Scripted, but not asked so far: aproved.');
    expect(code).toBe(1);
  });
});
