import { defineConfig } from 'tsdown';

const library = defineConfig({
  entry: [
    'src/index.ts',
    'src/engine.ts',
    'src/node.ts',
    'src/client.ts',
    'src/once.ts',
    'src/explain.ts',
    'src/testing.ts',
    'src/otel.ts',
  ],
  format: ['esm', 'cjs'],
  // "neutral" keeps Node's modules and globals out of the core; src/node.ts names what it needs.
  platform: 'neutral',
  target: 'es2022',
  dts: true,
  sourcemap: false,
  clean: true,
  deps: { neverBundle: [/^node:/, /^@modelcontextprotocol\//, /^@opentelemetry\//] },
  outExtensions: ({ format }) =>
    format === 'cjs' ? { js: '.cjs', dts: '.d.cts' } : { js: '.mjs', dts: '.d.mts' },
});

/** The command is a program: nobody requires it, and nobody imports its types. */
const command = defineConfig({
  ...library,
  entry: ['src/cli.ts'],
  format: 'esm',
  platform: 'node',
  dts: false,
  clean: false,
});

export default [library, command];
