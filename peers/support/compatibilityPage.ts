/** Generates docs/compatibility.md from the results of the runs with other programs. */
import { existsSync } from 'node:fs';

import * as prettier from 'prettier';

import { readReport, type Report } from './report.js';

const sections = [
  { name: 'conformance', title: 'The official conformance suite' },
  { name: 'clients', title: 'Clients' },
  { name: 'browser', title: 'A browser' },
  { name: 'python', title: 'Python' },
  { name: 'runtimes', title: 'Runtimes' },
  { name: 'frameworks', title: 'Frameworks and schemas' },
  { name: 'package', title: 'The package' },
] as const;

const introduction = `# Compatibility

What mcp-resolve was run against, and what was seen. The programs and libraries were written by others; what drives them
is in \`peers/\`. The tables are made from the runs by \`npm run docs:compatibility\`; each says which command runs it
again.`;

function section(title: string, { command, date, rows }: Report): string {
  const cells = rows.map(({ peer, version, over, saw, passed, failed }) =>
    [peer, version, over, saw, `${passed} passed, ${failed} failed`].join(' | '),
  );
  return [
    `## ${title}`,
    `\`${command}\`, ${date}`,
    [
      '| program | version | over | seen | checks |',
      '| --- | --- | --- | --- | --- |',
      ...cells.map((line) => `| ${line} |`),
    ].join('\n'),
  ].join('\n\n');
}

/** The location of the page. */
export const PAGE = new URL('../../docs/compatibility.md', import.meta.url);

/** Returns the page, with a section for every report. */
export async function compatibilityPage(): Promise<string> {
  const present = sections.filter(({ name }) =>
    existsSync(new URL(`../results/${name}.json`, import.meta.url)),
  );
  const told = present.map(({ name, title }) => section(title, readReport(name)));
  const options = await prettier.resolveConfig(PAGE);
  return prettier.format([introduction, ...told].join('\n\n'), { ...options, parser: 'markdown' });
}
