/** Tests that the code on the pages of hosts is the code of the apps that `npm test -- hosts` runs. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

import { hosts } from '../../peers/hosts/hosts.js';
import { ROOT } from '../support/compilers.js';
import { GUIDE, HOST_PAGES } from './page.js';

const FILE_BLOCK = /^```(?:js|jsonc|typescript)\n\/\/ (\S+)\n+(.*?)^```/gms;

describe.each(Object.entries(HOST_PAGES))('the page %s', (name, app) => {
  it('shows files of its app as they are', async () => {
    const page = await readFile(path.join(GUIDE, `${name}.md`), 'utf8');
    const blocks = [...page.matchAll(FILE_BLOCK)];
    expect(blocks).not.toEqual([]);
    for (const [, file = '', code] of blocks) {
      const source = await readFile(path.join(ROOT, 'peers/hosts', app, file), 'utf8');
      expect(code).toBe(source);
    }
  });
});

describe('the table of other hosts', async () => {
  const page = await readFile(path.join(GUIDE, 'http.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (\S[^|`]*?) +\| `(.+)` +\|$/gm)];

  it('has rows', () => {
    expect(rows.length).toBeGreaterThan(5);
  });

  it.each(rows.map(([, name = '', line = '']) => [name, line]))(
    'has a line of the app in %s',
    async (name, line) => {
      const host = hosts.find((host) => host.name === name);
      const sources = withoutSpaces(await sourcesOf(host?.app ?? ''));
      // The dots stand for settings of the app.
      for (const part of line.replace("'/mcp'", `'${host?.path}'`).split('…')) {
        expect(sources).toContain(withoutSpaces(part));
      }
    },
  );
});

/** Returns the programs of an app as one text. */
async function sourcesOf(app: string): Promise<string> {
  const folder = path.join(ROOT, 'peers/hosts', app);
  const names = await readdir(folder, { recursive: true });
  const sources = names.filter((name) => /(?<!node_modules.*)\.[jt]s$/.test(name));
  const texts = sources.map((name) => readFile(path.join(folder, name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

/** Returns code without whitespace, and without the commas that a line break needs. */
function withoutSpaces(code: string): string {
  return code.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');
}
