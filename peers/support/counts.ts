/** How many tests of a file passed, by the program that they were about. */
import type { RunnerTask, RunnerTestSuite } from 'vitest';

export interface Counts {
  readonly passed: number;
  /** Those that did not pass, for whatever reason: a test that did not run proves nothing. */
  readonly failed: number;
}

/** The counts of the top-level `describe` with a name; to be called in an `afterAll` of the file. */
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
