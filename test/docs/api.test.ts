/**
 * Tests docs/guide/api.md against the sources: the exports of every entry point, the properties of
 * every options interface, the events, and the flags of the command. A new name without a reason,
 * or a new option without a line, fails here.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as approvals from 'mcp-resolve/approvals';
import * as client from 'mcp-resolve/client';
import * as eslint from 'mcp-resolve/eslint';
import * as engine from 'mcp-resolve/engine';
import * as graph from 'mcp-resolve/graph';
import * as main from 'mcp-resolve';
import * as node from 'mcp-resolve/node';
import * as otel from 'mcp-resolve/otel';
import * as store from 'mcp-resolve/store';
import * as testing from 'mcp-resolve/testing';
import * as v1 from 'mcp-resolve/v1';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import { HELP } from '../../src/dev/cli/commandLine.js';
import { RULE_CODES } from '../../src/dev/cli/rules.js';
import { ROOT } from '../support/compilers.js';
import { GUIDE, TIMEOUT_MS } from './page.js';

const ENTRIES = {
  'mcp-resolve': main,
  'mcp-resolve/engine': engine,
  'mcp-resolve/node': node,
  'mcp-resolve/client': client,
  'mcp-resolve/store': store,
  'mcp-resolve/approvals': approvals,
  'mcp-resolve/graph': graph,
  'mcp-resolve/testing': testing,
  'mcp-resolve/otel': otel,
  'mcp-resolve/eslint': eslint,
  'mcp-resolve/v1': v1,
};

const sourceOf = (entry: string): string =>
  path.join(ROOT, 'src', `${entry.split('/')[1] ?? 'index'}.ts`);

const config = ts.getParsedCommandLineOfConfigFile(
  path.join(ROOT, 'tsconfig.json'),
  { noEmit: true },
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
);
const program = ts.createProgram(Object.keys(ENTRIES).map(sourceOf), config?.options ?? {});
const checker = program.getTypeChecker();

const page = await readFile(path.join(GUIDE, 'api.md'), 'utf8');
const exported = exportedSymbols();
const types = propertiesOf(Object.values(exported).flat());
const tables = tablesIn(page);

describe('the reference', () => {
  it('lists exactly the functions and classes of every entry point', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `mcp-resolve'));
    const listed = rows
      .map(cellsOf)
      .map(([entry = '', exported = '']) => [
        entry.replaceAll('`', ''),
        Array.from(exported.matchAll(/\[`(\w+)`\]/g), ([, name]) => name).sort(),
      ]);
    const values = Object.entries(ENTRIES).map(([name, entry]) => [
      name,
      Object.keys(entry).sort(),
    ]);

    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(values));
  });

  it('lists the entry points of the package', async () => {
    const manifest = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
      exports: object;
      typesVersions: { '*': object };
    };
    const entries = Object.keys(ENTRIES).map((name) => name.replace('mcp-resolve', '.'));
    // Compilers that do not read `exports` use `typesVersions`.
    const subpaths = Object.keys(manifest.typesVersions['*']).map((name) => `./${name}`);

    expect(Object.keys(manifest.exports).sort()).toEqual([...entries, './package.json'].sort());
    expect(['.', ...subpaths].sort()).toEqual(entries.sort());
  });

  it('has a heading for every function and class', () => {
    const headings = Array.from(page.matchAll(/^### (.+)$/gm), ([, heading = '']) => heading);
    const values = new Set(Object.values(ENTRIES).flatMap((entry) => Object.keys(entry)));

    expect(headings.flatMap((heading) => heading.split(', '))).toEqual(
      expect.arrayContaining([...values]),
    );
  });

  it.each(Object.entries(ENTRIES))('says what each type of %s is written for', (entry, values) => {
    const rows = page
      .slice(page.indexOf('\n## Types\n'))
      .split('\n')
      .map(cellsOf)
      .filter(([, from, reason]) => from === `\`${entry}\`` && reason !== '');
    const listed = rows.flatMap(([names = '']) =>
      Array.from(names.matchAll(/`(\w+)/g), ([, name]) => name),
    );
    const names = (exported[entry] ?? []).map(({ name }) => name);

    expect(listed.sort()).toEqual(names.filter((name) => !(name in values)).sort());
  });

  it('links to its own headings', () => {
    const headings = Array.from(page.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => slug(heading));
    const links = Array.from(page.matchAll(/\]\(#([^)]+)\)/g), ([, anchor]) => anchor);

    expect(links.filter((anchor) => !headings.includes(anchor ?? ''))).toEqual([]);
  });

  it.each(Object.keys(types).filter((name) => /(Options|Config|Settings)$/.test(name)))(
    'has a table of %s',
    (name) => {
      expect(Object.keys(tables)).toContain(name);
    },
  );

  it.each(Object.entries(tables))(
    'names every property of %s, and no other',
    (name, { rows, bases }) => {
      const properties = types[name] ?? [];
      const inherited = bases.flatMap((base) => tables[base]?.rows ?? []);
      const documented = [...rows, ...inherited.filter((row) => properties.includes(row))];

      expect([...new Set(documented)].sort()).toEqual([...properties].sort());
      expect(rows.filter((row) => !properties.includes(row))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each(Object.keys(types).filter((name) => /.Event$/.test(name) && name !== 'CallEvent'))(
    'names every property of %s',
    (name) => {
      const events = page.slice(
        page.indexOf('\n### Events\n'),
        page.indexOf('\n## mcp-resolve/node'),
      );

      expect((types[name] ?? []).filter((property) => !events.includes(`\`${property}\``))).toEqual(
        [],
      );
    },
  );

  it('names every flag of the command and every code of a finding', () => {
    const commandLine = page.slice(page.indexOf('\n## Command line\n'));
    const flags = new Set(HELP.match(/(?<![\w-])--?[a-z][a-z-]*/g));
    const wanted = [...flags].map((flag) => `\`${flag}`);

    expect(wanted.length).toBeGreaterThan(8);
    expect(
      [...wanted, ...RULE_CODES.map((code) => `\`${code}\``)].filter(
        (text) => !commandLine.includes(text),
      ),
    ).toEqual([]);
  });
});

interface Table {
  /** The names in the first column. */
  readonly rows: readonly string[];
  /** The other types that the caption names. */
  readonly bases: readonly string[];
}

/**
 * Returns the tables of the page that describe a type. A caption starts with the name of the type
 * in bold and code. It may name other types whose rows it includes.
 */
function tablesIn(text: string): Record<string, Table> {
  const captions = text.matchAll(/^\*\*`(\w+)`\*\*(.*)\n\n((?:\|.*\n)+)/gm);
  return Object.fromEntries(
    Array.from(captions, ([, name = '', rest = '', table = '']) => [
      name,
      {
        rows: table
          .split('\n')
          .slice(2, -1)
          .map((row) => (cellsOf(row)[0] ?? '').replaceAll('`', '')),
        bases: Array.from(rest.matchAll(/`(\w+)`/g), ([, base = '']) => base),
      },
    ]),
  );
}

/** Returns the cells of a row. A backslash escapes a bar inside a cell. */
function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Returns the anchor of a heading. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** Returns the exports of every entry point, values and types. */
function exportedSymbols(): Record<string, readonly ts.Symbol[]> {
  return Object.fromEntries(
    Object.keys(ENTRIES).map((entry) => {
      const source = program.getSourceFile(sourceOf(entry));
      const module = source && checker.getSymbolAtLocation(source);
      return [entry, module === undefined ? [] : checker.getExportsOfModule(module)];
    }),
  );
}

/** Returns the public properties of every type. */
function propertiesOf(symbols: readonly ts.Symbol[]): Record<string, readonly string[]> {
  return Object.fromEntries(
    symbols.map((symbol) => {
      const type = checker.getDeclaredTypeOfSymbol(
        symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
      );
      const members = type.isUnion() ? type.types : [type];
      const names = members.flatMap((member) => checker.getPropertiesOfType(member).map(nameOf));
      // `~definition` and properties with a symbol as their name are internal.
      return [symbol.name, [...new Set(names)].filter((name) => /^\w+$/.test(name))];
    }),
  );
}

function nameOf({ name }: ts.Symbol): string {
  return name.startsWith('__@') ? '~symbol' : name;
}
