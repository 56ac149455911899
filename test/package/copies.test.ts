/**
 * Two copies of the package in one process: its ES modules and its CommonJS build.
 *
 * Needs a build in `dist/`; `npm run test:package` makes one first.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

it('a copy of this package finds what another one has made', async () => {
  const root = new URL('../../', import.meta.url);
  const program = `
    import { createRequire } from 'node:module';
    import { resolver } from 'mcp-resolve';
    import { planResolvers, resolveArguments } from 'mcp-resolve/engine';
    const { confirm } = createRequire(import.meta.url)('mcp-resolve');
    const it = resolver({}, async () => ({ sure: confirm('Sure?') }));
    const mcpReq = { signal: new AbortController().signal, requestState: () => undefined };
    await resolveArguments(planResolvers({ name: 'tool', resolve: { it } }, []), {}, { ctx: { mcpReq } })
      .catch((error) => console.log(error.message));
  `;
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = await run(process.execPath, args, { cwd: root });
  expect(stdout).toContain('return the question itself');
});
