import { defineConfig } from 'vitest/config';

import base from './vitest.config.js';

/** The tests that need Chromium. */
export default defineConfig({
  ...base,
  test: { ...base.test, include: ['test/browser/**/*.browser.test.ts'], testTimeout: 60_000 },
});
