/**
 * Creates `llms.txt`: the summary of the library and the list of its pages, for language models.
 *
 * `npm run docs -- llms` writes it to the root of this repository. The package contains it.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { type Entry, EXAMPLES, type Group, PROJECT, read, readGuide, ROOT } from './contents.js';

/** Returns the text of `llms.txt`. Its links are relative to the root of this repository. */
export function llmsText(): string {
  const groups = [...readGuide(), { ...PROJECT, entries: [EXAMPLES, ...PROJECT.entries] }];
  return `# mcp-resolve

> ${firstParagraph(read('README.md'))}

${firstParagraph(read('docs/guide/README.md'))}

${groups.map(section).join('\n')}`;
}

/** Returns the first paragraph below the title, on one line. */
function firstParagraph(text: string): string {
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => /^[\w`*[]/.test(paragraph));
  return (paragraphs[0] ?? '').replaceAll('\n', ' ').trim();
}

function section({ title, entries }: Group): string {
  return `## ${title}\n\n${entries.map(item).join('')}`;
}

function item({ title, file, description }: Entry): string {
  return `- [${title}](${file})${description === undefined ? '' : `: ${description}`}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await writeFile(path.join(ROOT, 'llms.txt'), llmsText());
