/**
 * The rules of the source tree, as functions from a tree to the sentences it deserves.
 *
 * In: the files of `src/` as path → text (a real tree or a made-up one). Out: a list of complaints,
 * empty when the tree keeps the rule. Imports are read from the syntax tree, so nothing here
 * depends on the linter and no lint suppression can weaken it.
 */
import { isBuiltin } from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import { commentsOf, importsOf, parse, type Import } from '../support/imports.js';

/** The folders of `src/` from top to bottom: each may import from itself and from those above it. */
export const FOLDERS = [
  'define',
  'plan',
  'question',
  'engine',
  'state',
  'once',
  'server',
  'http',
  'client',
  'dev',
] as const;

/** The files anyone may import, which import nothing of ours. */
export const LEAVES = ['errors.ts', 'platform.ts'];

/** One source file, parsed. */
export interface Module {
  /** The path relative to `src/`, with forward slashes. */
  readonly path: string;
  readonly file: ts.SourceFile;
  readonly imports: readonly Import[];
}

/** An import of one of our own files by another. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

/** Parses a tree given as path (relative to `src/`) → text. */
export function readTree(files: Readonly<Record<string, string>>): Module[] {
  return Object.entries(files).map(([name, text]) => {
    const file = parse(name, text);
    return { path: name, file, imports: importsOf(file) };
  });
}

/** The place of a file: the name of its folder, `leaf` or `entry`. */
export function placeOf(modulePath: string): string {
  if (modulePath.includes('/')) return modulePath.slice(0, modulePath.indexOf('/'));
  return LEAVES.includes(modulePath) ? 'leaf' : 'entry';
}

/** The imports among our own files, type imports included. */
export function edgesOf(tree: readonly Module[]): Edge[] {
  return tree.flatMap((module) =>
    module.imports.filter(isRelative).map(({ specifier }) => ({
      from: module.path,
      to: targetOf(module, specifier),
    })),
  );
}

/** Imports name a file of the tree by its relative path, and never the package by its own name. */
export function unknownImports(tree: readonly Module[]): string[] {
  const known = new Set(tree.map((module) => module.path));
  const missing = edgesOf(tree)
    .filter((edge) => !known.has(edge.to))
    .map((edge) => `${edge.from} imports ${edge.to}, which is not a file of src`);
  const computedOrSelf = complaints(tree, (entry) =>
    /^mcp-resolve(\/|$)/.test(entry.specifier) || !/^[\w@.][\w@./:-]*$/.test(entry.specifier)
      ? 'use the relative path of the file'
      : undefined,
  );
  return [...missing, ...computedOrSelf];
}

/** A folder imports from itself, from the folders above it and from the leaves. */
export function layering(tree: readonly Module[]): string[] {
  const homeless = tree
    .filter(({ path }) => path.includes('/') && rankOf(placeOf(path)) === -1)
    .map(({ path }) => `${path} is in a folder which has no place in the order`);
  const wrong = edgesOf(tree)
    .filter((edge) => !mayImport(placeOf(edge.from), placeOf(edge.to)))
    .map(
      (edge) =>
        `${edge.from} imports ${edge.to}: ${placeOf(edge.from)} may not import ${placeOf(edge.to)}`,
    );
  return [...homeless, ...wrong];
}

function mayImport(from: string, to: string): boolean {
  if (from === 'leaf' || to === 'entry') return false;
  if (from === 'entry' || to === 'leaf') return true;
  return rankOf(to) <= rankOf(from);
}

function rankOf(place: string): number {
  return FOLDERS.findIndex((folder) => folder === place);
}

/** An entry file is a list of named re-exports. */
export function thinEntries(tree: readonly Module[]): string[] {
  return tree
    .filter((module) => placeOf(module.path) === 'entry')
    .flatMap((module) =>
      module.file.statements
        .filter((statement) => !ts.isExportDeclaration(statement) || !statement.moduleSpecifier)
        .map((statement) => `${module.path} holds more than re-exports: ${firstLine(statement)}`),
    );
}

function firstLine(statement: ts.Statement): string {
  return statement.getText().split('\n', 1)[0] ?? '';
}

/** No file reaches itself again through imports, type imports included. */
export function cycles(tree: readonly Module[]): string[] {
  const next = groupByFrom(edgesOf(tree));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start !== -1) found.push([...trail.slice(start), file].join(' -> '));
    if (start !== -1 || done.has(file)) return;
    for (const target of next.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const module of tree) visit(module.path, []);
  return found;
}

function groupByFrom(edges: readonly Edge[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { from, to } of edges) groups.set(from, [...(groups.get(from) ?? []), to]);
  return groups;
}

/** `define/` and `graph/` know the protocol SDK by its types alone. */
export function protocolFree(tree: readonly Module[]): string[] {
  const pure = tree.filter((module) => ['define', 'graph'].includes(placeOf(module.path)));
  return complaints(pure, (entry) =>
    entry.specifier.startsWith('@modelcontextprotocol/') && !entry.typeOnly
      ? 'this folder may import only its types'
      : undefined,
  );
}

/** Modules of Node are imported by what serves and by the command alone. */
export function runtimeNeutral(tree: readonly Module[]): string[] {
  const neutral = tree.filter(({ path }) => !NODE_ALONE.some((place) => path.startsWith(place)));
  return complaints(neutral, (entry) =>
    isBuiltin(entry.specifier) || entry.specifier.startsWith('node:')
      ? 'only http, node.ts, workbench/cli and cli.ts run on Node alone'
      : undefined,
  );
}

const NODE_ALONE = ['http/', 'node.ts', 'workbench/cli/', 'cli.ts'];

/** Every export is named. */
export function wildcardExports(tree: readonly Module[]): string[] {
  return tree.flatMap((module) =>
    module.file.statements
      .filter((statement) => ts.isExportDeclaration(statement))
      .filter(({ exportClause }) => !exportClause || ts.isNamespaceExport(exportClause))
      .map((statement) => `${module.path} exports a wildcard: ${firstLine(statement)}`),
  );
}

/** No lint rule about imports is switched off, by its name or with all the others. */
export function suppressedImportRules(tree: readonly Module[]): string[] {
  return tree.flatMap((module) =>
    commentsOf(module.file)
      .filter(suppressesImports)
      .map((comment) => `${module.path} switches off an import rule: ${comment}`),
  );
}

function suppressesImports(comment: string): boolean {
  const directive = /eslint-disable(?:-next-line|-line)?(?<rules>[^]*)/.exec(comment);
  if (!directive) return false;
  const [named = ''] = (directive.groups?.rules ?? '').replace('*/', '').split(/\s--/, 1);
  return named.trim() === '' || named.includes('import');
}

function complaints(
  modules: readonly Module[],
  judge: (entry: Import) => string | undefined,
): string[] {
  return modules.flatMap((module) =>
    module.imports.flatMap((entry) => {
      const reason = judge(entry);
      return reason ? [`${module.path} imports ${entry.specifier}: ${reason}`] : [];
    }),
  );
}

function isRelative(entry: Import): boolean {
  return entry.specifier.startsWith('.');
}

function targetOf(module: Module, specifier: string): string {
  const target = path.posix.join(path.posix.dirname(module.path), specifier);
  return target.replace(/\.js$/, '.ts');
}
