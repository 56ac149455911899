/** Tests that options, messages and pages call the eras of the protocol `modern` and `legacy`. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';

import { ROOT } from '../support/compilers.js';

const YEAR_AS_ERA = /\b202[56]\s+(?:[*/]+\s+)?(?:client|connection|era|request|server|session)/g;

it('no source and no page names an era by its year', async () => {
  const folders = ['src', 'docs', 'examples', '.changeset'];
  const nested = await Promise.all(
    folders.map(async (folder) => {
      const files = await readdir(path.join(ROOT, folder), { recursive: true });
      return files.map((file) => path.join(folder, file));
    }),
  );
  const pages = ['README.md', 'SECURITY.md', 'AGENTS.md', 'ARCHITECTURE.md', ...nested.flat()];
  const found = await Promise.all(
    pages
      .filter((file) => /\.(?:ts|md)$/.test(file))
      .map(async (file) => {
        const text = await readFile(path.join(ROOT, file), 'utf8');
        return (text.match(YEAR_AS_ERA) ?? []).map((words) => `${file}: ${words}`);
      }),
  );

  expect(found.flat()).toEqual([]);
});
