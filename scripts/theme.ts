/**
 * Creates `src/theme.ts` from `src/theme.css`: the same style sheet as a string, without comments.
 *
 * `npm run docs -- theme` writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const file = (name: string): string => fileURLToPath(new URL(`../src/${name}`, import.meta.url));

/** Returns the text of `src/theme.ts`. */
export function themeModule(): string {
  const css = readFileSync(file('theme.css'), 'utf8').replace(/\/\*[^]*?\*\//g, '');
  const compact = css.replace(/\s+/g, ' ').replace(/ ?([{};:]) ?/g, '$1');
  const lines = compact.trim().replace(/[{;](?!\})/g, '$&\n');
  return `/** The style sheet of theme.css. \`npm run docs -- theme\` writes this file. */
export const THEME = \`${lines}\`;
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(file('theme.ts'), themeModule());
