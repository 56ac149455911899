/**
 * Lists the pages of the documentation, in order. `docs/guide/README.md` is the one list of the
 * guide, and `examples/README.md` that of the examples: their headings are the groups, and the
 * items of their lists are the pages.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** The index of the guide. */
const GUIDE = 'docs/guide/README.md';

/** A link to a page. */
export interface Entry {
  /** In Markdown, for example `From `elicitInput` `. */
  readonly title: string;
  /** The file, relative to the root of this repository. */
  readonly file: string;
  readonly description: string | undefined;
}

/** The pages under one heading. */
export interface Group {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** The pages that are not part of the guide. */
export const PROJECT: Group = {
  title: 'Project',
  entries: [
    entry(
      'Skill',
      'skills/mcp-resolve/SKILL.md',
      'the five calls and the rules, for coding assistants',
    ),
    entry('Move existing tools', 'skills/mcp-resolve/moving-in.md', 'ten tools, before and after'),
    entry('Coding assistants', 'AGENTS.md', 'how to work on the repository'),
    entry('Security', 'SECURITY.md', 'the threat model, and how to report a vulnerability'),
    entry('Architecture', 'ARCHITECTURE.md', 'how the library works inside, and why'),
    entry('Changelog', 'CHANGELOG.md', 'the changes of each release'),
  ],
};

/** The index of the examples. */
export const EXAMPLES = entry(
  'Examples',
  'examples/README.md',
  'servers with clients that check them',
);

/** Reads a file of this repository. */
export function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** Reads the groups of the guide. */
export function readGuide(): Group[] {
  return parseGroups(read(GUIDE), GUIDE);
}

/** Reads the groups of the examples. */
export function readExamples(): Group[] {
  return parseGroups(read(EXAMPLES.file), EXAMPLES.file);
}

/**
 * Returns the groups of an index: the headings with a list.
 *
 * @param index The file of the text. Its links are relative to it.
 * @throws {Error} If an item of a list is not a link to a page.
 */
export function parseGroups(text: string, index: string): Group[] {
  const sections = text.split(/^##+ /m).slice(1);
  const groups = sections.map((section) => {
    const [title = '', ...lines] = section.split('\n');
    const entries = lines.filter(isItem).map((line) => parseItem(line, index));
    return { title: title.trim(), entries };
  });
  return groups.filter(({ entries }) => entries.length > 0);
}

const isItem = (line: string): boolean => line.startsWith('- ');

function parseItem(line: string, index: string): Entry {
  const [, title, link, description] = /^- \[(.+?)\]\(([^)]+\.md)\)(?:: (.+))?$/.exec(line) ?? [];
  if (title === undefined || link === undefined)
    throw new Error(`'${line}' in ${index} is not a link to a page, with or without a description`);
  return entry(title, path.posix.join(path.posix.dirname(index), link), description);
}

function entry(title: string, file: string, description?: string): Entry {
  return { title, file, description };
}
