import { defineConfig } from 'tsdown';

/** What clients and stores have, too, which do without the SDK's server. */
const BASE = [
  'errors',
  'platform',
  'define/schema',
  'question/capability',
  'state/principal',
  'server/operatorWarnings',
  'server/definitionCounts',
  'definition/checkConfig',
  'server/definitions',
];

/**
 * What entries share goes into three files and not into a dozen, because a process that imports the
 * core spends half of its time on looking for files. Each has what is named and all that it
 * imports, unless the one before has it: what clients and stores have, too, which do without the
 * SDK's server; the engine; the rest of the core.
 */
const SHARED = [
  { name: 'base', test: new RegExp(`src/(?:${BASE.join('|')})\\.ts$`), priority: 3 },
  {
    name: 'engine',
    test: /src\/(?:server\/resolveArguments|plan\/planResolvers)\.ts$/,
    priority: 2,
  },
  { name: 'core', test: /src\/server\/\w+\.ts$/, priority: 1 },
];

const library = defineConfig({
  entry: [
    'src/index.ts',
    'src/engine.ts',
    'src/node.ts',
    'src/client.ts',
    'src/once.ts',
    'src/graph.ts',
    'src/testing.ts',
    'src/otel.ts',
    'src/v1.ts',
  ],
  format: ['esm', 'cjs'],
  // "neutral" keeps Node's modules and globals out of the core; src/node.ts names what it needs.
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  deps: { neverBundle: [/^node:/] },
  outputOptions: { codeSplitting: { groups: SHARED } },
  fixedExtension: true,
});

/** The command is a program: nobody requires it, and nobody imports its types. */
const command = defineConfig({
  ...library,
  entry: ['src/cli.ts'],
  format: 'esm',
  platform: 'node',
  dts: false,
  outputOptions: {},
  clean: false,
});

export default [library, command];
