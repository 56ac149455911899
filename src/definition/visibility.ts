/**
 * Implements `hideWhenCannotAsk`, which hides a definition from clients that cannot answer its
 * questions. Resolvers declare their questions with `asks`.
 */
import { InvalidGraphError } from '../errors.js';
import type { Plan, PlanNode } from '../plan/plan.js';
import { CAPABILITIES } from '../question/capability.js';
import type { Capability } from '../question/capability.js';

/**
 * Returns the capabilities that a client needs to see a definition. If the array is empty, every
 * client sees it.
 *
 * @throws {@link InvalidGraphError} If `hideWhenCannotAsk` is not a boolean, or is true although no
 *   resolver can ask.
 */
export function shownWith(plan: Plan, hideWhenCannotAsk: unknown): readonly Capability[] {
  if (hideWhenCannotAsk === undefined || hideWhenCannotAsk === false) return [];
  if (hideWhenCannotAsk !== true) throw invalid(plan, 'is true or false.');
  if (plan.nodes.every(({ resolver }) => resolver.options.asks === 'nothing'))
    throw invalid(plan, 'makes no sense without resolvers that ask.');
  const declared = plan.nodes.flatMap(declaredBy);
  // If no resolver declares what it asks, assume a form, the most common question.
  return declared.length === 0 ? [CAPABILITIES.form] : [...new Set(declared)];
}

function declaredBy({ resolver }: PlanNode): Capability[] {
  const { asks } = resolver.options;
  if (asks === undefined || asks === 'nothing') return [];
  return [CAPABILITIES[typeof asks === 'string' ? asks : 'form']];
}

function invalid({ name }: Plan, problem: string): InvalidGraphError {
  return new InvalidGraphError('ERR_DEFINITION', `'${name}': hideWhenCannotAsk ${problem}`, [name]);
}
