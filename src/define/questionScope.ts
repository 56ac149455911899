/**
 * Finds lost questions. A question that a function makes and does not return is never asked, and
 * what it should have guarded goes on: `if (await confirm('Pay?'))` is always true.
 *
 * Every resolver and every body runs in a scope of its own, which notes whether it made a question,
 * also after an `await`. All copies of this package in a process share one storage, so that a
 * function from the ESM copy is seen by the engine of the CJS copy.
 */
import { createAsyncStorage } from '../platform.js';
import type { AsyncStorage } from '../platform.js';

/** What one run of a function has made. */
export interface QuestionScope {
  madeQuestion: boolean;
}

/** The shape of the storage is a contract between versions: another shape takes another number. */
const STORAGE = Symbol.for('mcp-resolve.questionScope/1');

let storage: AsyncStorage<QuestionScope> | undefined;

/** The storage of the process; one of this copy's own where nothing can be added to `globalThis`. */
function sharedStorage(): AsyncStorage<QuestionScope> {
  const shared = globalThis as { [STORAGE]?: AsyncStorage<QuestionScope> };
  const found = shared[STORAGE] ?? createAsyncStorage<QuestionScope>();
  if (Object.isExtensible(shared)) shared[STORAGE] = found;
  return found;
}

/** Runs a function in a scope. */
export function runInScope<T>(scope: QuestionScope, run: () => T): T {
  storage ??= sharedStorage();
  return storage.run(scope, run);
}

/** Notes in the current scope, if there is one, that a question was made. */
export function noteQuestionMade(): void {
  storage ??= sharedStorage();
  const scope = storage.getStore();
  if (scope !== undefined) scope.madeQuestion = true;
}
