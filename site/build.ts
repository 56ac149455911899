/**
 * Builds the site into `site/dist`: collects the pages and runs VitePress. The Markdown of every
 * page is published beside it.
 *
 * `npm run docs -- site` runs it. Further arguments go to `vitepress build`, such as `--base
 * /docs/`.
 */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { ROOT } from './contents.js';
import { llmsText } from './llms.js';
import { collectPages, rewriteLinks } from './pages.js';

const SITE = path.join(ROOT, 'site');
const PAGES = path.join(SITE, '.pages');
const DIST = path.join(SITE, 'dist');

const { texts, images, deadLinks } = collectPages();
if (deadLinks.length > 0) {
  process.stderr.write(`These links lead to no page of the site:\n${deadLinks.join('\n')}\n`);
  process.exit(1);
}

await rm(PAGES, { recursive: true, force: true });
for (const [place, text] of texts) await write(path.join(PAGES, place), text);
for (const [place, file] of images)
  await cp(path.join(ROOT, file), path.join(PAGES, place), { recursive: true });

const vitepress = path.join(SITE, 'node_modules/vitepress/bin/vitepress.js');
const args = [vitepress, 'build', SITE, ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
if (status !== 0) process.exit(1);

await cp(PAGES, DIST, { recursive: true });
await write(
  path.join(DIST, 'llms.txt'),
  rewriteLinks(llmsText(), 'llms.txt', (file) => file),
);

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}
