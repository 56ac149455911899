/**
 * Sends one round of a call and returns the server's reply: questions or a result.
 *
 * Rounds use `client.request`, which sends each request with its own JSON-RPC id, caches nothing,
 * and returns questions instead of answering them. If the definition of a tool is known, rounds use
 * `client.callTool`, which copies arguments into headers where the definition says so.
 */
import {
  fromJsonSchema,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  specTypeSchemas,
  withInputRequired,
} from '@modelcontextprotocol/client';
import type {
  CallToolResult,
  Client,
  InputRequiredResult,
  JsonSchemaType,
  RequestOptions,
  StandardSchemaV1,
  Tool,
} from '@modelcontextprotocol/client';
import { messageOf } from '../errors.js';
import type { Answer } from './answers.js';
import type { CallMethod, CallParams, CallRequest, CallResults } from './target.js';

/** The options of a call. Options given at the start apply to every round. */
export interface CallOptions {
  /** Aborts the call: cancels the current round and sends no further rounds. */
  readonly signal?: AbortSignal;
  /**
   * The timeout of a round in milliseconds. Default: 60,000, as in the SDK. On the legacy era the
   * server asks during the round, so the timeout also limits the time that users have to answer.
   */
  readonly timeout?: number;
  /**
   * The tool as `client.listTools()` returns it. If given, the client checks structured content
   * against the tool's output schema, and sends arguments as headers where the tool requires it.
   * Without those headers the server refuses the call (-32020). The definition is not saved with
   * the call.
   */
  readonly toolDefinition?: Tool;
}

/** The parts of a call that all its rounds share. */
export interface OutgoingCall<M extends CallMethod = CallMethod> {
  readonly client: Client;
  readonly request: CallRequest<M>;
  readonly options: CallOptions;
}

/** The answers and the server state that the next round sends back. */
export interface ReturnedInput {
  readonly inputResponses?: Record<string, Answer> | undefined;
  readonly requestState?: string | undefined;
}

type Reply<M extends CallMethod> = CallResults[M] | InputRequiredResult;

/** Sends a round and returns the reply. */
export async function sendRound<M extends CallMethod>(
  { client, request, options }: OutgoingCall<M>,
  returned: ReturnedInput,
): Promise<Reply<M>> {
  const { method } = request;
  const { toolDefinition, ...rest } = options;
  const params = paramsOf(request, returned);
  const sending = { ...rest, allowInputRequired: true };
  if (toolDefinition !== undefined && method === 'tools/call') {
    const reply = await callDefinedTool(client, params, { ...sending, toolDefinition });
    return reply as Reply<M>;
  }
  const schema: StandardSchemaV1<unknown, Reply<M>> = REPLY_SCHEMAS[method]();
  return client.request({ method, params }, schema, sending);
}

type Params = Record<string, unknown>;

/** Returns the parameters of a round. An absent state stays absent on the wire. */
function paramsOf(
  { params }: CallRequest,
  { inputResponses, requestState }: ReturnedInput,
): Params {
  const sent: Params = { ...params };
  if (inputResponses !== undefined) sent.inputResponses = inputResponses;
  if (requestState !== undefined) sent.requestState = requestState;
  return sent;
}

/** The schemas of the replies. They are functions, so that bundlers can drop unused schemas. */
const REPLY_SCHEMAS: { readonly [M in CallMethod]: () => StandardSchemaV1<unknown, Reply<M>> } = {
  'tools/call': () => withInputRequired(specTypeSchemas.CallToolResult),
  'prompts/get': () => withInputRequired(specTypeSchemas.GetPromptResult),
  'resources/read': () => withInputRequired(specTypeSchemas.ReadResourceResult),
};

/** Sends a round to a tool whose definition is known. */
async function callDefinedTool(
  client: Client,
  params: Params,
  { toolDefinition, ...sending }: RequestOptions & { toolDefinition: Tool },
): Promise<CallToolResult | InputRequiredResult> {
  const { name } = params as CallParams['tools/call'];
  // Given an output schema, the client treats questions as a result without structured content.
  const { outputSchema, ...definition } = toolDefinition;
  const schema = outputSchema && compileOutputSchema(name, outputSchema);
  const reply = await client.callTool(
    { ...params, name },
    { ...sending, toolDefinition: definition },
  );
  if (schema !== undefined && !isInputRequiredResult(reply)) await checkOutput(name, schema, reply);
  return reply;
}

type OutputSchema = ReturnType<typeof fromJsonSchema>;

/**
 * Compiles the output schema of a tool.
 *
 * @throws {ProtocolError} If the schema is invalid.
 */
function compileOutputSchema(name: string, outputSchema: object): OutputSchema {
  try {
    return fromJsonSchema(outputSchema as JsonSchemaType);
  } catch (error) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Tool '${name}' has an invalid outputSchema: ${messageOf(error).slice(0, 200)}`,
    );
  }
}

/**
 * Checks structured content with the same rules and errors as `client.callTool`.
 *
 * @throws {ProtocolError} If the content is missing or does not match.
 */
async function checkOutput(
  name: string,
  schema: OutputSchema,
  { isError, structuredContent }: CallToolResult,
): Promise<void> {
  if (isError === true) return;
  if (structuredContent === undefined) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      `Tool ${name} has an output schema but did not return structured content`,
    );
  }
  const { issues } = await schema['~standard'].validate(structuredContent);
  if (issues === undefined) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Structured content does not match the tool's output schema: ${issues[0]?.message ?? ''}`,
  );
}
