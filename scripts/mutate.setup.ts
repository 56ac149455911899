/** Loads the modules again for a mutant that acts while they load, and once more after it. */
import { inject, vi } from 'vitest';

declare module 'vitest' {
  // Provided by Stryker.
  interface ProvidedContext {
    mutantActivation?: 'static' | 'runtime';
    activeMutant?: string;
  }
}

const worker = globalThis as { loadedFor?: string | undefined };
const mutant = inject('mutantActivation') === 'static' ? inject('activeMutant') : undefined;
if (worker.loadedFor !== mutant) vi.resetModules();
worker.loadedFor = mutant;
