/**
 * What a call needs of a definition, whether it is a tool, a prompt or a resource: a plan, a body,
 * and how a result and an error of its kind read.
 */
import { isInputRequiredResult } from '@modelcontextprotocol/server';
import type { CallContext } from '../define/context.js';
import { isQuestion } from '../define/question.js';
import { messageOf, ToolError } from '../errors.js';
import type { OnceSettings } from '../once/onceSettings.js';
import type { Plan } from '../plan/plan.js';
import type { Listening } from './callWatch.js';

/** Which errors the model may read: all of them, or only those meant for it. */
export type ErrorPolicy = 'all' | 'toolErrorsOnly';

/** How the calls of a server are made. */
export interface CallSettings extends Pick<Listening, 'onEvent' | 'eventValues'> {
  readonly errors: ErrorPolicy;
  readonly askTimeoutMs?: number;
}

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

/** @throws {@link ToolError} If a body asked. */
export function assertNotAsking(name: string, returned: unknown): void {
  if (isQuestion(returned) || isInputRequiredResult(returned)) throw bodyAskedError(name);
}

/** What a body gets that asks, or makes a question that nobody is asked. */
export function bodyAskedError(name: string): ToolError {
  return new ToolError(
    `the body of '${name}' asked a question, but the multi-round flow is driven either by resolvers or by the tool body: return the question from a resolver`,
  );
}

/** A value that is no result, for the sentence about it. */
export function describeReturned(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
