import { defineConfig } from 'tsdown';

import { licences } from './scripts/licences.js';

/** The modules that clients and stores share with servers. They do not load the SDK's server. */
const BASE = [
  'errors',
  'platform',
  'values',
  'options',
  'author/context',
  'author/schema',
  'store/memoryStore',
  'question/capability',
  'state/principal',
  'definition/checkConfig',
];

/**
 * The files that entries share: the base of clients and stores, the engine, and the rest of the
 * core. Each contains the named modules and their imports, except those of a file with a higher
 * priority. There are only three, because finding files takes half of the time of an import.
 */
const SHARED = [
  { name: 'base', test: new RegExp(`src/(?:${BASE.join('|')})\\.ts$`), priority: 3 },
  {
    name: 'engine',
    test: /src\/(?:call\/resolveArguments|plan\/planResolvers)\.ts$/,
    priority: 2,
  },
  { name: 'core', test: /src\/(?:call|host|definition)\/\w+\.ts$/, priority: 1 },
];

/** A busy machine is no reason for a warning. */
const inputOptions = { checks: { pluginTimings: false } };

const library = defineConfig({
  entry: [
    'src/index.ts',
    'src/engine.ts',
    'src/node.ts',
    'src/client.ts',
    'src/store.ts',
    'src/approvals.ts',
    'src/graph.ts',
    'src/testing.ts',
    'src/otel.ts',
    'src/eslint.ts',
    'src/v1.ts',
  ],
  format: ['esm', 'cjs'],
  // "neutral" keeps Node's modules and globals out of the core. src/node.ts imports what it needs.
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  deps: { neverBundle: [/^node:/] },
  inputOptions,
  outputOptions: { codeSplitting: { groups: SHARED } },
  fixedExtension: true,
});

/**
 * The command is a program, so it needs neither a CJS build nor types. `dev` loads the author's
 * module in a process of its own.
 */
const command = defineConfig({
  ...library,
  entry: { cli: 'src/cli.ts', devHost: 'src/dev/page/module/moduleHost.ts' },
  format: 'esm',
  platform: 'node',
  dts: false,
  outputOptions: {},
  clean: false,
});

/** The page of `dev`, with everything that it needs. The command serves it. */
const page = defineConfig({
  entry: { page: 'src/dev/page/client/page.tsx' },
  tsconfig: 'src/dev/page/client/tsconfig.json',
  outDir: 'dist/page',
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  dts: false,
  minify: true,
  deps: { alwaysBundle: [/./] },
  copy: [{ from: 'src/dev/page/client/page.css', to: 'dist/page' }],
  inputOptions,
  outputOptions: { entryFileNames: 'page.js', codeSplitting: false },
  plugins: [licences()],
});

export default [library, command, page];
