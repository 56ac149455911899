/** Runs before each test file of `npm run mutate`. Each mutant has a worker of its own. */
import { afterEach, inject } from 'vitest';

declare module 'vitest' {
  // Provided by Stryker.
  interface ProvidedContext {
    activeMutant?: string;
  }
}

const worker = globalThis as {
  __stryker__?: { activeMutant?: string };
  hasFailed?: boolean;
};

// If Stryker knows the test files, it activates a mutant only after the modules are loaded. A mutant
// of a constant would survive.
const mutant = inject('activeMutant');
if (mutant !== undefined) (worker.__stryker__ ??= {}).activeMutant = mutant;

// Vitest loads the other files even after a test has failed, which takes longer than the tests.
if (worker.hasFailed === true) throw new Error('A test of another file has killed the mutant.');
afterEach(({ task }) => {
  if (task.result?.state === 'fail') worker.hasFailed = true;
});
