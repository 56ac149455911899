import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

import { run } from '../../test/stories/program.js';

it('the adapters compile with the published types of the clients', async () => {
  const project = fileURLToPath(new URL('programs', import.meta.url));
  const compiler = 'node_modules/typescript-7/bin/tsc';
  const { code, stdout } = await run(process.execPath, [compiler, '-p', project]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
});
