/** Tests that the code on the pages of hosts is the code of the apps that `npm test -- hosts` runs. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

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
