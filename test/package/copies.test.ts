/**
 * Tests two copies of the package in one process, the ES modules and the CommonJS build, and a
 * runtime without AsyncLocalStorage.
 *
 * Needs a build in `dist/`. `npm test -- package` creates it first.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);

/** Runs a resolver in a new process. `confirm` comes from the CommonJS build. */
async function errorOf(fn: string, before = ''): Promise<string> {
  const program = `
    ${before}
    const { createRequire } = await import('node:module');
    const { resolver } = await import('mcp-resolve');
    const { planResolvers, resolveArguments } = await import('mcp-resolve/engine');
    const { confirm } = createRequire(import.meta.url)('mcp-resolve');
    const it = resolver({}, ${fn});
    const mcpReq = { signal: new AbortController().signal, requestState: () => undefined };
    const plan = planResolvers({ name: 'tool', resolve: { it } }, []);
    await resolveArguments(plan, {}, { ctx: { mcpReq } }).then(
      () => console.log('no error'),
      (error) => console.log(error.message),
    );
  `;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await run(process.execPath, args, { cwd: root });
  return stdout.trim();
}

const LOST = /created a question but did not return it/;

describe('the engine of one copy finds a question of the other copy', () => {
  it('inside a value', async () => {
    const error = await errorOf(`async () => ({ sure: confirm('Sure?') })`);
    expect(error).toContain('Return the question itself.');
  });

  it('after an await', async () => {
    const fn = `async () => { await null; return Boolean(confirm('Sure?')); }`;
    expect(await errorOf(fn)).toMatch(LOST);
  });
});

it('without AsyncLocalStorage, the engine finds questions before the first await', async () => {
  const without = 'process.getBuiltinModule = undefined;';
  expect(await errorOf(`() => Boolean(confirm('Sure?'))`, without)).toMatch(LOST);
  expect(await errorOf(`async () => Boolean(confirm('Sure?'))`, without)).toMatch(LOST);
  const later = `async () => { await null; return Boolean(confirm('Sure?')); }`;
  expect(await errorOf(later, without)).toBe('no error');
});
