/**
 * One leg of a call: a request, and what the server replied to it, questions or a result.
 *
 * Legs go through `client.request`, which gives each a JSON-RPC id of its own, caches nothing and
 * hands questions back instead of answering them. A tool whose definition is at hand takes the way
 * through `client.callTool`, which mirrors arguments into headers where the definition says so.
 */
import {
  type CallToolResult,
  type Client,
  type InputRequiredResult,
  isInputRequiredResult,
  type RequestOptions,
  specTypeSchemas,
  type StandardSchemaV1,
  type Tool,
  withInputRequired,
} from '@modelcontextprotocol/client';
import type { Answer } from './answers.js';
import { outputCheckOf } from './output.js';
import type { CallMethod, CallParams, CallRequest, CallResults } from './target.js';

/** How a call is made. What is given when it starts holds for each of its rounds. */
export interface CallOptions {
  /** Gives the call up. A round under way is cancelled, a later one is not sent. */
  readonly signal?: AbortSignal;
  /**
   * How many milliseconds a round may take; the SDK's default is 60,000. A client of the 2025 era
   * is asked during the round: there this is also the time that its people have for their answers.
   */
  readonly timeout?: number;
  /**
   * The tool as `client.listTools()` lists it. With it, structured content is held against the
   * tool's output schema, and arguments that the tool wants as headers are sent as such; a server
   * refuses them otherwise (-32020). It is not saved with the call.
   */
  readonly toolDefinition?: Tool;
}

/** What a leg brings back of the round before: its answers, and the server's state. */
export interface Returned {
  readonly inputResponses?: Record<string, Answer> | undefined;
  readonly requestState?: string | undefined;
}

/** What a leg is sent with. */
export interface LegContext {
  readonly client: Client;
  readonly options: CallOptions;
}

type Reply<M extends CallMethod> = CallResults[M] | InputRequiredResult;

/** Sends a leg and waits for the reply. */
export async function sendLeg<M extends CallMethod>(
  { client, options }: LegContext,
  { method, params }: CallRequest<M>,
  returned: Returned,
): Promise<Reply<M>> {
  const { toolDefinition, ...rest } = options;
  const request = { method, params: { ...params, ...present(returned) } as Params };
  const sending = { ...rest, allowInputRequired: true };
  if (toolDefinition !== undefined && method === 'tools/call') {
    const reply = await callDefined(client, request.params, { ...sending, toolDefinition });
    return reply as Reply<M>;
  }
  const schema: StandardSchemaV1<unknown, Reply<M>> = REPLIES[method]();
  return client.request(request, schema, sending);
}

type Params = Record<string, unknown>;

/** The members that are there: an absent state stays absent on the wire. */
function present({ inputResponses, requestState }: Returned): Returned {
  return {
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

const REPLIES: { readonly [M in CallMethod]: () => StandardSchemaV1<unknown, Reply<M>> } = {
  'tools/call': () => withInputRequired(specTypeSchemas.CallToolResult),
  'prompts/get': () => withInputRequired(specTypeSchemas.GetPromptResult),
  'resources/read': () => withInputRequired(specTypeSchemas.ReadResourceResult),
};

/** A leg of a tool whose definition is at hand. */
async function callDefined(
  client: Client,
  params: Params,
  { toolDefinition, ...sending }: RequestOptions & { toolDefinition: Tool },
): Promise<CallToolResult | InputRequiredResult> {
  const { name } = params as CallParams['tools/call'];
  // With an output schema, the client takes questions for a result that lacks its content.
  const { outputSchema, ...definition } = toolDefinition;
  const check = outputCheckOf(name, outputSchema);
  const leg = { ...params, name };
  const reply = await client.callTool(leg, { ...sending, toolDefinition: definition });
  if (!isInputRequiredResult(reply)) await check(reply);
  return reply;
}
