/**
 * The part of a tool, prompt or resource that a call uses: a plan, a body, and the functions that
 * create its results.
 */
import { isInputRequiredResult } from '@modelcontextprotocol/server';
import type { CallContext } from '../define/context.js';
import { isQuestion } from '../define/question.js';
import { messageOf, ToolError } from '../errors.js';
import type { OnceSettings } from '../once/onceSettings.js';
import type { Plan } from '../plan/plan.js';
import type { Listening } from './callWatch.js';

/** The errors that the model may read: all of them, or only `ToolError`s. */
export type ErrorPolicy = 'all' | 'toolErrorsOnly';

/** The settings of a server's calls. */
export interface CallSettings extends Pick<Listening, 'onEvent' | 'eventValues'> {
  readonly errors: ErrorPolicy;
  readonly askTimeoutMs?: number;
}

/** A definition as a call uses it. */
export interface Callable<Result> {
  readonly name: string;
  readonly plan: Plan;
  readonly body: (values: Record<string, unknown>, ctx: CallContext) => unknown;
  /** Returns the result for the return value of the body. */
  readonly finish: (returned: unknown) => Result | Promise<Result>;
  /** Returns the result of a failed call. Throws if failures of this kind are protocol errors. */
  readonly fail: (error: unknown, policy: ErrorPolicy) => Result;
  /**
   * The settings for running an approved call at most once. `undefined` if the author did not set
   * `once`.
   */
  readonly once?: OnceSettings | undefined;
}

/** Returns the message that the model may read for an error. */
export function shownMessage(error: unknown, policy: ErrorPolicy): string {
  return policy === 'all' || error instanceof ToolError
    ? messageOf(error)
    : 'an unexpected error occurred';
}

/**
 * Checks that the body did not return a question.
 *
 * @throws {@link ToolError} If it did.
 */
export function assertNotAsking(name: string, returned: unknown): void {
  if (isQuestion(returned) || isInputRequiredResult(returned)) throw bodyAskedError(name);
}

/** Creates the error for a body that returned or created a question. */
export function bodyAskedError(name: string): ToolError {
  return new ToolError(
    `the body of '${name}' asked a question, but the multi-round flow is driven either by resolvers or by the tool body. Return the question from a resolver instead.`,
  );
}

/** Describes a value that is not a result, for an error message. */
export function describeReturned(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
