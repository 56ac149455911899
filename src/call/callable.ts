/**
 * The part of a tool, prompt or resource that a call uses: a plan, a body, and the functions that
 * create its results.
 */
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { CallContext } from '../author/context.js';
import { findMisplaced } from '../author/misplaced.js';
import { isQuestion } from '../author/question.js';
import type { ToolError } from '../errors.js';
import type { OnceSettings } from '../once/onceSettings.js';
import type { Plan } from '../plan/plan.js';
import type { ParkingPlace } from './parking.js';

/** The methods whose requests a definition answers. */
export type Method = 'tools/call' | 'prompts/get' | 'resources/read';

/** The requests that a definition answers, by method and by name or uri. */
export interface Address {
  readonly method: Method;
  /** The name or uri. `undefined` for a template, which matches many uris. */
  readonly target: string | undefined;
  readonly matches: (target: string) => boolean;
}

/** Creates an address by name. */
export function addressOf(method: Method, name: string): Address {
  return { method, target: name, matches: (target) => target === name };
}

/** A definition as a call uses it. */
export interface Callable<Result> {
  readonly name: string;
  readonly address: Address;
  readonly plan: Plan;
  readonly body: (values: Record<string, unknown>, ctx: CallContext) => unknown;
  /** Returns the result for the return value of the body. */
  readonly finish: (returned: unknown) => Result | Promise<Result>;
  /** Returns the result of a failed call. Throws if failures of this kind are protocol errors. */
  readonly fail: (failure: CallFailure) => Result;
  /**
   * The settings for running an approved call at most once. `undefined` if the author did not set
   * `once`.
   */
  readonly once?: OnceSettings | undefined;
  /** The place where calls wait for approvals. `undefined` if the author did not set `approvals`. */
  readonly approvals?: ParkingPlace | undefined;
}

/** A failed call, as its result or protocol error shows it. */
export interface CallFailure {
  readonly error: unknown;
  /** The message for the model. `undefined` if the error is not meant for it. */
  readonly message: string | undefined;
  /** The id of the call, if the error is unexpected. A user can report it to the operator. */
  readonly callId: string | undefined;
}

/** The property of `_meta` or `data` that holds the id of a call with an unexpected error. */
export const CALL_ID_KEY = 'mcp-resolve/callId';

/** Returns the failure of an error that is meant for the model. */
export function shownFailure(error: ToolError): CallFailure {
  return { error, message: error.message, callId: undefined };
}

/** Returns the text of a failure, such as `Error executing tool refund: unknown order`. */
export function failureText(what: string, { message }: CallFailure): string {
  return message === undefined ? what : `${what}: ${message}`;
}

/** Creates the protocol error of a failure. The client does not receive its `cause`. */
export function failureError(what: string, failure: CallFailure): ProtocolError {
  const { error: cause, callId } = failure;
  const error = new ProtocolError(
    ProtocolErrorCode.InternalError,
    failureText(what, failure),
    callId === undefined ? undefined : { [CALL_ID_KEY]: callId },
  );
  return callId === undefined ? error : Object.assign(error, { cause });
}

/**
 * Checks that the return value of a body neither asks nor contains a question or a resolver.
 *
 * @throws {Error} If it does.
 */
export function assertResultValue(name: string, returned: unknown): void {
  if (isQuestion(returned) || isInputRequiredResult(returned)) throw bodyAskedError(name);
  const found = findMisplaced(returned);
  if (found === undefined) return;
  throw new Error(
    `The body of '${name}' returned ${found.label}, where it has no effect. ${found.remedy}`,
  );
}

export function bodyAskedError(name: string): Error {
  return new Error(
    `The body of '${name}' asked a question, but the multi-round flow is driven either by resolvers or by the tool body. Return the question from a resolver instead.`,
  );
}

/** Describes a value that is not a result, for an error message. */
export function describeReturned(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}
