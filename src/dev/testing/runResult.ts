/** How a call went, as a test looks at it. */
import type {
  CallToolResult,
  GetPromptResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { CallEvent } from '../../define/event.js';
import { isObject } from '../../define/schema.js';
import type { Plan } from '../../plan/plan.js';
import type { Subject } from './subject.js';
import type { Era } from './runOptions.js';
import type { AskedQuestion } from './askedQuestion.js';

/** What can be answered. */
export type AnyResult = CallToolResult | GetPromptResult | ReadResourceResult;

/** A protocol error: what a call ended with instead of a result. */
export interface RunError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A call that has ended, and everything that happened in it. */
export interface Run<Result = AnyResult> {
  /** The name of the tool, the prompt or the resource. */
  readonly definition: string;
  readonly era: Era;
  /** The result; `undefined` where the call ended with a protocol error. */
  readonly result: Result | undefined;
  /** All text of the result, or the message of the protocol error. */
  readonly text: string;
  /** The structured content of a tool with `outputSchema`. */
  readonly structured: unknown;
  /** Whether it failed, with a tool error or a protocol error. */
  readonly isError: boolean;
  /** The protocol error, if it ended with one. */
  readonly error: RunError | undefined;
  /**
   * How many requests the call took: one more than there were rounds of questions. On the legacy
   * era it is always one, because questions are pushed in the middle of the call.
   */
  readonly rounds: number;
  /** What was asked, in order. */
  readonly questions: readonly AskedQuestion[];
  /**
   * How often the function of each resolver ran, by wire key; 0 for one that did not run, or whose
   * place an override took.
   */
  readonly ran: Readonly<Record<string, number>>;
  /** All that happened, with values; `timeline(events)` prints it. */
  readonly events: readonly CallEvent[];
  /** The id of the call; `undefined` where it was refused before it began. */
  readonly callId: string | undefined;
  /** What went to the server's `onerror`: errors that the model does not read, above all. */
  readonly reported: readonly Error[];
}

/** The end of a call. */
export type Ending =
  { readonly result: AnyResult } | { readonly error: RunError; readonly result?: undefined };

/** What a run is told from. */
export interface Story {
  readonly era: Era;
  readonly ending: Ending;
  readonly rounds: number;
  readonly questions: readonly AskedQuestion[];
  readonly events: readonly CallEvent[];
  readonly reported: readonly Error[];
  /** The resolvers in whose place the test put something. */
  readonly overridden: ReadonlySet<unknown>;
}

/** Tells a run. */
export function tellRun({ name, plan }: Subject, story: Story): Run {
  const { era, ending, rounds, overridden } = story;
  const events = [...story.events];
  const error = 'error' in ending ? ending.error : undefined;
  const { result } = ending;
  return {
    definition: name,
    era,
    result,
    text: error?.message ?? textOf(result),
    structured: isObject(result) ? result.structuredContent : undefined,
    isError: error !== undefined || (isObject(result) && result.isError === true),
    error,
    rounds,
    questions: [...story.questions],
    ran: runsOf(plan, events, overridden),
    events,
    callId: events.flatMap((event) => ('callId' in event ? [event.callId] : []))[0],
    reported: [...story.reported],
  };
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

/** All text that a result holds, whatever it is the result of. */
export function textOf(result: unknown): string {
  if (!isObject(result)) return '';
  const parts: unknown[] = [result.content, result.contents, result.messages].flat();
  const texts = parts.map((part) => {
    const block: unknown = isObject(part) && isObject(part.content) ? part.content : part;
    return isObject(block) && typeof block.text === 'string' ? block.text : undefined;
  });
  return texts.filter((text) => text !== undefined).join('\n');
}

/**
 * The protocol error that something thrown stands for.
 *
 * @throws What it was given, if it is none: then the call did not end, it came to grief.
 */
export function protocolErrorOf(thrown: unknown): RunError {
  const { code, message, data }: Readonly<Record<string, unknown>> = isObject(thrown) ? thrown : {};
  if (typeof code !== 'number' || typeof message !== 'string') throw thrown;
  return { code, message, ...(data !== undefined && { data }) };
}
