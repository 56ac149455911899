import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (file: string): string => fileURLToPath(new URL(`./src/${file}`, import.meta.url));

export default defineConfig({
  resolve: {
    // The same names as "paths" in tsconfig.json. Exact matches only: a prefix would also catch subpaths.
    alias: [
      { find: /^mcp-resolve$/, replacement: source('index.ts') },
      { find: /^mcp-resolve\/engine$/, replacement: source('engine.ts') },
      { find: /^mcp-resolve\/node$/, replacement: source('node.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: process.env.GITHUB_ACTIONS ? ['default', 'github-actions'] : ['default'],
  },
});
