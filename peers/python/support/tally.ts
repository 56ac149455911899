/** Counts tests, for the report. */
import type { RunnerTask, RunnerTestSuite } from 'vitest';

/** How the tests of one of a file's suites ended. */
export function tally(
  { tasks }: Pick<RunnerTestSuite, 'tasks'>,
  name: string,
): { passed: number; failed: number } {
  const tests = tasks.filter((task) => task.name === name).flatMap(testsOf);
  const passed = tests.filter(({ result }) => result?.state === 'pass').length;
  return { passed, failed: tests.length - passed };
}

function testsOf(task: RunnerTask): RunnerTask[] {
  return task.type === 'suite' ? task.tasks.flatMap(testsOf) : [task];
}
