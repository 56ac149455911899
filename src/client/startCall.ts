/**
 * Runs a multi-round call by hand: start it, read its questions, and answer them until it is done.
 *
 * ```
 *  startCall ──┬──► FinishedCall { done: true, result }
 *              │            ▲
 *              └──► OpenCall { done: false, questions }  ◄── resumeCall
 *                       │   ▲                                     ▲
 *             answer(…) └───┘      JSON.stringify(call) ──────────┘
 * ```
 *
 * Most clients do not need this, because `client.callTool` asks the client's handlers and returns
 * the result. Use calls by hand for questions that outlive the process, such as an approval that
 * another machine handles the next day. An open call is plain data: its request, its questions and
 * the server's state.
 *
 * On a connection of the legacy era the server sends its questions to the client's handlers while
 * the call runs. There the client needs handlers, and `startCall` returns a finished call.
 */
import { isInputRequiredResult, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Client, InputRequiredResult } from '@modelcontextprotocol/client';
import { checkAnswers } from './answers.js';
import type { Answers } from './answers.js';
import { problemOf } from './openQuestions.js';
import type { OpenQuestions } from './openQuestions.js';
import { readSavedCall, saveCall } from './savedCall.js';
import type { Pending, SavedCall } from './savedCall.js';
import { sendRound } from './sendRound.js';
import type { CallOptions, OutgoingCall, ReturnedInput } from './sendRound.js';
import { requestOf } from './target.js';
import type {
  CallMethod,
  CallParams,
  CallRequest,
  CallResults,
  CallTarget,
  PromptTarget,
  ResourceTarget,
  ToolTarget,
} from './target.js';

/** A call that has ended with a result. */
export interface FinishedCall<M extends CallMethod = CallMethod> {
  readonly done: true;
  readonly method: M;
  readonly params: CallParams[M];
  /** The server's result. A tool error is a result with `isError`. */
  readonly result: CallResults[M];
}

/**
 * A call that waits for answers. It holds no connection and no timer, so it can wait as long as the
 * server accepts it. It can also be saved as JSON and resumed elsewhere.
 */
export interface OpenCall<M extends CallMethod = CallMethod> {
  readonly done: false;
  readonly method: M;
  readonly params: CallParams[M];
  /** The server's questions, by wire key. */
  readonly questions: OpenQuestions;
  /**
   * Sends the next round with these answers and the server's state. The server decides how to treat
   * unanswered questions, for example by asking again.
   *
   * A round without questions means that the server wants the client to retry later. Wait (the
   * SDK's own loop waits 250 ms) and continue with `answer({})`.
   *
   * An open call can be answered more than once, for example if a reply was lost or the server
   * refused an answer. Each time the server continues the call from here. The server decides if a
   * finished call may be finished again.
   *
   * @throws {TypeError} If a key was not asked, an answer is not a result, or the connection is of
   *   the legacy era. Nothing is sent.
   * @throws {ProtocolError} If the server refuses the round, for example because of its state.
   */
  readonly answer: (answers: Answers, options?: CallOptions) => Promise<Call<M>>;
  /**
   * Returns the call as plain data, for `JSON.stringify(call)`. The data contains the arguments and
   * the state that can finish the call. Store it as you would store a session.
   */
  readonly toJSON: () => SavedCall<M>;
}

/** A call after a round: finished, or open. */
export type Call<M extends CallMethod = CallMethod> =
  { [K in M]: FinishedCall<K> }[M] | OpenCall<M>;

/**
 * Starts a call to a tool `{ name, arguments }`, to a prompt `{ prompt, arguments }` or to a
 * resource `{ resource }`. Returns the finished call, or an open call with questions to answer.
 *
 * The client must declare the questions that it supports (`capabilities: { elicitation: {} }`, …).
 * On a connection of the modern era it needs no handlers for them.
 *
 * @example
 *
 * ```ts
 * let call = await startCall(client, {
 *   name: 'refund_order',
 *   arguments: { order_id: 'ORD-7' },
 * });
 * while (!call.done) call = await call.answer(await askSomeone(call.questions));
 * console.log(call.result.structuredContent);
 * ```
 *
 * @throws {TypeError} If the target does not name exactly one tool, prompt or resource.
 * @throws {ProtocolError | SdkError} If the server refuses the call or does not reply.
 */
export function startCall(
  client: Client,
  target: ToolTarget,
  options?: CallOptions,
): Promise<Call<'tools/call'>>;
/** Starts a call to a prompt `{ prompt, arguments }`, as for a tool. */
export function startCall(
  client: Client,
  target: PromptTarget,
  options?: CallOptions,
): Promise<Call<'prompts/get'>>;
/** Starts a call to a resource `{ resource }`, as for a tool. */
export function startCall(
  client: Client,
  target: ResourceTarget,
  options?: CallOptions,
): Promise<Call<'resources/read'>>;
export async function startCall(
  client: Client,
  target: CallTarget,
  options: CallOptions = {},
): Promise<Call> {
  return nextRound({ client, request: requestOf(target), options }, {});
}

/**
 * Resumes an open call from the JSON or the data that `JSON.stringify(call)` saved. Sends nothing
 * until the call is answered. The server decides if it still accepts the call.
 *
 * @example
 *
 * ```ts
 * const call = resumeCall(client, await readFile('call.json', 'utf8'));
 * const next = await call.answer({ approval: accept({ confirm: true }) });
 * ```
 *
 * @throws {TypeError} If the data is not an open call, or has another version.
 */
export function resumeCall<M extends CallMethod = CallMethod>(
  client: Client,
  saved: SavedCall<M> | string,
  options: CallOptions = {},
): OpenCall<M> {
  const { request, pending } = readSavedCall(saved);
  // The type of the data names the method. If it is not known, M is the union of all methods.
  return openCall({ client, request: request as CallRequest<M>, options }, pending);
}

/** Sends a round with the answers and the state of the previous one. */
async function nextRound<M extends CallMethod>(
  outgoing: OutgoingCall<M>,
  returned: ReturnedInput,
  options: CallOptions = outgoing.options,
): Promise<Call<M>> {
  const { request } = outgoing;
  const reply = await sendRound({ ...outgoing, options }, returned);
  if (isInputRequiredResult(reply)) return openCall(outgoing, pendingOf(reply, request));
  return { done: true, ...request, result: reply } as Call<M>;
}

function pendingOf(reply: InputRequiredResult, { method }: CallRequest): Pending {
  const questions = reply.inputRequests ?? {};
  const problem = problemOf(questions);
  if (problem !== undefined) {
    throw new SdkError(SdkErrorCode.InvalidResult, `Invalid result for ${method}: ${problem}`);
  }
  return { questions: questions as OpenQuestions, requestState: reply.requestState };
}

/**
 * Creates an open call. The server's state is not a property, so that logs of the call do not show
 * it.
 */
function openCall<M extends CallMethod>(outgoing: OutgoingCall<M>, pending: Pending): OpenCall<M> {
  const { client, request } = outgoing;
  const { questions, requestState } = pending;
  return {
    done: false,
    ...request,
    questions,
    answer: async (answers, options) => {
      const inputResponses = checkAnswers(answers, questions);
      assertModern(client);
      const merged = { ...outgoing.options, ...options };
      return nextRound(outgoing, { inputResponses, requestState }, merged);
    },
    toJSON: () => saveCall(request, pending),
  };
}

/**
 * Checks that the connection can carry answers. On the legacy era the call would start over.
 *
 * @throws {TypeError} If the client has negotiated the legacy era.
 */
function assertModern(client: Client): void {
  if (client.getProtocolEra() !== 'legacy') return;
  throw new TypeError(
    'answer(): this call was started on protocol 2026-07-28, but the client has negotiated an earlier version. Answer it on a connection with protocol 2026-07-28 or later.',
  );
}
