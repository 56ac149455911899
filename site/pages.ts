/**
 * Collects the pages of the site from the Markdown files of the package. These link to each other
 * as files of this repository, so every link is rewritten to the place of its file on the site.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

import { read, ROOT } from './contents.js';

/** The files of the site, by their places. */
export interface Pages {
  /** The text of each page. */
  readonly texts: ReadonlyMap<string, string>;
  /** The file of each image. */
  readonly images: ReadonlyMap<string, string>;
  /** The links to files that the site does not have, each with its page. */
  readonly deadLinks: readonly string[];
}

/** The pages with a place of their own. The package does not contain the landing page. */
const PLACES: Readonly<Record<string, string>> = {
  'site/landing.md': 'index.md',
  'README.md': 'overview.md',
  LICENSE: 'license.md',
};
const AT_THE_ROOT = [
  'site/landing.md',
  'README.md',
  'AGENTS.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'SECURITY.md',
];
const FOLDERS = ['docs', 'examples', 'skills'];
/** The package does not contain this folder. */
const LEFT_OUT = 'examples/conformance/';
const IMAGE = /\.(svg|png|gif)$/;
/** A file that gets a page if another page links to it. */
const SOURCE = /^examples\/.+\.\w+$|^LICENSE$/;

/** Lists the Markdown files that are pages. */
export function listFiles(): string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
      .filter((file) => file.endsWith('.md') && !file.startsWith(LEFT_OUT))
      .toSorted(),
  );
  return [...AT_THE_ROOT, ...inFolders];
}

/** Returns the place of a file on the site: `docs/` is the root, a README the index of its folder. */
export function placeOf(file: string): string {
  const fixed = PLACES[file];
  if (fixed !== undefined) return fixed;
  if (SOURCE.test(file) && !file.endsWith('.md')) return `${file}.md`;
  const place = file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
  return place.includes('/') ? place : place.toLowerCase();
}

/** Collects the pages, the images, and pages for the source files that pages link to. */
export function collectPages(): Pages {
  const texts = new Map<string, string>();
  const images = new Map<string, string>();
  const deadLinks: string[] = [];
  const files = new Set(listFiles());

  const add = (file: string): boolean => {
    if (files.has(file)) return true;
    if (IMAGE.test(file)) images.set(placeOf(file), file);
    else if (SOURCE.test(file) && !file.startsWith(LEFT_OUT))
      texts.set(placeOf(file), source(file));
    else return false;
    return true;
  };

  for (const file of files) {
    const text = rewriteLinks(read(file), file, (link) => {
      const target = fileBehind(link, file);
      if (target !== undefined && add(target)) return target;
      deadLinks.push(`${file}: ${link}`);
      return undefined;
    });
    texts.set(placeOf(file), text);
  }
  return { texts, images, deadLinks };
}

/** Finds code, which stays as it is, and links. */
const CODE_OR_LINK =
  /^(```+|~~~+).*?^\1|(`+)(?!`).*?[^`]\2(?!`)|(\]\(|\b(?:src|href|srcset)=")([^\s)"]+)/gms;
const ELSEWHERE = /^([a-z]+:|\/|#)/;

/**
 * Rewrites the links of a file so that they work on the site.
 *
 * @param fileBehind Returns the file that a link leads to. A link to no file stays as it is.
 */
export function rewriteLinks(
  text: string,
  from: string,
  fileBehind: (link: string) => string | undefined,
): string {
  const folder = path.posix.dirname(placeOf(from));
  return text.replace(CODE_OR_LINK, (whole: string, ...found: (string | undefined)[]) => {
    const [, , before, link] = found;
    if (before === undefined || link === undefined || ELSEWHERE.test(link)) return whole;
    const [name = '', ...anchor] = link.split(/(?=#)/);
    const target = fileBehind(name);
    if (target === undefined) return whole;
    const place = path.posix.relative(folder, placeOf(target));
    // Vite would take the name of an image alone for the name of a package.
    return before + (IMAGE.test(place) ? `./${place}` : place) + anchor.join('');
  });
}

/** Returns the file of a link. A folder has its README. */
function fileBehind(link: string, from: string): string | undefined {
  const file = path.posix.join(path.posix.dirname(from), link).replace(/\/$/, '');
  const stats = statSync(path.join(ROOT, file), { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return stats && file;
  return existsSync(path.join(ROOT, file, 'README.md')) ? `${file}/README.md` : undefined;
}

/** Shows a source file. The search skips it. */
function source(file: string): string {
  const language = path.extname(file).slice(1) || 'text';
  const code = `\`\`\`\`${language}\n${read(file).trimEnd()}\n\`\`\`\``;
  return `---\nsearch: false\naside: false\n---\n\n# \`${file}\`\n\n${code}\n`;
}
