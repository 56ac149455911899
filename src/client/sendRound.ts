/**
 * Sends one round of a call and returns the server's reply: questions or a result.
 *
 * A round goes through `client.request`, which gives each request a JSON-RPC id of its own, caches
 * nothing and returns questions instead of answering them. If the definition of a tool is known,
 * the round goes through `client.callTool`, which mirrors arguments into headers where the
 * definition says so.
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

/** The options of a call. Those given at its start hold for each of its rounds. */
export interface CallOptions {
  /** Aborts the call: cancels a round under way, and sends no later one. */
  readonly signal?: AbortSignal;
  /**
   * The timeout of a round in milliseconds; the SDK's default is 60,000. A client of the 2025 era
   * is asked during the round, so there this is also the time its users have to answer.
   */
  readonly timeout?: number;
  /**
   * The tool as `client.listTools()` lists it. If given, structured content is checked against the
   * tool's output schema, and arguments that the tool wants as headers are sent as headers; a
   * server refuses them otherwise (-32020). It is not saved with the call.
   */
  readonly toolDefinition?: Tool;
}

/** The parts of a call that all its rounds share. */
export interface OutgoingCall<M extends CallMethod = CallMethod> {
  readonly client: Client;
  readonly request: CallRequest<M>;
  readonly options: CallOptions;
}

/** The parts of the previous round that the next one sends back: answers and server state. */
export interface ReturnedInput {
  readonly inputResponses?: Record<string, Answer> | undefined;
  readonly requestState?: string | undefined;
}

type Reply<M extends CallMethod> = CallResults[M] | InputRequiredResult;

/** Sends a round and waits for the reply. */
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

/** An absent state stays absent on the wire. */
function paramsOf(
  { params }: CallRequest,
  { inputResponses, requestState }: ReturnedInput,
): Params {
  const sent: Params = { ...params };
  if (inputResponses !== undefined) sent.inputResponses = inputResponses;
  if (requestState !== undefined) sent.requestState = requestState;
  return sent;
}

/** Functions, so that bundlers can drop the schemas of a program that makes no call. */
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
  // With an output schema, the client takes questions for a result that lacks its content.
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

/** @throws {ProtocolError} If the schema itself cannot be used. */
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
 * Checks structured content as `client.callTool` does, with the same two rules and the same errors.
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
