/**
 * What a call needs of a definition, whether it is a tool, a prompt or a resource: a plan, a body,
 * and how a result and an error of its kind read.
 */
import type { CallContext } from '../../define/context.js';
import { messageOf, ToolError } from '../../errors.js';
import type { Plan } from '../../plan/plan.js';
import type { OnceSettings } from '../../once/onceSettings.js';

/** Which errors the model may read: all of them, or only those meant for it. */
export type ErrorPolicy = 'all' | 'toolErrorsOnly';

/** A definition, as a call sees it. */
export interface Callable<Result> {
  readonly name: string;
  readonly plan: Plan;
  readonly body: (values: Record<string, unknown>, ctx: CallContext) => unknown;
  /** The result, from what the body returned. */
  readonly finish: (returned: unknown) => Result | Promise<Result>;
  /** The result of a call that failed; throws where failures are protocol errors. */
  readonly fail: (error: unknown, policy: ErrorPolicy) => Result;
  /** How it is seen to that an approved call runs once; `undefined` where nobody asked for it. */
  readonly once?: OnceSettings | undefined;
}

/** What the model, or whoever reads in its place, may be told of an error. */
export function shownMessage(error: unknown, policy: ErrorPolicy): string {
  return policy === 'all' || error instanceof ToolError
    ? messageOf(error)
    : 'an unexpected error occurred';
}
