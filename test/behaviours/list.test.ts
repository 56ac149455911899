/**
 * Checks that the list of behaviours and the test titles agree. Each id in a title is listed, and
 * each listed id is cited by a title or says why not.
 *
 * The rules run on `test/`, where they find no mistake, and on small made-up titles and lists,
 * where each rule finds one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import { parse } from '../support/imports.js';

const TESTS = fileURLToPath(new URL('../', import.meta.url));

/** An id in the title of a test or a suite. */
interface Citation {
  readonly id: string;
  readonly file: string;
}

/** An entry of the list: its id, and the reason why no title cites it, if any. */
interface Entry {
  readonly id: string;
  readonly reason: string | undefined;
}

/** Reads the entries of the list: `- **A1** text`, optionally with `Not cited: reason` at the end. */
function entriesOf(list: string): Entry[] {
  return [...list.matchAll(/^- \*\*([A-Z]\d{1,2})\*\* (.*)$/gm)].map(([, id = '', text = '']) => ({
    id,
    reason: /\bNot cited: (\S.*)$/.exec(text)?.[1],
  }));
}

/** Returns the ids in the titles of a test file, including the tables of `each` and `for`. */
function citationsIn(file: string, text: string): Citation[] {
  const found: Citation[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.arguments[0] && declaresTests(node.expression)) {
      found.push(...idsIn(node.arguments[0]).map((id) => ({ id, file })));
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(file, text));
  return found;
}

/** Recognizes `test`, `it` and `describe` with anything behind them, such as `.each(table)`. */
function declaresTests(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return ['test', 'it', 'describe'].includes(callee.text);
  if (ts.isTaggedTemplateExpression(callee)) return declaresTests(callee.tag);
  if (!ts.isPropertyAccessExpression(callee) && !ts.isCallExpression(callee)) return false;
  return declaresTests(callee.expression);
}

function idsIn(argument: ts.Expression): string[] {
  if (ts.isStringLiteralLike(argument) || ts.isTemplateExpression(argument)) {
    return argument.getText().match(/\b[A-Z]\d{1,2}\b/g) ?? [];
  }
  // A string in a table is data, unless it starts like a title.
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const ids = ts.isStringLiteralLike(node) && /^(?:[A-Z]\d{1,2}[,:] )+/.exec(node.text)?.[0];
    if (ids) found.push(...(ids.match(/\w+/g) ?? []));
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  visit(argument);
  return found;
}

/** Finds ids in titles that are not in the list. */
function unlisted(entries: readonly Entry[], citations: readonly Citation[]): string[] {
  const listed = new Set(entries.map(({ id }) => id));
  return citations
    .filter(({ id }) => !listed.has(id))
    .map(({ id, file }) => `${file} cites ${id}, which is not in the list`);
}

/** Finds entries that no title cites, and reasons that are no longer true. */
function uncited(entries: readonly Entry[], citations: readonly Citation[]): string[] {
  const cited = new Set(citations.map(({ id }) => id));
  return entries.flatMap(({ id, reason }) => {
    if (cited.has(id) && reason) return [`${id} says "Not cited", but a title cites it`];
    if (cited.has(id) || reason) return [];
    return [`${id} is in no title: cite it, or add "Not cited: <reason>" to its entry`];
  });
}

/** Finds ids that are listed twice. */
function repeated(entries: readonly Entry[]): string[] {
  const ids = entries.map(({ id }) => id);
  return ids
    .filter((id, index) => ids.indexOf(id) !== index)
    .map((id) => `${id} is listed more than once`);
}

describe('the list of behaviours', () => {
  const entries = entriesOf(readFileSync(path.join(TESTS, 'behaviours/BEHAVIOURS.md'), 'utf8'));
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' });
  const citations = files
    .filter((file) => /\.[cm]?ts$/.test(file))
    .flatMap((file) => citationsIn(file, readFileSync(path.join(TESTS, file), 'utf8')));

  it('has entries, and test titles cite them', () => {
    expect(entries.length).toBeGreaterThan(200);
    expect(citations.length).toBeGreaterThan(500);
  });

  it('has every id that a title cites', () => {
    expect(unlisted(entries, citations)).toEqual([]);
  });

  it('says why if no title cites an id', () => {
    expect(uncited(entries, citations)).toEqual([]);
  });

  it('has each id once', () => {
    expect(repeated(entries)).toEqual([]);
  });
});

describe('the search for ids', () => {
  const sources: [form: string, source: string, ids: string[]][] = [
    ['the id of a test', `test('Q1: asks', () => {});`, ['Q1']],
    ['several ids', `it('Q1, Q12: asks', () => {});`, ['Q1', 'Q12']],
    ['an id elsewhere in a title', `describe('the desk (Q3)', () => {});`, ['Q3']],
    ['the id in a template', 'test(`Q1: asks ${name}`, () => {});', ['Q1']],
    [
      'the id of a nested test',
      `describe('desk', () => { it.concurrent('Q2: asks', run); });`,
      ['Q2'],
    ],
    ['the id of a table', `test.each([1, 2])('Q1: asks %i times', run);`, ['Q1']],
    ['the id of a tagged table', 'test.each`n ${1}`("Q1: asks $n times", run);', ['Q1']],
    [
      'the ids in a table',
      `it.for([['Q2: form', 'Q7'], ['Q3, Q4: roots']])('%s', run);`,
      ['Q2', 'Q3', 'Q4'],
    ],
    ['no id in other strings', `test('asks', () => { call('Q1: no title'); });`, []],
    ['no id in similar words', `test('UTF8, 2FA, Q123 and v1', run);`, []],
  ];

  it.each(sources)('finds %s', (_, source, ids) => {
    expect(citationsIn('made-up.test.ts', source).map(({ id }) => id)).toEqual(ids);
  });
});

describe('the rules', () => {
  const mistakesIn = (list: string, source: string): string[] => {
    const entries = entriesOf(list);
    const citations = citationsIn('desk.test.ts', source);
    return [...unlisted(entries, citations), ...uncited(entries, citations), ...repeated(entries)];
  };
  const listed = '- **Q1** The desk asks.\n';

  it('accept titles and a list that agree', () => {
    const list = `${listed}- **Q2** The desk refunds. Not cited: not built yet.\n`;
    expect(mistakesIn(list, `test('Q1: asks', run);`)).toEqual([]);
  });

  it('report an id that is not in the list', () => {
    expect(mistakesIn(listed, `test('Q1, Q2: asks', run);`)).toEqual([
      'desk.test.ts cites Q2, which is not in the list',
    ]);
  });

  it('report an entry that no title cites', () => {
    expect(mistakesIn(listed, `test('asks', run);`)).toEqual([
      'Q1 is in no title: cite it, or add "Not cited: <reason>" to its entry',
    ]);
  });

  it('report an entry with an empty reason', () => {
    expect(mistakesIn('- **Q1** The desk asks. Not cited: \n', `test('asks', run);`)).toEqual([
      'Q1 is in no title: cite it, or add "Not cited: <reason>" to its entry',
    ]);
  });

  it('report a reason that is no longer true', () => {
    const list = '- **Q1** The desk asks. Not cited: not built yet.\n';
    expect(mistakesIn(list, `test('Q1: asks', run);`)).toEqual([
      'Q1 says "Not cited", but a title cites it',
    ]);
  });

  it('report an id that is listed twice', () => {
    expect(mistakesIn(listed + listed, `test('Q1: asks', run);`)).toEqual([
      'Q1 is listed more than once',
    ]);
  });
});
