/**
 * Implements `hideWhenCannotAsk`, which hides a definition from clients that cannot answer its
 * questions. Resolvers declare their questions with `asks`.
 */
import { declaredKind } from '../author/model.js';
import type { Wording } from '../plan/buildPlan.js';
import type { Plan } from '../plan/plan.js';
import { CAPABILITIES } from '../question/capability.js';
import type { Capability } from '../question/capability.js';

/**
 * Returns the capabilities that a client needs to see a definition. If the array is empty, every
 * client sees it.
 *
 * @throws {TypeError} If `hideWhenCannotAsk` is not a boolean, or is true although no resolver
 *   declares a question.
 */
export function capabilitiesToShow(
  what: Wording['what'],
  plan: Plan,
  hideWhenCannotAsk: unknown,
): readonly Capability[] {
  if (hideWhenCannotAsk === undefined || hideWhenCannotAsk === false) return [];
  const place = `${what} '${plan.name}'`;
  if (hideWhenCannotAsk !== true) {
    throw new TypeError(`${place}: \`hideWhenCannotAsk\` must be true or false.`);
  }
  const kinds = new Set(plan.nodes.flatMap(({ resolver }) => declaredKind(resolver) ?? []));
  if (kinds.size === 0) {
    throw new TypeError(
      `${place}: \`hideWhenCannotAsk\` has no effect, because no resolver declares a question. Add \`asks\` to the resolver that asks, or remove \`hideWhenCannotAsk\`.`,
    );
  }
  return [...kinds].flatMap((kind) => (kind === 'approval' ? [] : [CAPABILITIES[kind]]));
}
