/** Plans a graph, and checks that each declared question can be shown. */
import type { AnyResolver } from '../author/model.js';
import { propertyNames, sentNames } from '../author/schema.js';
import type { Schema } from '../author/schema.js';
import { messageOf } from '../errors.js';
import { buildPlan } from './buildPlan.js';
import type { PlanSpec, PlanContext, Wording } from './buildPlan.js';
import type { Plan } from './plan.js';
import { formSchema } from '../question/formSchema.js';

/**
 * Checks a graph of resolvers and plans it, once. `argumentNames` are the names of the tool's
 * arguments, or `undefined` if they are not known.
 *
 * @example
 *
 * ```ts
 * const plan = planResolvers({ name: 'pay_invoice', resolve: { euros: amountDue } }, [
 *   'invoice',
 * ]);
 * ```
 *
 * @throws {TypeError} If `resolve` or `guards` has the wrong type.
 * @throws InvalidGraphError If the graph cannot work.
 */
export function planResolvers(
  spec: PlanSpec,
  argumentNames: Iterable<string> | undefined,
  sentNames: Iterable<string> = [],
): Plan {
  return planDefinition(spec, {
    argumentNames: argumentNames && new Set(argumentNames),
    sentNames: new Set(sentNames),
  });
}

/** Plans a definition. Error messages name its kind. */
export function planDefinition(spec: PlanSpec, context: PlanContext): Plan {
  return buildPlan(spec, { ...context, problemWith: unshowable });
}

/** Returns the `PlanContext` of a graph whose arguments a schema describes. */
export function planContextOf(schema: Schema | undefined, wording: Wording): PlanContext {
  if (schema === undefined) return { argumentNames: new Set(), wording };
  return {
    argumentNames: propertyNames(schema),
    sentNames: new Set(sentNames(schema)),
    wording,
  };
}

function unshowable({ options: { asks } }: AnyResolver): string | undefined {
  if (asks === undefined || typeof asks === 'string') return undefined;
  try {
    formSchema(asks);
    return undefined;
  } catch (error) {
    return `asks with a schema that a form cannot show: ${messageOf(error)}`;
  }
}
