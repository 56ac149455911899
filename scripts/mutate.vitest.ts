/** The unit tests for `npm run mutate`: in one worker, which loads the SDK once. */
import { statSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

import base from '../vitest.config.js';

/** A run ends with the first test that fails, so it starts with the files that cost least. */
class SmallestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sizeOf = ({ moduleId }: TestSpecification): number => statSync(moduleId).size;
    return Promise.resolve(files.toSorted((a, b) => sizeOf(a) - sizeOf(b)));
  }
}

export default defineConfig({
  resolve: base.resolve ?? {},
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.{redis,postgres,browser,process}.test.ts'],
    isolate: false,
    setupFiles: ['scripts/mutate.setup.ts'],
    sequence: { sequencer: SmallestFirst },
    testTimeout: 10_000,
    reporters: ['dot'],
  },
});
