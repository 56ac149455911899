/**
 * The rules of the source tree. Each is a function that takes a tree and returns an array of
 * complaints, which is empty if the tree follows the rule.
 *
 * A tree is `src/` or a sample, as contents by path. Imports are read from the syntax tree, so the
 * rules do not depend on the linter or its suppressions.
 */
import { isBuiltin } from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import { commentsOf, importsOf, parse, type Import } from '../support/imports.js';

/** The folders of `src/` from top to bottom. Each may import from itself and from those above it. */
export const FOLDERS = [
  'author',
  'question',
  'plan',
  'engine',
  'state',
  'store',
  'once',
  'call',
  'definition',
  'host',
  'approvals',
  'http',
  'client',
  'dev',
] as const;

/** The files that every file may import. Each imports only those before it. */
export const LEAVES = [
  'values.ts',
  'options.ts',
  'errors.ts',
  'platform.ts',
  'visibleText.ts',
  'theme.ts',
  'log.ts',
];

/** One source file, parsed. */
export interface Module {
  /** The path relative to `src/`, with forward slashes. */
  readonly path: string;
  readonly file: ts.SourceFile;
  readonly imports: readonly Import[];
}

/** An import of one file of the tree by another. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

/** Parses a tree, given as contents by path relative to `src/`. */
export function readTree(files: Readonly<Record<string, string>>): Module[] {
  return Object.entries(files).map(([name, text]) => {
    const file = parse(name, text);
    return { path: name, file, imports: importsOf(file) };
  });
}

/** Returns the place of a file: the name of its folder, `leaf` or `entry`. */
export function placeOf(modulePath: string): string {
  if (modulePath.includes('/')) return modulePath.slice(0, modulePath.indexOf('/'));
  return LEAVES.includes(modulePath) ? 'leaf' : 'entry';
}

/** Returns the imports between files of the tree, including type imports. */
export function edgesOf(tree: readonly Module[]): Edge[] {
  const known = new Set(tree.map((module) => module.path));
  return tree.flatMap((module) =>
    module.imports.filter(isRelative).map(({ specifier }) => {
      const to = targetOf(module, specifier);
      const withJsx = `${to}x`;
      return { from: module.path, to: known.has(withJsx) ? withJsx : to };
    }),
  );
}

/** Finds imports that are not the relative path of a file of the tree. */
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

/** Finds imports of folders further down, of entry files, and by leaves. */
export function layering(tree: readonly Module[]): string[] {
  const homeless = tree
    .filter(({ path }) => path.includes('/') && rankOf(placeOf(path)) === -1)
    .map(({ path }) => `${path} is in a folder that has no place in the order`);
  const wrong = edgesOf(tree)
    .filter((edge) => !isLowerLeaf(edge) && !mayImport(placeOf(edge.from), placeOf(edge.to)))
    .map(
      (edge) =>
        `${edge.from} imports ${edge.to}: ${placeOf(edge.from)} may not import ${placeOf(edge.to)}`,
    );
  return [...homeless, ...wrong];
}

/** Returns true for an import between leaves in the right order. */
function isLowerLeaf({ from, to }: Edge): boolean {
  return LEAVES.includes(to) && LEAVES.indexOf(to) < LEAVES.indexOf(from);
}

function mayImport(from: string, to: string): boolean {
  if (from === 'leaf' || to === 'entry') return false;
  if (from === 'entry' || to === 'leaf') return true;
  return rankOf(to) <= rankOf(from);
}

function rankOf(place: string): number {
  return FOLDERS.findIndex((folder) => folder === place);
}

/** Finds entry files with statements other than re-exports. */
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

/**
 * Finds cycles of imports, including type imports. At every level of the tree, each file and each
 * folder is one node.
 */
export function cycles(tree: readonly Module[]): string[] {
  const edges = edgesOf(tree);
  return levelsOf(tree).flatMap((level) => cyclesAt(level, edges));
}

/** Returns the folders of the tree as path prefixes. The prefix of the tree itself is empty. */
function levelsOf(tree: readonly Module[]): string[] {
  const prefixes = tree.flatMap(({ path: file }) =>
    [...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index + 1)),
  );
  return ['', ...new Set(prefixes)];
}

function cyclesAt(level: string, edges: readonly Edge[]): string[] {
  const nodeOf = (file: string): string =>
    level + (file.slice(level.length).split('/', 1)[0] ?? '');
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    if (!from.startsWith(level) || !to.startsWith(level) || nodeOf(from) === nodeOf(to)) continue;
    next.set(nodeOf(from), (next.get(nodeOf(from)) ?? new Set()).add(nodeOf(to)));
  }
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    const start = trail.indexOf(node);
    if (start !== -1) found.push([...trail.slice(start), node].join(' -> '));
    if (start !== -1 || done.has(node)) return;
    for (const target of next.get(node) ?? []) visit(target, [...trail, node]);
    done.add(node);
  };
  for (const node of next.keys()) visit(node, []);
  return found;
}

/** Finds files with the same name. */
export function sharedNames(tree: readonly Module[]): string[] {
  const places = new Map<string, string[]>();
  for (const { path: file } of tree) {
    const name = path.posix.basename(file);
    places.set(name, [...(places.get(name) ?? []), file]);
  }
  return [...places.values()]
    .filter((files) => files.length > 1)
    .map((files) => `${files.join(' and ')} have the same name`);
}

/** Finds entry files that are not named like a subpath of the package. */
export function misnamedEntries(tree: readonly Module[], subpaths: readonly string[]): string[] {
  const known = ['index.ts', 'cli.ts', ...subpaths.map((subpath) => `${subpath}.ts`)];
  return tree
    .filter((module) => placeOf(module.path) === 'entry' && !known.includes(module.path))
    .map((module) => `${module.path} is not named like a subpath of the package`);
}

/** Finds private properties of the SDK's classes outside of one file. */
export function privateProperties(tree: readonly Module[]): string[] {
  return tree
    .filter((module) => module.path !== SDK_INTERNALS)
    .flatMap((module) =>
      [...module.file.text.matchAll(/['.\[]['"]?(?<property>_[a-z]\w+)/g)]
        .map(({ groups }) => groups?.property ?? '')
        .filter((property) => property !== '_meta')
        .map((property) => `${module.path} uses ${property}: only ${SDK_INTERNALS} may`),
    );
}

const SDK_INTERNALS = 'host/sdkInternals.ts';

/** Finds imports of the SDK in `author/` and `plan/` that are not type-only. */
export function protocolFree(tree: readonly Module[]): string[] {
  const pure = tree.filter((module) => ['author', 'plan'].includes(placeOf(module.path)));
  return complaints(pure, (entry) =>
    entry.specifier.startsWith('@modelcontextprotocol/') && !entry.typeOnly
      ? 'this folder may import only its types'
      : undefined,
  );
}

/** Finds Node modules outside of the files that serve and the command. */
export function runtimeNeutral(tree: readonly Module[]): string[] {
  const neutral = tree.filter(({ path }) => !NODE_ONLY.some((place) => path.startsWith(place)));
  return complaints(neutral, (entry) =>
    isBuiltin(entry.specifier) || entry.specifier.startsWith('node:')
      ? 'only http, node.ts, the command and cli.ts require Node'
      : undefined,
  );
}

const NODE_ONLY = [
  'http/',
  'node.ts',
  'dev/cli/',
  'dev/load/',
  'dev/page/module/',
  'dev/page/server/',
  'cli.ts',
];

/** Finds imports of the page's libraries outside of the page, and entry files that load the page. */
export function pageApart(tree: readonly Module[]): string[] {
  const others = tree.filter(({ path }) => !path.startsWith('dev/page/client/'));
  const libraries = complaints(others, ({ specifier }) =>
    /^@?preact(\/|$)/.test(specifier) ? 'only dev/page/client runs in a browser' : undefined,
  );
  const edges = edgesOf(tree);
  const entries = tree.filter(({ path }) => placeOf(path) === 'entry' && path !== 'cli.ts');
  const loading = entries.flatMap(({ path }) => {
    const reached = [...reachedFrom(path, edges)].filter((file) => file.startsWith('dev/page/'));
    return reached.map((file) => `${path} loads ${file}: only the command may`);
  });
  return [...libraries, ...loading];
}

/** Returns a file and all files that it imports, directly or not. */
function reachedFrom(start: string, edges: readonly Edge[]): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const file of reached) {
    for (const { from, to } of edges) if (from === file) reached.add(to);
  }
  return reached;
}

/** Finds wildcard exports. */
export function wildcardExports(tree: readonly Module[]): string[] {
  return tree.flatMap((module) =>
    module.file.statements
      .filter((statement) => ts.isExportDeclaration(statement))
      .filter(({ exportClause }) => !exportClause || ts.isNamespaceExport(exportClause))
      .map((statement) => `${module.path} exports a wildcard: ${firstLine(statement)}`),
  );
}

/** Finds directives that disable lint rules about imports. */
export function suppressedImportRules(tree: readonly Module[]): string[] {
  return tree.flatMap((module) =>
    commentsOf(module.file)
      .filter(suppressesImports)
      .map((comment) => `${module.path} disables an import rule: ${comment}`),
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
