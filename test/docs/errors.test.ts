/**
 * Tests docs/guide/errors.md against the sources. Every string in `src/` with two or more words is
 * a message until proven otherwise, so a new message without a line on the page fails here. Its
 * placeholders match any text within one line of the page.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

import { ROOT } from '../support/compilers.js';
import { GUIDE } from './page.js';

const read = (...steps: string[]): Promise<string> => readFile(path.join(...steps), 'utf8');

const page = await read(GUIDE, 'errors.md');
const once = await read(GUIDE, 'once.md');
const errors = await read(ROOT, 'src/errors.ts');
const onceErrors = await read(ROOT, 'src/once/singleUse.ts');

/** Files whose strings are not messages. */
const NO_MESSAGES: Readonly<Record<string, string>> = {
  'theme.ts': 'a style sheet',
  'approvals/page/views.ts': 'the words of the page',
  'dev/cli/commandLine.ts: HELP': 'the text of --help, which api.md repeats',
  'dev/page/client': 'draws the page',
  'dev/page/cheatWords.ts': 'the words of the page',
  'dev/page/changeOne.ts': 'the words of the page',
  'dev/page/module': 'the words of the page',
  'dev/page/server/pageFiles.ts': 'the HTML and the headers of the page',
  'dev/graph/mermaid.ts': 'draws',
  'dev/graph/picture': 'draws',
  'dev/graph/text.ts': 'prints a graph',
  'dev/graph/words.ts': 'prints a graph',
  'dev/testing/storeContract.ts': 'names the checks of a contract, which are sentences themselves',
  'dev/trace/timelineRows.ts': 'prints a timeline',
};

/** Strings that no user reads as a message. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'expected { confirm: boolean }': 'an issue of a schema, which is never shown',
  'The plan has no node <>.': 'an invariant',
  'The server has no port.': 'an invariant',
  'The handler of <> was removed.': 'an invariant',
  'Resource template': 'the name of a definition in another message',
  'GET, HEAD, POST': 'a header of the page of approvals',
  'text/html; charset=utf-8': 'a header of the page of approvals',
  "default-src 'none'; style-src 'sha256-<>'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'":
    'a header of the page of approvals',
  'The key ring is empty.': 'an invariant',
  'asks for an approval, which no client can give': 'an invariant',
  'not the requester': 'a reason, which api.md lists',
  'not in the group': 'a reason, which api.md lists',
  'counted already': 'a reason, which api.md lists',
  'the caller of the test': 'a principal',
  '`node:crypto` is not available in this runtime.': 'an invariant',
  'The server pushed a question on the modern era, which does not push questions.': 'an invariant',
  'POST action': 'an address of the page',
  'GET news': 'an address of the page',
  '<> is at <>\n': 'the address that the command prints',
  'question: confirm(message, { NAME: … })': 'a part of the hint about options in a wrong place',
  'resolver: resolver(needs, fn, { NAME: … })': 'a part of the same hint',
  'tool: defineTool(name, { NAME: … }, body)': 'a part of the same hint',
  'OOM command not allowed': 'the words of Redis',
  'MCP error <>: ': 'the words of SDK 1.x',
  'mcp-resolve answers this request.': 'an invariant',
  'disallow questions and outcomes as conditions': 'the description of a rule of ESLint',
  'require that questions are returned': 'the description of a rule of ESLint',
  'disallow values in questions that change in each round': 'the description of a rule of ESLint',
  'neither yes nor no': 'a wrong answer of a probe',
  'not an array': 'a wrong answer of a probe',
  'only modern': 'a label in the message about a difference between the eras',
  'only legacy': 'a label in the message about a difference between the eras',
  '<>, in round <>': 'a line of the message about a question without an answer',
  'still running': 'a word of the timeline',
  '<> (recorded result)': 'a word of the timeline',
};

describe('the page about errors', () => {
  test.each(stringsOf(errors, 'InvalidGraphCode'))('has a heading for %s', (code) => {
    expect(page).toContain(`\n### ${code}\n`);
  });

  test.each(stringsOf(errors, 'RejectReason'))('names the reason %s', (reason) => {
    expect(page).toContain(`\`${reason}\``);
  });

  test.each([...onceErrors.matchAll(/^ {2}(\w+):/gm)].map(([, reason = '']) => reason))(
    'names the reason %s, as the page about `once` does',
    (reason) => {
      expect(page).toContain(`\`${reason}\``);
      expect(once).toContain(`\`${reason}\``);
    },
  );

  test('has every message of the sources', async () => {
    const lines = plain(page.replaceAll(String.raw`\|`, '|')).split('\n');
    const missing = (await messages()).filter((message) => {
      const pattern = patternOf(message);
      return !lines.some((line) => pattern.test(line));
    });

    expect([...new Set(missing)]).toEqual([]);
  });

  test('has exceptions only for strings that exist', async () => {
    const found = new Set(await allStrings());

    expect(Object.keys(EXCEPTIONS).filter((text) => !found.has(text))).toEqual([]);
  });
});

/** Reads the strings of a union type from its source. */
function stringsOf(source: string, union: string): string[] {
  const body = new RegExp(`export type ${union} =([^;]+);`).exec(source)?.[1] ?? '';
  return [...body.matchAll(/'([^']+)'/g)].map(([, string = '']) => string);
}

/** A string of the sources, with `<>` in the place of each expression. */
interface Found {
  readonly file: string;
  readonly text: string;
}

async function messages(): Promise<string[]> {
  return (await allStrings()).filter((text) => !(text in EXCEPTIONS));
}

async function allStrings(): Promise<string[]> {
  const folder = path.join(ROOT, 'src');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const found = await Promise.all(
    files.map(async (file) => stringsIn(file, await read(folder, file))),
  );
  return found
    .flat()
    .filter(isMessage)
    .map(({ text }) => text);
}

function isMessage({ file, text }: Found): boolean {
  const isProse = (text.replaceAll('<>', ' ').match(/[A-Za-z']{2,}/g) ?? []).length >= 2;
  const isScript =
    /^(#!lua |local |CREATE |INSERT |SELECT |UPDATE |WITH |clock_timestamp)|^(<>)?\n/.test(text);
  const isElsewhere = Object.keys(NO_MESSAGES).some((place) => file.startsWith(place));
  return isProse && text.includes(' ') && !isScript && !isElsewhere;
}

/** Returns the strings, templates and template types of a file. */
function stringsIn(file: string, code: string): Found[] {
  const found: Found[] = [];
  const visit = (node: ts.Node, constant: string): void => {
    const text = textOf(node);
    if (text !== undefined) found.push({ file: `${file}${constant}`, text });
    if (text !== undefined && !ts.isTemplateExpression(node)) return;
    const name =
      ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)
        ? `: ${node.name.text}`
        : constant;
    ts.forEachChild(node, (child) => {
      visit(child, name);
    });
  };
  visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest), '');
  return found;
}

/** Returns the text of a string, a template, or a sum with one of them. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node) || ts.isTemplateLiteralTypeNode(node)) {
    const spans: readonly { readonly literal: ts.LiteralLikeNode }[] = [...node.templateSpans];
    return node.head.text + spans.map(({ literal }) => `<>${literal.text}`).join('');
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken)
    return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  if (left === undefined && right === undefined) return undefined;
  return `${left ?? '<>'}${right ?? '<>'}`;
}

/** Returns a pattern that finds a message in a line of the page. */
function patternOf(message: string): RegExp {
  // `{{ code }}` is a placeholder of ESLint.
  const parts = plain(message.trim()).split(/<>|\{\{ \w+ \}\}/);
  const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(escaped.join('.{0,120}?'));
}

/** Removes the marks of code, which a message and the page use in different ways. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}
