/**
 * Tests the rules of the source tree: folders import upwards only, entry files only re-export, and
 * imports form no cycle.
 *
 * The rules run twice. On `src/` they find nothing. On small sample trees, each finds the mistake
 * that it is for.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import {
  cycles,
  edgesOf,
  layering,
  misnamedEntries,
  pageApart,
  placeOf,
  privateProperties,
  protocolFree,
  readTree,
  runtimeNeutral,
  sharedNames,
  suppressedImportRules,
  thinEntries,
  unknownImports,
  wildcardExports,
} from './rules.js';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

function readSources(): Record<string, string> {
  const names = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  const sources = names.filter((name) => /\.[cm]?tsx?$/.test(name)).sort();
  return Object.fromEntries(
    sources.map((name) => [
      name.split(path.sep).join('/'),
      readFileSync(path.join(SRC, name), 'utf8'),
    ]),
  );
}

describe('the source tree', () => {
  const tree = readTree(readSources());

  it('contains the folders and imports that the rules check', () => {
    const places = new Set(tree.map((module) => placeOf(module.path)));
    expect([...places]).toEqual(
      expect.arrayContaining([
        'author',
        'plan',
        'question',
        'engine',
        'call',
        'host',
        'entry',
        'leaf',
      ]),
    );
    expect(edgesOf(tree).length).toBeGreaterThan(20);
    expect(edgesOf(tree).filter(({ from }) => placeOf(from) !== 'entry').length).toBeGreaterThan(
      20,
    );
  });

  it('imports only its own files, by their relative paths', () => {
    expect(unknownImports(tree)).toEqual([]);
  });

  it('imports upwards only', () => {
    expect(layering(tree)).toEqual([]);
  });

  it('has entry files that only re-export', () => {
    expect(thinEntries(tree)).toEqual([]);
  });

  it('has no cycle between files and folders at any level, type imports included', () => {
    expect(cycles(tree)).toEqual([]);
  });

  it('has no two files with the same name', () => {
    expect(sharedNames(tree)).toEqual([]);
  });

  it('names its entry files like the subpaths of the package', () => {
    const subpaths = Object.keys(packageJson.exports).map((subpath) => subpath.replace('./', ''));
    expect(misnamedEntries(tree, subpaths)).toEqual([]);
  });

  it('uses private properties of the SDK in one file only', () => {
    expect(privateProperties(tree)).toEqual([]);
  });

  it('imports only types of the SDK in define and plan', () => {
    expect(protocolFree(tree)).toEqual([]);
  });

  it('imports Node modules only to serve and for the command', () => {
    expect(runtimeNeutral(tree)).toEqual([]);
  });

  it('keeps the page of the command out of all other entry files', () => {
    expect(pageApart(tree)).toEqual([]);
  });

  it('has no wildcard export', () => {
    expect(wildcardExports(tree)).toEqual([]);
  });

  it('disables no lint rule about imports', () => {
    expect(suppressedImportRules(tree)).toEqual([]);
  });
});

describe('the rules', () => {
  const mistakes = [
    {
      mistake: 'an import of a lower folder',
      rule: layering,
      files: {
        'author/tool.ts': `import { plan } from '../plan/plan.js';`,
        'plan/plan.ts': `export const plan = 1;`,
      },
      complaint: 'author/tool.ts imports plan/plan.ts: author may not import plan',
    },
    {
      mistake: 'a type import of a lower folder',
      rule: layering,
      files: {
        'plan/plan.ts': `export type Wire = import('../host/install.js').Wire;`,
        'host/install.ts': `export interface Wire {}`,
      },
      complaint: 'plan/plan.ts imports host/install.ts: plan may not import host',
    },
    {
      mistake: 'an import of an entry file',
      rule: layering,
      files: { 'host/install.ts': `export { x } from '../index.js';`, 'index.ts': `` },
      complaint: 'host/install.ts imports index.ts: host may not import entry',
    },
    {
      mistake: 'a leaf file with an import',
      rule: layering,
      files: {
        'errors.ts': `import type { Tool } from './author/tool.js';`,
        'author/tool.ts': `export interface Tool {}`,
      },
      complaint: 'errors.ts imports author/tool.ts: leaf may not import author',
    },
    {
      mistake: 'a folder without a place in the order',
      rule: layering,
      files: { 'utils/misc.ts': `export const misc = 1;` },
      complaint: 'utils/misc.ts is in a folder that has no place in the order',
    },
    {
      mistake: 'an import of a file outside the tree',
      rule: unknownImports,
      files: { 'host/version.ts': `import pkg from '../../package.json';` },
      complaint: 'host/version.ts imports ../package.json, which is not a file of src',
    },
    {
      mistake: 'an import of the package by its own name',
      rule: unknownImports,
      files: { 'host/install.ts': `import { defineTool } from 'mcp-resolve';` },
      complaint: 'host/install.ts imports mcp-resolve: use the relative path of the file',
    },
    {
      mistake: 'an import with a computed path',
      rule: unknownImports,
      files: { 'host/install.ts': 'await import(`./${name}.js`);' },
      complaint: 'host/install.ts imports `./${name}.js`: use the relative path of the file',
    },
    {
      mistake: 'an entry file with code',
      rule: thinEntries,
      files: { 'index.ts': `// A list.\nexport { x } from './errors.js';\nexport const y = 1;` },
      complaint: 'index.ts holds more than re-exports: export const y = 1;',
    },
    {
      mistake: 'a cycle through a type import',
      rule: cycles,
      files: {
        'plan/a.ts': `import { b } from './b.js';`,
        'plan/b.ts': `import { c } from './c.js';`,
        'plan/c.ts': `import type { A } from './a.js';`,
      },
      complaint: 'plan/a.ts -> plan/b.ts -> plan/c.ts -> plan/a.ts',
    },
    {
      mistake: 'a cycle between folders whose files form none',
      rule: cycles,
      files: {
        'host/call/a.ts': `import { b } from '../install/b.js';`,
        'host/install/b.ts': ``,
        'host/install/c.ts': `import { d } from '../call/d.js';`,
        'host/call/d.ts': ``,
      },
      complaint: 'host/call -> host/install -> host/call',
    },
    {
      mistake: 'a cycle between a file and a folder beside it',
      rule: cycles,
      files: {
        'host/context.ts': `import type { A } from './call/a.js';`,
        'host/call/a.ts': ``,
        'host/call/b.ts': `import { c } from '../context.js';`,
      },
      complaint: 'host/context.ts -> host/call -> host/context.ts',
    },
    {
      mistake: 'two files with the same name',
      rule: sharedNames,
      files: { 'author/options.ts': ``, 'host/options.ts': `` },
      complaint: 'author/options.ts and host/options.ts have the same name',
    },
    {
      mistake: 'an entry file with another name than its subpath',
      rule: (tree: ReturnType<typeof readTree>) => misnamedEntries(tree, ['graph']),
      files: { 'graph.ts': ``, 'explain.ts': `` },
      complaint: 'explain.ts is not named like a subpath of the package',
    },
    {
      mistake: 'a private property of the SDK in another file',
      rule: privateProperties,
      files: { 'host/install.ts': `Reflect.get(server, '_requestHandlers');` },
      complaint: 'host/install.ts uses _requestHandlers: only host/sdkInternals.ts may',
    },
    {
      mistake: 'an import of the SDK in define that is not type-only',
      rule: protocolFree,
      files: {
        'author/tool.ts': `import { type Tool } from '@modelcontextprotocol/server';`,
        'plan/plan.ts': `import type { Tool } from '@modelcontextprotocol/server';`,
      },
      complaint:
        'author/tool.ts imports @modelcontextprotocol/server: this folder may import only its types',
    },
    {
      mistake: 'a Node module in the core',
      rule: runtimeNeutral,
      files: {
        'state/seal.ts': `const { subtle } = await import('node:crypto');`,
        'http/serve.ts': `import { createServer } from 'node:http';`,
      },
      complaint:
        'state/seal.ts imports node:crypto: only http, node.ts, the command and cli.ts require Node',
    },
    {
      mistake: 'the library of the page in another folder',
      rule: pageApart,
      files: { 'dev/graph/draw.ts': `import { h } from 'preact';` },
      complaint: 'dev/graph/draw.ts imports preact: only dev/page/client runs in a browser',
    },
    {
      mistake: 'an entry file that loads the page',
      rule: pageApart,
      files: {
        'testing.ts': `export { run } from './dev/run.js';`,
        'dev/run.ts': `import { serve } from './page/serve.js';`,
        'dev/page/serve.ts': ``,
      },
      complaint: 'testing.ts loads dev/page/serve.ts: only the command may',
    },
    {
      mistake: 'a wildcard export',
      rule: wildcardExports,
      files: { 'index.ts': `export * from './errors.js';`, 'errors.ts': `` },
      complaint: "index.ts exports a wildcard: export * from './errors.js';",
    },
    {
      mistake: 'a disabled lint rule about imports',
      rule: suppressedImportRules,
      files: {
        'host/a.ts': `// eslint-disable-next-line no-restricted-imports -- reason\nimport 'x';`,
        'host/b.ts': `// eslint-disable-next-line max-params -- about imports\nimport 'x';`,
      },
      complaint:
        'host/a.ts disables an import rule: // eslint-disable-next-line no-restricted-imports -- reason',
    },
    {
      mistake: 'a directive that disables all lint rules',
      rule: suppressedImportRules,
      files: { 'host/a.ts': `/* eslint-disable */\nimport 'x';` },
      complaint: 'host/a.ts disables an import rule: /* eslint-disable */',
    },
  ];

  for (const { mistake, rule, files, complaint } of mistakes) {
    it(`find ${mistake}`, () => {
      const made: Readonly<Record<string, string>> = files;
      expect(rule(readTree(made))).toEqual([complaint]);
    });
  }
});
