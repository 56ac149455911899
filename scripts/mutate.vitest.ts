/** The unit tests for `npm run mutate`: in one worker per run, which loads the SDK once. */
import { defineConfig } from 'vitest/config';

import base from '../vitest.config.js';

export default defineConfig({
  resolve: base.resolve ?? {},
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.{redis,postgres,browser,process}.test.ts'],
    isolate: false,
    setupFiles: ['scripts/mutate.setup.ts'],
    testTimeout: 10_000,
    reporters: ['dot'],
  },
});
