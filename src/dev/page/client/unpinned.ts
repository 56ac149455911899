/** Finds values that could change between the question and the body. */
import type { CallEvent } from '../../../author/event.js';
import type { Explanation } from '../../graph/explanation.js';

/**
 * Returns the resolvers that a question depends on, that the body uses, and that ran in more than
 * one round. A guard has to run in every round.
 */
export function unpinned(
  { resolvers, parameters }: Explanation,
  events: readonly CallEvent[],
): string[] {
  const shown = withNeeds(
    resolvers.filter(({ asks }) => asks.kind !== 'nothing').flatMap(needsOf),
    resolvers,
  );
  const used = withNeeds(
    parameters.map(({ resolver }) => resolver),
    resolvers,
  );
  return resolvers
    .filter(({ asks, first, pinned }) => asks.kind === 'nothing' && !first && !pinned)
    .map(({ key }) => key)
    .filter((key) => shown.has(key) && used.has(key) && timesRun(events, key) > 1);
}

type Resolvers = Explanation['resolvers'];

function needsOf({ needs }: Resolvers[number]): string[] {
  return needs.flatMap((need) => (need.from === 'resolver' ? [need.resolver] : []));
}

/** Returns resolvers and everything that they need. */
function withNeeds(keys: readonly string[], resolvers: Resolvers): Set<string> {
  const all = new Set(keys);
  for (const key of all) {
    const resolver = resolvers.find((one) => one.key === key);
    if (resolver !== undefined) for (const need of needsOf(resolver)) all.add(need);
  }
  return all;
}

/** Counts the runs of a resolver in all rounds. */
export function timesRun(events: readonly CallEvent[], key: string): number {
  return events.filter((event) => event.type === 'ran' && event.resolver === key).length;
}
