/** How a scenario is judged, and the few checks that do not have to pass, each with its reason. */
import type { Check } from './suite.js';

/**
 * The suite sends a right answer to a question that nobody has asked yet, without any state, and
 * only warns when it is asked. It is asked on purpose: an answer counts for the question that was
 * sealed into the state it comes back with, or anyone could answer before a person saw a question.
 */
export const ON_PURPOSE = ['sep-2322-ignore-unexpected-params'];

/**
 * What the gateway stands in the way of. It ends HTTP itself, and has no look at the `Host` header;
 * our part of the connection has none. It starts the server anew for every call of the 2026 era,
 * and keeps its rounds together, so a call in one process cannot be heard of in another; and what
 * the suite gives these streams, half a second to one and a half, is at times less than a process
 * takes to start. Over HTTP all of them have to pass, and `stdio.test.ts` holds those that mean
 * something on stdio against the server's own standard output.
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
 * What speaks against a scenario: it did not run, nothing in it passed, or a check ended as it
 * should not. A warning counts, and so does a warning on purpose that is gone.
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
