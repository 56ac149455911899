/**
 * Finds lost questions. If a function creates a question but does not return it, the user is never
 * asked. The action that it should guard runs anyway, since `if (await confirm('Pay?'))` is always
 * true.
 *
 * Every resolver and every body runs in its own scope, which records if the function created a
 * question, even after an `await`. All copies of this package in a process share one storage, so
 * the engine of the CJS copy sees questions from the ESM copy.
 */
import { createAsyncStorage } from '../platform.js';
import type { AsyncStorage } from '../platform.js';

/** The record of one run of a function. */
export interface QuestionScope {
  madeQuestion: boolean;
}

/** The shape of the storage is a contract between versions. A new shape needs a new number. */
const STORAGE = Symbol.for('mcp-resolve.questionScope/1');

let storage: AsyncStorage<QuestionScope> | undefined;

/** Returns the storage of the process, or this copy's own if `globalThis` cannot be extended. */
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

/** Records in the current scope, if there is one, that a question was created. */
export function noteQuestionMade(): void {
  storage ??= sharedStorage();
  const scope = storage.getStore();
  if (scope !== undefined) scope.madeQuestion = true;
}
