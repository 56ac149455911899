/** The guide keeps its word: every page is a program that compiles, runs and prints what it shows. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  filesOf,
  GUIDE,
  makeProject,
  PATIENCE_MS,
  type Project,
  readGuide,
  readPage,
  transcriptsOf,
} from './page.js';

const all = await readGuide();
// A page of several files is a project: see getStarted.test.ts.
const pages = all.filter(({ text }) => filesOf(text).size === 0);
const index = await readFile(path.join(GUIDE, 'README.md'), 'utf8');

let project: Project;

beforeAll(async () => {
  project = await makeProject(pages);
});

afterAll(() => project.remove());

describe.concurrent('the programs of the guide', () => {
  it('type-check, all of them', { timeout: PATIENCE_MS }, async () => {
    expect(await project.check()).toBe('');
  });

  it.each(pages)('$name prints what it shows', { timeout: PATIENCE_MS }, async (page) => {
    const { code, stdout, stderr } = await project.run(page);

    expect({ code, stdout: stdout.trimEnd(), ...(code !== 0 && { stderr }) }).toEqual({
      code: 0,
      stdout: page.output.trimEnd(),
    });
  });
});

describe.each(all)('the page $name', ({ program, output, text }) => {
  it('begins with a heading, and has code on the first screen', () => {
    const lines = program.split('\n');

    expect(text).toMatch(/^# \S/);
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

  it('has none of the words that say nothing', () => {
    const prose = text.replace(/^```.*?^```/gms, '').replace(/`[^`]*`/g, '');

    expect(prose.match(FILLER) ?? []).toEqual([]);
  });

  it('links to files that exist', () => {
    expect(deadLinks(text)).toEqual([]);
  });
});

describe('the index of the guide', () => {
  it('lists every page', () => {
    const listed = [...index.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name]) => name);

    expect(listed).toEqual(expect.arrayContaining(all.map(({ name }) => name)));
    expect(new Set(listed).size).toBe(listed.length);
  });
});

describe('how a page is read', () => {
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

  it('its ts blocks are one module, in the lines that they have on the page', () => {
    const lines = page.program.split('\n');

    expect(lines.filter((line) => line !== '')).toEqual(['const one = 1;', 'console.log(one);']);
    expect(lines.indexOf('const one = 1;')).toBe(2);
    expect(lines.indexOf('console.log(one);')).toBe(9);
  });

  it('its text blocks are the output, in order', () => {
    expect(page.output).toBe('1\n2');
  });

  it('a block that is not closed is an error', () => {
    expect(() => readPage('page', `${fence}ts\nconst one = 1;`)).toThrow(
      'page.md has a block that is not closed',
    );
  });
});

/** Words that sell, soothe or shout. */
const FILLER = /\b(simply|just|easy|easily|obviously|of course|basically|seamless(ly)?)\b|!/gi;

function deadLinks(text: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = '']) => link);
  return links.filter((link) => !existsSync(path.join(GUIDE, link)));
}
