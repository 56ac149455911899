/** Generates docs/compatibility.md from the results of the runs with other programs. */
import { existsSync } from 'node:fs';

import * as prettier from 'prettier';

import { readReport, type Report } from './report.js';

const sections = [
  { name: 'conformance', title: 'Official conformance suite' },
  { name: 'clients', title: 'Clients' },
  { name: 'tasks', title: 'Tasks extension' },
  { name: 'codex', title: 'Codex CLI' },
  { name: 'browser', title: 'Browser' },
  { name: 'probes', title: 'Programs that test servers' },
  { name: 'python', title: 'Python' },
  { name: 'runtimes', title: 'Runtimes' },
  { name: 'hosts', title: 'Hosts' },
  { name: 'frameworks', title: 'Frameworks and schemas' },
  { name: 'package', title: 'Package managers' },
] as const;

const introduction = `# Compatibility

The clients, runtimes, hosts, frameworks and package managers that mcp-resolve was tested with, and the results. Other people
wrote these programs. The tests that drive them are in \`peers/\` of the repository. Each section names the command that
repeats its tests, and the date when its results last changed. \`npm run docs -- compatibility\` generates this page from the results.`;

function section(title: string, { command, date, rows }: Report): string {
  const cells = rows.map(({ peer, version, over, saw, passed, failed }) =>
    [peer, version, over, saw, `${passed} passed, ${failed} failed`].join(' | '),
  );
  return [
    `## ${title}`,
    `\`${command}\`, ${date}`,
    [
      '| program | version | protocol and transport | result | checks |',
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
