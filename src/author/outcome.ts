/** Lets a consumer handle a refusal that would otherwise end the call. */
import { InvalidGraphError } from '../errors.js';
import { isKind, KIND, NOT_A_VALUE } from './brand.js';
import type { OutcomeOf, Reqs, Resolver } from './model.js';

/**
 * Creates a need for the {@link Outcome} of a resolver instead of its bare value. A decline or a
 * cancel then reaches the consumer instead of ending the call.
 *
 * @example
 *
 * ```ts
 * const note = defineTool(
 *   'note',
 *   { inputSchema: PayInput, resolve: { approved: outcome(approval) } },
 *   ({ approved }) => (approved.action === 'accept' ? 'Approved.' : 'Kept for later.'),
 * );
 * ```
 */
export function outcome<T, R extends Reqs>(resolver: Resolver<T, R>): OutcomeOf<T, R> {
  if (!isKind(resolver, 'resolver')) {
    throw new InvalidGraphError(
      'ERR_GRAPH_NEED',
      'outcome(): `resolver` must be a resolver. Write outcome(askRestock).',
    );
  }
  return Object.freeze({ ...NOT_A_VALUE, [KIND]: 'outcome' as const, resolver });
}
