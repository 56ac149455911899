import { defineConfig } from 'tsdown';

export default defineConfig({
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
