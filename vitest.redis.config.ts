import { defineConfig } from 'vitest/config';

import base from './vitest.config.js';

/** The tests that need a `redis-server`; each file starts its own. */
export default defineConfig({
  ...base,
  test: { ...base.test, include: ['test/**/*.redis.test.ts'], exclude: [] },
});
