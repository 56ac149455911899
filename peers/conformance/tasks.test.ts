/** Runs the scenarios of the Tasks extension, each on a server of its own. */
import { expect, it } from 'vitest';

import { objectionsTo } from './judge.js';
import { ended, lineWith, start } from './hosts.js';
import { runScenario } from './suite.js';

/** The suite skips the tenth, about notifications, which are optional. */
const SCENARIOS = [
  'tasks-capability-negotiation',
  'tasks-dispatch-and-envelope',
  'tasks-lifecycle',
  'tasks-mrtr-composition',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-request-state-removal',
  'tasks-required-task-error',
  'tasks-wire-fields',
];

it.each(SCENARIOS)('%s', { timeout: 120_000 }, async (scenario) => {
  // The same calls come in several scenarios, and an approved call is refused for a while.
  const server = start(['--import', 'tsx', 'examples/conformance/tasks.ts']);
  try {
    const url = await lineWith(server, /^Listening on (\S+)$/);
    const checks = await runScenario(url, scenario);
    expect(objectionsTo(checks, [])).toEqual([]);
  } finally {
    await ended(server);
  }
});
