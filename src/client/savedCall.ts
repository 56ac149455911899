/**
 * An open call as data, with everything that another process needs to finish it.
 *
 * ```json
 * {
 *   "version": 1,
 *   "method": "tools/call",
 *   "params": { "name": "refund_order", "arguments": { "order_id": "ORD-7" } },
 *   "questions": { "scope": { "method": "elicitation/create", "params": { … } } },
 *   "requestState": "…"
 * }
 * ```
 *
 * {@link readSavedCall} checks each field, copies the data, and drops unknown fields. No error
 * message quotes the data, because it contains the server's state.
 */
import { isObject } from '../values.js';
import { messageOf } from '../errors.js';
import { problemOf } from './openQuestions.js';
import type { OpenQuestions } from './openQuestions.js';
import { checkRequest } from './target.js';
import type { CallMethod, CallParams, CallRequest } from './target.js';

/** The version that this module writes, and the only one that it reads. */
const VERSION = 1;

/** An open call as plain data. */
export interface SavedCall<M extends CallMethod = CallMethod> {
  readonly version: typeof VERSION;
  readonly method: M;
  readonly params: CallParams[M];
  readonly questions: OpenQuestions;
  /** The server's state, unchanged. Absent if the server sent none. */
  readonly requestState?: string;
}

/** The open part of a call: its questions, and the state to send back. */
export interface Pending {
  readonly questions: OpenQuestions;
  readonly requestState?: string | undefined;
}

/** Returns an open call as data. */
export function saveCall<M extends CallMethod>(
  { method, params }: CallRequest<M>,
  { questions, requestState }: Pending,
): SavedCall<M> {
  const saved = { version: VERSION, method, params, questions } as const;
  return requestState === undefined ? saved : { ...saved, requestState };
}

/**
 * Reads an open call from an object or a JSON string.
 *
 * @throws {TypeError} If {@link saveCall} did not create it.
 */
export function readSavedCall(saved: unknown): { request: CallRequest; pending: Pending } {
  const data = parseSaved(typeof saved === 'string' ? saved : JSON.stringify(saved));
  if (!isObject(data)) throw notSaved('it is not an object');
  if (data.done === true) throw notSaved('the call is already finished');
  if (data.version !== VERSION) throw notSaved(`its version is not ${VERSION}`);
  return { request: readRequest(data), pending: readPending(data) };
}

function parseSaved(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    // The error of `JSON.parse` quotes its input, which may contain the state.
    throw notSaved('it is not valid JSON');
  }
}

function readRequest({ method, params }: Record<string, unknown>): CallRequest {
  try {
    return checkRequest(method, params);
  } catch (error) {
    throw notSaved(messageOf(error));
  }
}

function readPending({ questions, requestState }: Record<string, unknown>): Pending {
  const problem = problemOf(questions);
  if (problem !== undefined) throw notSaved(problem);
  if (requestState !== undefined && typeof requestState !== 'string') {
    throw notSaved('its `requestState` is not a string');
  }
  const pending = { questions: questions as OpenQuestions, requestState };
  if (requestState === undefined && Object.keys(pending.questions).length === 0) {
    throw notSaved('it has neither questions nor a `requestState`');
  }
  return pending;
}

function notSaved(reason: string): TypeError {
  return new TypeError(
    `resumeCall(): the saved call is invalid: ${reason.replace(/\.$/, '')}. Pass the output of JSON.stringify(call) for an open call.`,
  );
}
