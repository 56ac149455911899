import { defineConfig } from 'vitest/config';

import base from '../vitest.config.js';

/**
 * Tests against programs of others. One file at a time: most start servers and browsers of their
 * own, and a slow peer must not be slowed down further.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['peers/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});
