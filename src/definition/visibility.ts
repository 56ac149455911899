/**
 * `hideWhenCannotAsk`: whether a client gets to see a definition that it could not go through with.
 * What a definition asks is read from what its resolvers declare with `asks`.
 */
import { InvalidGraphError } from '../errors.js';
import type { Plan, PlanNode } from '../plan/plan.js';
import { CAPABILITIES } from '../question/capability.js';
import type { Capability } from '../question/capability.js';

/**
 * What a client has to be capable of to see a definition; nothing, where it is shown to everybody.
 *
 * @throws {@link InvalidGraphError} If it is to be hidden and has nothing that could ask.
 */
export function shownWith(plan: Plan, hideWhenCannotAsk: unknown): readonly Capability[] {
  if (hideWhenCannotAsk === undefined || hideWhenCannotAsk === false) return [];
  if (hideWhenCannotAsk !== true) throw invalid(plan, 'is true or false.');
  if (plan.nodes.every(({ resolver }) => resolver.options.asks === 'nothing'))
    throw invalid(plan, 'makes no sense without resolvers that ask.');
  const declared = plan.nodes.flatMap(declaredBy);
  // Most questions are forms: that is what is meant where nobody says what is asked.
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
