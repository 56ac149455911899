/** The result of a run: the end of the call, its questions and its events. */
import type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { CallEvent } from '../../author/event.js';
import { isObject } from '../../values.js';
import type { Plan } from '../../plan/plan.js';
import { CALL_ID_KEY } from '../../call/callable.js';
import { failedCallOf } from '../../call/operator.js';
import type { Subject } from './subject.js';
import type { Era } from './runOptions.js';
import type { AskedQuestion } from './askedQuestion.js';

/** The result of a tool, a prompt or a resource. */
export type AnyResult = CallToolResult | GetPromptResult | ReadResourceResult;

/** The protocol error that a call ended with instead of a result. */
export interface RunError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A call that has ended, with its questions and its events. */
export interface Run<Result = AnyResult> {
  /** The name of the tool, the prompt or the resource. */
  readonly definition: string;
  readonly era: Era;
  /** The result. `undefined` if the call ended with a protocol error. */
  readonly result: Result | undefined;
  /** All text of the result, or the message of the protocol error. */
  readonly text: string;
  /** The structured content of a tool with `outputSchema`. */
  readonly structured: unknown;
  /** True if the call failed, with a tool error or a protocol error. */
  readonly isError: boolean;
  /** The protocol error, if the call ended with one. */
  readonly error: RunError | undefined;
  /**
   * The number of requests, one more than the rounds of questions. Always 1 on the legacy era,
   * because its servers send questions during the call.
   */
  readonly rounds: number;
  /** The questions, in the order in which they were asked. */
  readonly questions: readonly AskedQuestion[];
  /**
   * The number of times that each resolver's function ran, by wire key. 0 if it did not run, or if
   * an override replaced it.
   */
  readonly ran: Readonly<Record<string, number>>;
  /** All events, with values. `timeline(events)` prints them. */
  readonly events: readonly CallEvent[];
  /** The id of the call. `undefined` if the server refused it before it began. */
  readonly callId: string | undefined;
  /** The unexpected error that made the call fail. By default the model does not see it. */
  readonly cause: Error | undefined;
  /** The errors that reached the server's `onerror`. The model does not see most of them. */
  readonly reported: readonly Error[];
}

/** The end of a call. */
export type Ending =
  { readonly result: AnyResult } | { readonly error: RunError; readonly result?: undefined };

/** The parts of a run. */
export interface RunParts {
  readonly era: Era;
  readonly ending: Ending;
  readonly rounds: number;
  readonly questions: readonly AskedQuestion[];
  readonly events: readonly CallEvent[];
  readonly reported: readonly Error[];
  /** The resolvers that the test replaced. */
  readonly overridden: ReadonlySet<unknown>;
}

/** Creates the run of a call. */
export function createRun({ name, plan }: Subject, parts: RunParts): Run {
  const { era, ending, rounds, overridden } = parts;
  const events = [...parts.events];
  const error = 'error' in ending ? ending.error : undefined;
  const { result } = ending;
  return {
    definition: name,
    era,
    result,
    text: error?.message ?? resultText(result),
    structured: isObject(result) ? result.structuredContent : undefined,
    isError: error !== undefined || (isObject(result) && result.isError === true),
    error,
    rounds,
    questions: [...parts.questions],
    ran: runsOf(plan, events, overridden),
    events,
    callId: events.flatMap((event) => ('callId' in event ? [event.callId] : []))[0],
    cause: findCause(result ?? error, parts.reported),
    reported: [...parts.reported],
  };
}

/** Finds the error that made a call fail, by the id in its result or its protocol error. */
function findCause(end: object | undefined, reported: readonly Error[]): Error | undefined {
  const { _meta: meta, data = meta } = { ...end } as Readonly<Record<string, unknown>>;
  const callId = isObject(data) ? data[CALL_ID_KEY] : undefined;
  if (callId === undefined) return undefined;
  return reported.findLast((error) => failedCallOf(error) === callId);
}

function runsOf(
  { nodes }: Plan,
  events: readonly CallEvent[],
  overridden: ReadonlySet<unknown>,
): Record<string, number> {
  const times = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'ran') times.set(event.resolver, (times.get(event.resolver) ?? 0) + 1);
  }
  return Object.fromEntries(
    nodes.map(({ key, resolver }) => [key, overridden.has(resolver) ? 0 : (times.get(key) ?? 0)]),
  );
}

/** Returns all text of a result of any kind. */
export function resultText(result: unknown): string {
  if (!isObject(result)) return '';
  const parts: unknown[] = [result.content, result.contents, result.messages].flat();
  const texts = parts.map((part) => {
    const block: unknown = isObject(part) && isObject(part.content) ? part.content : part;
    return isObject(block) && typeof block.text === 'string' ? block.text : undefined;
  });
  return texts.filter((text) => text !== undefined).join('\n');
}

/**
 * Reads a protocol error from a thrown value.
 *
 * @throws The value itself, if it is not a protocol error.
 */
export function protocolErrorOf(thrown: unknown): RunError {
  const { code, message, data }: Readonly<Record<string, unknown>> = isObject(thrown) ? thrown : {};
  if (typeof code !== 'number' || typeof message !== 'string') throw thrown;
  return { code, message, ...(data !== undefined && { data }) };
}
