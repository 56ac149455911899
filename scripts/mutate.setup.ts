/** Runs before each test file of `npm run mutate`, because the files share their modules. */
import { afterEach, inject, vi } from 'vitest';

declare module 'vitest' {
  // Provided by Stryker.
  interface ProvidedContext {
    mutantActivation?: 'static' | 'runtime';
    activeMutant?: string;
  }
}

const worker = globalThis as { loadedFor?: string | undefined; killed?: string | undefined };
const mutant = inject('activeMutant');

// Loads the modules again for a mutant that acts while they load, and once more after it.
const needed = inject('mutantActivation') === 'static' ? mutant : undefined;
if (worker.loadedFor !== needed) vi.resetModules();
worker.loadedFor = needed;

// Vitest loads the other files even after a test has failed, which takes longer than the tests.
if (mutant !== undefined && worker.killed === mutant) {
  throw new Error('A test of another file has killed the mutant.');
}
afterEach(({ task }) => {
  if (task.result?.state === 'fail') worker.killed = mutant;
});
