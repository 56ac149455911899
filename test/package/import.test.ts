/**
 * Tests which files and modules an import of the core loads.
 *
 * Needs a build in `dist/`. `npm test -- package` creates it first.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('importing.cjs', import.meta.url));

it('importing the core reads four files and loads no cryptography', () => {
  const printed = execFileSync(process.execPath, [program], { encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual({
    files: 4,
    bySdk: false,
    byCore: false,
    canTell: true,
  });
});
