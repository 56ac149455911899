/** How many tests of a file passed, by the program that they were about. */
import type { RunnerTask, RunnerTestSuite } from 'vitest';

export interface Counts {
  readonly passed: number;
  /** Those that did not pass, for whatever reason: a test that did not run proves nothing. */
  readonly failed: number;
}

/** The counts of each top-level `describe` of a file, by its name; to be called in an `afterAll`. */
export function countsOf(file: Readonly<RunnerTestSuite>): ReadonlyMap<string, Counts> {
  const suites = file.tasks.filter((task) => task.type === 'suite');
  return new Map(suites.map((suite) => [suite.name, counted(suite)]));
}

function counted(suite: RunnerTestSuite): Counts {
  const states = testsOf(suite).map(({ result }) => result?.state);
  const passed = states.filter((state) => state === 'pass').length;
  return { passed, failed: states.length - passed };
}

function testsOf(task: RunnerTask): RunnerTask[] {
  return task.type === 'suite' ? task.tasks.flatMap(testsOf) : [task];
}
