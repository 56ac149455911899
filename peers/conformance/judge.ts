/** Judges a scenario, and lists the few checks that may fail, with reasons. */
import type { Check } from './suite.js';

/**
 * The suite sends a correct answer before the question was asked, without a state, and warns if the
 * server asks it. We ask on purpose. An answer counts only for a question in the sealed state.
 * Otherwise a client could answer before the user saw the question.
 */
export const ON_PURPOSE = ['sep-2322-ignore-unexpected-params'];

/**
 * The checks that the gateway makes impossible. It terminates HTTP and ignores the `Host` header.
 * It starts a new server process for every modern call, so a stream does not see the calls of
 * another process. The suite waits 0.5 to 1.5 seconds for these streams, which can be less than a
 * process takes to start. Over HTTP all checks must pass. `stdio.test.ts` covers those that apply
 * to stdio.
 */
export const BEHIND_THE_GATEWAY = [
  'localhost-host-rebinding-rejected',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-sends-subscription-ack',
  'sep-2575-server-tags-subscription-id',
  'sep-2575-server-honors-notification-filter',
  'sep-2575-server-sends-prompts-list-changed-on-subscription',
  'sep-2575-server-sends-tools-list-changed-on-subscription',
];

/**
 * Returns the objections to a scenario: it did not run, no check passed, or a check has the wrong
 * status. A warning is wrong, and so is the absence of an expected warning.
 */
export function objectionsTo(checks: readonly Check[] | undefined, unjudged: string[]): string[] {
  if (checks === undefined) return ['the scenario did not run'];
  const judged = checks.filter(({ id, status }) => status !== 'INFO' && !unjudged.includes(id));
  if (!judged.some(({ status }) => status === 'SUCCESS')) return ['no check passed'];
  return judged.flatMap(({ id, status, errorMessage = '' }) =>
    status === (ON_PURPOSE.includes(id) ? 'WARNING' : 'SUCCESS')
      ? []
      : [`${status} ${id}: ${errorMessage}`],
  );
}
