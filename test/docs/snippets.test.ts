/** Tests that every page of the guide compiles, runs and prints the output that it shows. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  filesOf,
  GUIDE,
  HOST_PAGES,
  makeProject,
  TIMEOUT_MS,
  type Project,
  readGuide,
  readPage,
  transcriptsOf,
} from './page.js';

const all = await readGuide();
// The reference, the questions and the pages of tools have no program.
const taught = all.filter(({ name }) => !['api', 'faq', 'lint', 'watch'].includes(name));
// The code of the others is that of an app. See hostPages.test.ts.
const programs = taught.filter(({ name }) => !(name in HOST_PAGES));
// A page with several files is a project. See getStarted.test.ts.
const pages = taught.filter(({ text }) => filesOf(text).size === 0);
// This page needs a server. See transaction.postgres.test.ts.
const runnable = pages.filter(({ name }) => name !== 'recipes-postgres');
const index = await readFile(path.join(GUIDE, 'README.md'), 'utf8');

let project: Project;

beforeAll(async () => {
  project = await makeProject(pages);
});

afterAll(() => project.remove());

describe.concurrent('the programs of the guide', () => {
  it('compile', { timeout: TIMEOUT_MS }, async () => {
    expect(await project.check()).toBe('');
  });

  it.each(runnable)(
    'print the output that the page $name shows',
    { timeout: TIMEOUT_MS },
    async (page) => {
      const { code, stdout, stderr } = await project.run(page);

      expect({ code, stdout: stdout.trimEnd(), ...(code !== 0 && { stderr }) }).toEqual({
        code: 0,
        stdout: page.output.trimEnd(),
      });
    },
  );
});

describe.each(programs)('the page $name', ({ program, output, text }) => {
  it('has code within twelve lines', () => {
    const lines = program.split('\n');

    expect(lines.findIndex((line) => line !== '')).toBeGreaterThan(0);
    expect(lines.findIndex((line) => line !== '')).toBeLessThan(12);
  });

  it('shows real output', () => {
    expect(
      output.trim() +
        transcriptsOf(text)
          .map(({ printed }) => printed)
          .join(''),
    ).not.toBe('');
  });
});

describe.each(all)('the page $name', ({ text, folder }) => {
  it('begins with a heading', () => {
    expect(text).toMatch(/^# \S/);
  });

  it('has no filler words', () => {
    const prose = text
      .replace(/^```.*?^```/gms, '')
      .replace(/`[^`]*`/g, '')
      // The mark of a callout, as in `> [!TIP]`.
      .replace(/^> \[!\w+\]$/gm, '');

    expect(prose.match(FILLER) ?? []).toEqual([]);
  });

  it('links to files that exist', () => {
    expect(deadLinks(text, folder)).toEqual([]);
  });
});

describe('the index of the guide', () => {
  it('lists every page', () => {
    const listed = [...index.matchAll(/\]\((?:\.\.\/)?([\w-]+)\.md\)/g)].map(([, name]) => name);

    expect(listed).toEqual(expect.arrayContaining(all.map(({ name }) => name)));
    expect(new Set(listed).size).toBe(listed.length);
  });
});

describe('readPage', () => {
  const fence = '```';
  const page = readPage(
    'page',
    [
      '# A page',
      `${fence}ts`,
      'const one = 1;',
      fence,
      'Some words.',
      `${fence}js`,
      'notRun();',
      fence,
      `${fence}ts`,
      'console.log(one);',
      fence,
      `${fence}text`,
      '1',
      fence,
      `${fence}text`,
      '2',
      fence,
    ].join('\n'),
  );

  it('joins the ts blocks into one module with the line numbers of the page', () => {
    const lines = page.program.split('\n');

    expect(lines.filter((line) => line !== '')).toEqual(['const one = 1;', 'console.log(one);']);
    expect(lines.indexOf('const one = 1;')).toBe(2);
    expect(lines.indexOf('console.log(one);')).toBe(9);
  });

  it('joins the text blocks into the output', () => {
    expect(page.output).toBe('1\n2');
  });

  it('refuses a block that is not closed', () => {
    expect(() => readPage('page', `${fence}ts\nconst one = 1;`)).toThrow(
      'page.md has a block that is not closed',
    );
  });
});

/** Words that add nothing, and exclamation marks. */
const FILLER = /\b(simply|just|easy|easily|obviously|of course|basically|seamless(ly)?)\b|!/gi;

function deadLinks(text: string, folder: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = '']) => link);
  return links.filter((link) => !existsSync(path.join(folder, link)));
}
