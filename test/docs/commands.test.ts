/** Tests that the commands in the documents, the workflows and the results exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

import packageJson from '../../package.json' with { type: 'json' };
import { commandsOf } from '../../scripts/commands.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PLACES = ['.', '.github/workflows', 'bench', 'bench/soak', 'docs', 'docs/guide', 'peers'];

/** Returns the texts of the documents and workflows in a folder. */
function textsIn(folder: string): string[] {
  const names = readdirSync(path.join(ROOT, folder)).filter((name) => /\.(md|yml)$/.test(name));
  return names.map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8'));
}

const text = PLACES.flatMap(textsIn).join('\n');

it('every script that a document names is in package.json', () => {
  const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);

  expect(named.filter((name) => !Object.hasOwn(packageJson.scripts, name))).toEqual([]);
});

it('every suite and entry that a document names exists', () => {
  const named = [...text.matchAll(/npm (?:run )?(test|bench|soak|docs) -- ([\w/-]+)/g)];

  expect(named.length).toBeGreaterThan(20);
  for (const [, script = '', name = ''] of named) {
    expect(() => commandsOf(script, [name])).not.toThrow();
  }
});

it('every file that a script runs exists', () => {
  const scripts = ['test', 'bench', 'soak', 'docs'];
  const files = scripts
    .flatMap((script) => commandsOf(script, ['all']).flat())
    .filter((word) => word.includes('/'));

  expect(files.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
});
