/**
 * Tests the package that `npm pack` would publish. It is unpacked into an empty project, next to
 * its peers, and used there.
 *
 * Needs a build in `dist/`. `npm test -- package` creates it first.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LICENCES, packagesIn } from '../../scripts/licences.js';
import { type Compiler, COMPILER_TIMEOUT, ROOT, tsc } from '../support/compilers.js';
import { importsOf, parse } from '../support/imports.js';

const run = promisify(execFile);
const ENTRIES = [
  'mcp-resolve',
  'mcp-resolve/engine',
  'mcp-resolve/node',
  'mcp-resolve/client',
  'mcp-resolve/store',
  'mcp-resolve/approvals',
  'mcp-resolve/graph',
  'mcp-resolve/testing',
  'mcp-resolve/otel',
  'mcp-resolve/eslint',
  'mcp-resolve/v1',
];
const PEERS = [
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/node',
  '@modelcontextprotocol/client',
  '@opentelemetry/api',
  'eslint',
  'zod',
];

let project: string;
let tarball: string;
let packed: string[];
let installed: string;

beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'mcp-resolve-package-'));
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', project],
    { cwd: ROOT },
  );
  const [report] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  tarball = path.join(project, report.filename);
  packed = report.files.map((file) => file.path);
  installed = await installInto(project);
});

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

/** Returns the relative links and images of a page, without anchors. Code blocks have none. */
function linksOf(text: string): string[] {
  const prose = text.replace(/^```.*?^```/gms, '');
  const links = prose.matchAll(/\]\((?!\w+:|#)([^)#\s]+)|<img src="(?!\w+:)([^"]+)"/g);
  return [...links].map(([, link, image]) => link ?? image ?? '');
}

/** Unpacks the package and links its peers, as an installation would. */
async function installInto(directory: string): Promise<string> {
  const target = path.join(directory, 'node_modules', 'mcp-resolve');
  await mkdir(target, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  for (const peer of PEERS) {
    const link = path.join(directory, 'node_modules', peer);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules', peer), link, 'junction');
  }
  return target;
}

describe('the tarball', () => {
  it('contains a build of every entry point', () => {
    for (const entry of [
      'index',
      'engine',
      'node',
      'client',
      'store',
      'approvals',
      'graph',
      'testing',
      'otel',
      'eslint',
      'v1',
    ]) {
      const outputs = ['.mjs', '.cjs', '.d.mts', '.d.cts'].map((end) => `dist/${entry}${end}`);
      expect(packed).toEqual(expect.arrayContaining(outputs));
    }
  });

  it('contains only the build, the documentation, the examples, the skill and the manifest', () => {
    const others = packed.filter((file) => !/^(dist|docs|examples|skills)\//.test(file)).sort();
    expect(others).toEqual([
      'AGENTS.md',
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'llms.txt',
      'package.json',
    ]);
  });

  it('contains every file that its pages link to', async () => {
    const pages = packed.filter((file) => /\.(md|txt)$/.test(file));
    const dead = await Promise.all(
      pages.map(async (page) => {
        const text = await readFile(path.join(installed, page), 'utf8');
        const links = linksOf(text).map((link) => path.posix.join(path.posix.dirname(page), link));
        return links.filter((link) => !packed.includes(link)).map((link) => `${page}: ${link}`);
      }),
    );
    expect(dead.flat()).toEqual([]);
  });

  it('contains the licence of each package in its bundle', async () => {
    const text = await readFile(path.join(installed, 'dist/page', LICENCES), 'utf8');
    const bundled = packagesIn(text);
    expect(bundled.map(({ name, license }) => `${name}: ${license}`)).toEqual([
      '@preact/signals: MIT',
      '@preact/signals-core: MIT',
      'preact: MIT',
    ]);
    expect(text.match(/^Copyright /gm)).toHaveLength(bundled.length);
  });

  it('passes publint in strict mode', async () => {
    const bytes = await readFile(tarball);
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const { messages, pkg } = await publint({ pack: { tarball: data }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('has types for every module resolution', { timeout: COMPILER_TIMEOUT }, async () => {
    const attw = createRequire(import.meta.url).resolve('@arethetypeswrong/cli/package.json');
    const cli = path.join(path.dirname(attw), 'dist', 'index.js');
    const { stdout } = await run(process.execPath, [cli, tarball]);
    expect(stdout).toContain('mcp-resolve/engine');
  });
});

describe('the installed package', () => {
  it('has a command', async () => {
    const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
      version: string;
    };
    const command = path.join(installed, manifest.bin['mcp-resolve'] ?? '');
    expect((await readFile(command, 'utf8')).split('\n', 1)).toEqual(['#!/usr/bin/env node']);
    const { stdout } = await run(process.execPath, [command, '--version'], { cwd: project });
    expect(stdout).toBe(`${manifest.version}\n`);
  });

  it('exports the same names to import and to require', async () => {
    const imported = await namesSeenBy('names.mjs', (entry) => `await import('${entry}')`);
    const required = await namesSeenBy('names.cjs', (entry) => `require('${entry}')`);
    expect(required).toEqual(imported);
    expect(imported['mcp-resolve']).toEqual(
      expect.arrayContaining(['defineTool', 'install', 'resolver']),
    );
  });

  // Checking libraries takes seconds, so the slow compilers run with one module resolution each.
  for (const [compiler, moduleResolution] of [
    ['typescript-5.9', 'node16'],
    ['typescript', 'bundler'],
    ['typescript-7', 'node16'],
    ['typescript-7', 'bundler'],
  ] as const) {
    it(
      `has declarations that ${compiler} accepts with ${moduleResolution} resolution`,
      async () => {
        expect(await check(compiler, moduleResolution)).toBe('');
      },
      COMPILER_TIMEOUT,
    );
  }

  for (const start of [
    'index',
    'engine',
    'client',
    'store',
    'approvals',
    'graph',
    'testing',
    'otel',
    'eslint',
    'v1',
  ].flatMap((entry) => [`${entry}.mjs`, `${entry}.cjs`, `${entry}.d.mts`, `${entry}.d.cts`])) {
    it(`imports no Node module from ${start}`, async () => {
      const reached = await importsReachedFrom(path.join(installed, 'dist', start));
      expect(reached.files.size).toBeGreaterThan(0);
      expect(reached.outside.filter((specifier) => isBuiltin(specifier))).toEqual([]);
    });
  }
});

/** Runs a script in the project that prints the exports of each entry point. */
async function namesSeenBy(
  script: string,
  load: (entry: string) => string,
): Promise<Record<string, string[]>> {
  const lines = ENTRIES.map((entry) => `'${entry}': Object.keys(${load(entry)}).sort(),`);
  await writeFile(
    path.join(project, script),
    `console.log(JSON.stringify({\n${lines.join('\n')}\n}));\n`,
  );
  const { stdout } = await run(process.execPath, [script], { cwd: project });
  return JSON.parse(stdout) as Record<string, string[]>;
}

/** Compiles a program that imports every entry point, and returns the output of the compiler. */
async function check(compiler: Compiler, moduleResolution: 'node16' | 'bundler'): Promise<string> {
  const directory = await mkdtemp(path.join(project, 'check-'));
  const uses = ENTRIES.map((entry, index) => `export * as entry${index} from '${entry}';`);
  await writeFile(path.join(directory, 'esm.mts'), uses.join('\n'));
  await writeFile(
    path.join(directory, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        module: moduleResolution === 'bundler' ? 'esnext' : 'node16',
        moduleResolution,
        target: 'es2022',
        lib: ['es2023'],
        types: ['node'],
        typeRoots: [path.join(ROOT, 'node_modules/@types')],
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
      },
    }),
  );
  return tsc(compiler, ['-p', directory]);
}

/** Follows relative imports from a built file. Returns the files and all other imports. */
async function importsReachedFrom(
  start: string,
): Promise<{ files: Set<string>; outside: string[] }> {
  const files = new Set<string>();
  const outside: string[] = [];
  const visit = async (file: string): Promise<void> => {
    if (files.has(file)) return;
    files.add(file);
    for (const { specifier } of importsOf(parse(file, await readFile(file, 'utf8')))) {
      if (specifier.startsWith('.')) await visit(builtFile(file, specifier));
      else outside.push(specifier);
    }
  };
  await visit(start);
  return { files, outside };
}

/** Returns the file of an import inside the build. Declaration files import by the script's name. */
function builtFile(from: string, specifier: string): string {
  const named = path.join(path.dirname(from), specifier);
  return /\.d\.[cm]ts$/.test(from) ? named.replace(/\.([cm])js$/, '.d.$1ts') : named;
}
