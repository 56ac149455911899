/** Plans a graph, and checks of each declared question that it can be shown. */
import type { AnyResolver } from '../../define/model.js';
import { messageOf } from '../../errors.js';
import { buildPlan } from '../../graph/build.js';
import type { PlanSpec } from '../../graph/build.js';
import type { Plan } from '../../graph/plan.js';
import { formSchema } from '../../question/formSchema.js';

/**
 * Checks a graph of resolvers and lays it out for running, once. `argumentNames` are the names of
 * the tool's arguments; `undefined` where they are not known.
 *
 * @throws {@link InvalidGraphError} If the graph cannot work.
 */
export function planResolvers(
  spec: PlanSpec,
  argumentNames: Iterable<string> | undefined,
  sentNames: Iterable<string> = [],
): Plan {
  return buildPlan(spec, {
    argumentNames: argumentNames && new Set(argumentNames),
    sentNames: new Set(sentNames),
    problemWith: unshowable,
  });
}

function unshowable({ options: { asks } }: AnyResolver): string | undefined {
  if (asks === undefined || typeof asks === 'string') return undefined;
  try {
    formSchema(asks);
    return undefined;
  } catch (error) {
    return `asks with a schema that no form can show: ${messageOf(error)}`;
  }
}
