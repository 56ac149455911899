/**
 * A multi-round call by hand: start it, read its questions, answer them, until it is done.
 *
 * The everyday client needs none of this: `client.callTool` asks its handlers and comes back with
 * the result. By hand is for questions that outlive the process: an approval that is answered
 * tomorrow, from a queue, by another machine. An open call holds its request, its questions and the
 * server's state, all plain data.
 *
 * On a connection of the 2025 era the server pushes its questions to the client's handlers while
 * the call runs. There a call is done when it comes back, and handlers are needed.
 */
import {
  type Client,
  type InputRequiredResult,
  isInputRequiredResult,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import { checkedAnswers } from './answers.js';
import type { Call, OpenCall } from './call.js';
import { type CallOptions, type Returned, sendLeg } from './sendRound.js';
import { type OpenQuestions, problemOf } from './openQuestions.js';
import { type Pending, readSavedCall, type SavedCall, saveCall } from './savedCall.js';
import {
  type CallMethod,
  type CallRequest,
  type CallTarget,
  type PromptTarget,
  requestOf,
  type ResourceTarget,
  type ToolTarget,
} from './target.js';

/**
 * Starts a call to a tool `{ name, arguments }`, a prompt `{ prompt, arguments }` or a resource `{
 * resource }`. Comes back with the result, or with the questions to answer first.
 *
 * The client declares what it can be asked (`capabilities: { elicitation: {} }`, …) and, on a
 * connection of the 2026 era, needs no handler for it.
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
 * @throws {TypeError} If the target names nothing to call.
 * @throws {ProtocolError | SdkError} If the server refuses the call or does not answer.
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
 * Takes up an open call that was saved with `JSON.stringify(call)`, from the text or from the data.
 * Nothing is sent until it is answered; the server decides whether it still honours the call.
 *
 * @example
 *
 * ```ts
 * const call = resumeCall(client, await readFile('call.json', 'utf8'));
 * const next = await call.answer({ approval: accept({ confirm: true }) });
 * ```
 *
 * @throws {TypeError} If this is not an open call, or one of another version.
 */
export function resumeCall<M extends CallMethod = CallMethod>(
  client: Client,
  saved: SavedCall<M> | string,
  options: CallOptions = {},
): OpenCall<M> {
  const { request, pending } = readSavedCall(saved);
  // Its method is in the type of the data, or unknown with M as all of them.
  return openCall({ client, request: request as CallRequest<M>, options }, pending);
}

/** What all rounds of a call share. */
interface Flow<M extends CallMethod> {
  readonly client: Client;
  readonly request: CallRequest<M>;
  readonly options: CallOptions;
}

/** Sends a round, with what it brings back of the one before. */
async function nextRound<M extends CallMethod>(
  flow: Flow<M>,
  returned: Returned,
  options: CallOptions = flow.options,
): Promise<Call<M>> {
  const { client, request } = flow;
  const reply = await sendLeg({ client, options }, request, returned);
  if (isInputRequiredResult(reply)) return openCall(flow, pendingOf(reply, request));
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

/** The open call of a flow. The server's state stays in here: no log of the call shows it. */
function openCall<M extends CallMethod>(flow: Flow<M>, pending: Pending): OpenCall<M> {
  const { questions, requestState } = pending;
  return {
    done: false,
    ...flow.request,
    questions,
    answer: async (answers, options) => {
      const inputResponses = checkedAnswers(answers, questions);
      assertModern(flow.client);
      return nextRound(flow, { inputResponses, requestState }, { ...flow.options, ...options });
    },
    toJSON: () => saveCall(flow.request, pending),
  };
}

/** A connection of the 2025 era has no way to carry answers: the call would start over. */
function assertModern(client: Client): void {
  if (client.getProtocolEra() !== 'legacy') return;
  throw new TypeError(
    'This call was started on protocol 2026-07-28 and can only be answered there; this client has negotiated a version before it.',
  );
}
