import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/reporters';

const source = (file: string): string => fileURLToPath(new URL(`./src/${file}`, import.meta.url));

/** Ends the run with one line which says how it went. */
const closingLine: Reporter = {
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    const failed = tests.filter((test) => test.result().state === 'failed').length;
    const unloaded = modules.filter((module) => module.errors().length > 0).length;
    process.stdout.write(`${passed} passed, ${failed + unloaded + errors.length} failed\n`);
  },
};

export default defineConfig({
  resolve: {
    // The same names as "paths" in tsconfig.json. Exact matches only: a prefix would also catch subpaths.
    alias: [
      { find: /^mcp-resolve$/, replacement: source('index.ts') },
      { find: /^mcp-resolve\/engine$/, replacement: source('engine.ts') },
      { find: /^mcp-resolve\/node$/, replacement: source('node.ts') },
      { find: /^mcp-resolve\/client$/, replacement: source('client.ts') },
      { find: /^mcp-resolve\/once$/, replacement: source('once.ts') },
      { find: /^mcp-resolve\/graph$/, replacement: source('graph.ts') },
      { find: /^mcp-resolve\/testing$/, replacement: source('testing.ts') },
      { find: /^mcp-resolve\/otel$/, replacement: source('otel.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // These need a redis-server: `npm run test:redis`.
    exclude: ['test/**/*.redis.test.ts'],
    // Most tests wait for processes that they start: a core that is kept free would stand idle.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: ['default', closingLine],
  },
});
