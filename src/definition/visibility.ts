/**
 * Implements `hideWhenCannotAsk`, which hides a definition from clients that cannot answer its
 * questions. Resolvers declare their questions with `asks`.
 */
import type { Wording } from '../plan/buildPlan.js';
import type { Plan, PlanNode } from '../plan/plan.js';
import { CAPABILITIES } from '../question/capability.js';
import type { Capability } from '../question/capability.js';

/**
 * Returns the capabilities that a client needs to see a definition. If the array is empty, every
 * client sees it.
 *
 * @throws {TypeError} If `hideWhenCannotAsk` is not a boolean, or is true although no resolver can
 *   ask.
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
  if (plan.nodes.every(({ resolver }) => resolver.options.asks === 'nothing')) {
    throw new TypeError(
      `${place}: \`hideWhenCannotAsk\` has no effect, because no resolver asks a question. Remove it.`,
    );
  }
  const declared = plan.nodes.flatMap(declaredCapabilities);
  // If no resolver declares what it asks, assume a form, the most common question.
  return declared.length === 0 ? [CAPABILITIES.form] : [...new Set(declared)];
}

function declaredCapabilities({ resolver }: PlanNode): Capability[] {
  const { asks } = resolver.options;
  if (asks === undefined || asks === 'nothing') return [];
  return [CAPABILITIES[typeof asks === 'string' ? asks : 'form']];
}
