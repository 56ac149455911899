/**
 * The source tree keeps its own map: folders import upwards only, entry files are lists, nothing
 * goes round in a circle.
 *
 * The rules are run twice: on `src/`, where they find nothing, and on small made-up trees, where
 * each of them finds the one mistake it is there for.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  cycles,
  edgesOf,
  layering,
  placeOf,
  protocolFree,
  readTree,
  runtimeNeutral,
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

  it('is seen by these rules', () => {
    const places = new Set(tree.map((module) => placeOf(module.path)));
    expect([...places]).toEqual(
      expect.arrayContaining(['define', 'graph', 'question', 'resolve', 'wire', 'entry', 'leaf']),
    );
    expect(edgesOf(tree).length).toBeGreaterThan(20);
    expect(edgesOf(tree).filter(({ from }) => placeOf(from) !== 'entry').length).toBeGreaterThan(
      20,
    );
  });

  it('imports only files which it holds, by their path', () => {
    expect(unknownImports(tree)).toEqual([]);
  });

  it('imports upwards only', () => {
    expect(layering(tree)).toEqual([]);
  });

  it('has entry files which only re-export', () => {
    expect(thinEntries(tree)).toEqual([]);
  });

  it('has no import cycle, type imports included', () => {
    expect(cycles(tree)).toEqual([]);
  });

  it('loads nothing of the protocol in define and graph', () => {
    expect(protocolFree(tree)).toEqual([]);
  });

  it('imports modules of Node where it serves and in the command only', () => {
    expect(runtimeNeutral(tree)).toEqual([]);
  });

  it('has no wildcard export', () => {
    expect(wildcardExports(tree)).toEqual([]);
  });

  it('switches off no lint rule about imports', () => {
    expect(suppressedImportRules(tree)).toEqual([]);
  });
});

describe('the rules', () => {
  const mistakes = [
    {
      mistake: 'an import of a lower folder',
      rule: layering,
      files: {
        'define/tool.ts': `import { plan } from '../plan/plan.js';`,
        'graph/plan.ts': `export const plan = 1;`,
      },
      complaint: 'define/tool.ts imports graph/plan.ts: define may not import graph',
    },
    {
      mistake: 'a type import of a lower folder',
      rule: layering,
      files: {
        'graph/plan.ts': `export type Wire = import('../wire/install.js').Wire;`,
        'wire/install.ts': `export interface Wire {}`,
      },
      complaint: 'graph/plan.ts imports wire/install.ts: graph may not import wire',
    },
    {
      mistake: 'an import of an entry file',
      rule: layering,
      files: { 'wire/install.ts': `export { x } from '../index.js';`, 'index.ts': `` },
      complaint: 'wire/install.ts imports index.ts: wire may not import entry',
    },
    {
      mistake: 'a leaf which imports',
      rule: layering,
      files: {
        'errors.ts': `import type { Tool } from './define/tool.js';`,
        'define/tool.ts': `export interface Tool {}`,
      },
      complaint: 'errors.ts imports define/tool.ts: leaf may not import define',
    },
    {
      mistake: 'a folder without a place',
      rule: layering,
      files: { 'utils/misc.ts': `export const misc = 1;` },
      complaint: 'utils/misc.ts is in a folder which has no place in the order',
    },
    {
      mistake: 'an import of a file outside the tree',
      rule: unknownImports,
      files: { 'wire/version.ts': `import pkg from '../../package.json';` },
      complaint: 'wire/version.ts imports ../package.json, which is not a file of src',
    },
    {
      mistake: 'an import of the package by its own name',
      rule: unknownImports,
      files: { 'wire/install.ts': `import { defineTool } from 'mcp-resolve';` },
      complaint: 'wire/install.ts imports mcp-resolve: use the relative path of the file',
    },
    {
      mistake: 'an import with a computed path',
      rule: unknownImports,
      files: { 'wire/install.ts': 'await import(`./${name}.js`);' },
      complaint: 'wire/install.ts imports `./${name}.js`: use the relative path of the file',
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
        'graph/a.ts': `import { b } from './b.js';`,
        'graph/b.ts': `import { c } from './c.js';`,
        'graph/c.ts': `import type { A } from './a.js';`,
      },
      complaint: 'graph/a.ts -> graph/b.ts -> graph/c.ts -> graph/a.ts',
    },
    {
      mistake: 'the protocol loaded in define for its types',
      rule: protocolFree,
      files: {
        'define/tool.ts': `import { type Tool } from '@modelcontextprotocol/server';`,
        'graph/plan.ts': `import type { Tool } from '@modelcontextprotocol/server';`,
      },
      complaint:
        'define/tool.ts imports @modelcontextprotocol/server: this folder may import only its types',
    },
    {
      mistake: 'a module of Node in the core',
      rule: runtimeNeutral,
      files: {
        'state/seal.ts': `const { subtle } = await import('node:crypto');`,
        'http/serve.ts': `import { createServer } from 'node:http';`,
      },
      complaint:
        'state/seal.ts imports node:crypto: only http, node.ts, workbench/cli and cli.ts run on Node alone',
    },
    {
      mistake: 'a wildcard export',
      rule: wildcardExports,
      files: { 'index.ts': `export * from './errors.js';`, 'errors.ts': `` },
      complaint: "index.ts exports a wildcard: export * from './errors.js';",
    },
    {
      mistake: 'a lint rule about imports switched off by name',
      rule: suppressedImportRules,
      files: {
        'wire/a.ts': `// eslint-disable-next-line no-restricted-imports -- reason\nimport 'x';`,
        'wire/b.ts': `// eslint-disable-next-line max-params -- about imports\nimport 'x';`,
      },
      complaint:
        'wire/a.ts switches off an import rule: // eslint-disable-next-line no-restricted-imports -- reason',
    },
    {
      mistake: 'all lint rules switched off',
      rule: suppressedImportRules,
      files: { 'wire/a.ts': `/* eslint-disable */\nimport 'x';` },
      complaint: 'wire/a.ts switches off an import rule: /* eslint-disable */',
    },
  ];

  for (const { mistake, rule, files, complaint } of mistakes) {
    it(`find ${mistake}`, () => {
      const made: Readonly<Record<string, string>> = files;
      expect(rule(readTree(made))).toEqual([complaint]);
    });
  }
});
