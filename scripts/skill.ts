/**
 * Creates `skills/mcp-resolve/moving-in.md` from the two pages of the guide about moving: their
 * pairs of a tool before and after, without the programs that run them.
 *
 * `npm run docs -- skill` writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const file = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Returns the text of `skills/mcp-resolve/moving-in.md`. */
export function movingIn(): string {
  const pages = ['from-elicit-input', 'from-input-required'].map((name) =>
    readFileSync(file(`docs/guide/${name}.md`), 'utf8'),
  );
  return `# Move existing tools

Two ways to ask by hand, each with five tools, before and after. All of them were run on both protocols.

${pages.map(pairs).join('\n')}`;
}

/** Returns a page up to its program, with its headings one level deeper. */
function pairs(page: string): string {
  const [text = ''] = page.split('\n## Run them\n');
  const links = text.replaceAll('](', '](../../docs/guide/');
  return links.replace(/^#/gm, '##').replace(/ Both servers run .*$/m, '');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(file('skills/mcp-resolve/moving-in.md'), movingIn());
