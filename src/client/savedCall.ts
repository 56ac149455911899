/**
 * An open call as data: what another process needs to finish it.
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
 * What is read back is checked field by field and copied; fields that this version does not know
 * are left behind. No message quotes the data, which holds the server's state.
 */
import { isObject } from '../define/schema.js';
import { messageOf } from '../errors.js';
import { type OpenQuestions, problemOf } from './openQuestions.js';
import { type CallMethod, type CallParams, type CallRequest, checkedRequest } from './target.js';

/** The version of the data that is written, and the only one that is read. */
const VERSION = 1;

/** An open call as plain data. */
export interface SavedCall<M extends CallMethod = CallMethod> {
  readonly version: typeof VERSION;
  readonly method: M;
  readonly params: CallParams[M];
  readonly questions: OpenQuestions;
  /** The server's state, byte for byte; absent when the server sent none. */
  readonly requestState?: string;
}

/** What a server left open: its questions, and the state to come back with. */
export interface Pending {
  readonly questions: OpenQuestions;
  readonly requestState?: string | undefined;
}

/** The data of an open call. */
export function saveCall<M extends CallMethod>(
  { method, params }: CallRequest<M>,
  { questions, requestState }: Pending,
): SavedCall<M> {
  const saved = { version: VERSION, method, params, questions } as const;
  return requestState === undefined ? saved : { ...saved, requestState };
}

/**
 * The open call that data stands for; the data is an object or its JSON.
 *
 * @throws {TypeError} If it is not what {@link saveCall} made.
 */
export function readSavedCall(saved: unknown): { request: CallRequest; pending: Pending } {
  const data = parsed(typeof saved === 'string' ? saved : JSON.stringify(saved));
  if (!isObject(data)) throw notSaved('it is not an object');
  if (data.done === true) throw notSaved('the call is finished');
  if (data.version !== VERSION) throw notSaved(`its version is not ${VERSION}`);
  return { request: readRequest(data), pending: readPending(data) };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    // The engine's own message quotes the text, and with it perhaps the state.
    throw notSaved('it is not JSON');
  }
}

function readRequest({ method, params }: Record<string, unknown>): CallRequest {
  try {
    return checkedRequest(method, params);
  } catch (error) {
    throw notSaved(messageOf(error));
  }
}

function readPending({ questions, requestState }: Record<string, unknown>): Pending {
  const problem = problemOf(questions);
  if (problem !== undefined) throw notSaved(problem);
  if (requestState !== undefined && typeof requestState !== 'string') {
    throw notSaved('its requestState is not a string');
  }
  const pending = { questions: questions as OpenQuestions, requestState };
  if (requestState === undefined && Object.keys(pending.questions).length === 0) {
    throw notSaved('it has neither questions nor a requestState');
  }
  return pending;
}

function notSaved(reason: string): TypeError {
  return new TypeError(
    `This is not an open call that mcp-resolve/client saved: ${reason.replace(/\.$/, '')}. Give resumeCall what JSON.stringify(call) made.`,
  );
}
