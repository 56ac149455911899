/** Plans a graph, and checks of each declared question that it can be shown. */
import { InvalidGraphError, messageOf } from '../errors.js';
import { buildPlan } from '../graph/build.js';
import type { PlanSpec } from '../graph/build.js';
import type { Plan } from '../graph/plan.js';
import { formSchema } from '../question/formSchema.js';

/**
 * Checks a graph of resolvers and lays it out for running, once. `argumentNames` are the names of
 * the tool's arguments; `undefined` where they are not known.
 *
 * @throws {@link InvalidGraphError} If the graph cannot work.
 */
export function planResolvers(spec: PlanSpec, argumentNames: Iterable<string> | undefined): Plan {
  const plan = buildPlan(spec, argumentNames && new Set(argumentNames));
  for (const { key, resolver } of plan.nodes) {
    const { asks } = resolver.options;
    if (asks === undefined || typeof asks === 'string') continue;
    try {
      formSchema(asks);
    } catch (error) {
      const problem = `Resolver '${key}' asks with a schema that no form can show: ${messageOf(error)}`;
      throw new InvalidGraphError('ERR_GRAPH_ASKS', problem, [spec.name, key]);
    }
  }
  return plan;
}
