/** Counts the passed and failed tests of a `describe`. */
import type { RunnerTask, RunnerTestSuite } from 'vitest';

export interface Counts {
  readonly passed: number;
  /** The tests that did not pass, including those that did not run. */
  readonly failed: number;
}

/** Counts the tests of a top-level `describe`. Call it in an `afterAll` of the file. */
export function countsOf(file: Readonly<RunnerTestSuite>, name: string): Counts {
  const suite = file.tasks.find((task) => task.name === name);
  if (suite === undefined) throw new Error(`there are no tests of ${name}`);
  const states = testsOf(suite).map(({ result }) => result?.state);
  const passed = states.filter((state) => state === 'pass').length;
  return { passed, failed: states.length - passed };
}

function testsOf(task: RunnerTask): RunnerTask[] {
  return task.type === 'suite' ? task.tasks.flatMap(testsOf) : [task];
}
