/**
 * The SDK's own client, connected to a server in this process, with scripted answers. It is for
 * tests that pin the wire or that need several requests on one connection. All other tests call
 * `run` of `mcp-resolve/testing`.
 */
import {
  Client,
  StreamableHTTPClientTransport,
  withInputRequired,
} from '@modelcontextprotocol/client';
import {
  specTypeSchemas,
  type CallToolResult,
  type ClientCapabilities,
  type CreateMessageRequest,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  type ElicitRequest,
  type ElicitRequestFormParams,
  type ElicitResult,
  type InputRequiredResult,
  type JSONRPCMessage,
  type ListRootsResult,
  type McpHttpHandler,
  type McpServer,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Era } from 'mcp-resolve/testing';

import { errorTextOf, textOf } from './results.js';
import { closeAfterTest, connectInMemory, httpHandler, type Factory } from './servers.js';

export type FormRequest = ElicitRequestFormParams;
export type SampleRequest = CreateMessageRequest['params'];
export type SampleReply = CreateMessageResult | CreateMessageResultWithTools;

/** Answers in order, or a function of the request. An answer that is an `Error` is thrown. */
export type Script<Request, Answer> =
  readonly (Answer | Error)[] | ((request: Request) => Answer | Error | Promise<Answer | Error>);

/** The answers to a client's questions. The client declares a capability for each kind it has. */
export interface ScriptedUser {
  readonly elicit?: Script<FormRequest, ElicitResult>;
  readonly sample?: Script<SampleRequest, SampleReply>;
  readonly roots?: Script<undefined, ListRootsResult>;
  /** The client's capabilities. Default: those that the answers need. */
  readonly capabilities?: ClientCapabilities;
  /** The number of rounds after which the client gives up. The SDK's default is ten. */
  readonly maxRounds?: number;
}

/** A question as the client received it. */
export interface Asked {
  readonly method: string;
  readonly params: unknown;
}

/** The parts of a round besides its tool and arguments. */
export interface RoundOptions {
  readonly inputResponses?: Record<string, unknown>;
  readonly requestState?: string;
}

/** A client connected to a server. */
export interface PlainClient {
  readonly client: Client;
  /** The server of a legacy connection. On modern there is one per request. */
  readonly server: McpServer | Server | undefined;
  /** The text of every question, in order. `roots/list` for roots. */
  readonly asked: string[];
  /** The same questions in full. */
  readonly questions: Asked[];
  /** Every message that the client sent. */
  readonly sent: JSONRPCMessage[];
  /** Returns the number of `tools/call` requests that the client has sent. */
  readonly requests: () => number;
  /** Calls a tool and answers its questions. */
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<CallToolResult>;
  /** Calls a tool and returns the text of its result, which must not be an error. */
  readonly text: (name: string, args?: Record<string, unknown>) => Promise<string>;
  /** Calls a tool and returns the text of its tool error. */
  readonly errorText: (name: string, args?: Record<string, unknown>) => Promise<string>;
  /** Sends one round on the modern era, and leaves its questions open. */
  readonly sendRound: (
    name: string,
    args?: Record<string, unknown>,
    options?: RoundOptions,
  ) => Promise<InputRequiredResult | CallToolResult>;
}

/**
 * Connects a client of an era to a server of the factory. `sdk` is the copy of the SDK that serves
 * the modern era.
 */
export async function connectClient(
  era: Era,
  factory: Factory,
  user: ScriptedUser = {},
  sdk?: Parameters<typeof httpHandler>[1],
): Promise<PlainClient> {
  const client = new Client(
    { name: 'plain client', version: '1.0.0' },
    {
      capabilities: user.capabilities ?? impliedCapabilities(user),
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
      ...(user.maxRounds !== undefined && { inputRequired: { maxRounds: user.maxRounds } }),
    },
  );
  const questions: Asked[] = [];
  const asked: string[] = [];
  listen(client, user, (question) => {
    questions.push(question);
    asked.push(textOfQuestion(question));
  });
  const { transport, server } =
    era === 'modern'
      ? { transport: transportTo(httpHandler(factory, sdk)), server: undefined }
      : await connectInMemory(factory);
  const sent = recordSent(transport);
  closeAfterTest(() => client.close());
  await client.connect(transport);
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> =>
    client.callTool({ name, arguments: args });
  return {
    client,
    server,
    asked,
    questions,
    sent,
    requests: () =>
      sent.filter((message) => 'method' in message && message.method === 'tools/call').length,
    call,
    text: async (name, args) => textOf(await call(name, args)),
    errorText: async (name, args) => errorTextOf(await call(name, args)),
    sendRound: (name, args = {}, options = {}) =>
      client.request(
        { method: 'tools/call', params: { name, arguments: args, ...options } },
        withInputRequired(specTypeSchemas.CallToolResult),
        { allowInputRequired: true },
      ),
  };
}

/**
 * Connects a legacy client to the SDK's HTTP handler, which has no sessions. Each request gets a
 * new server, which does not know the client's capabilities and cannot send it a question.
 */
export async function connectStateless(
  handler: McpHttpHandler,
  capabilities: ClientCapabilities,
): Promise<Client> {
  const client = new Client(
    { name: 'stateless', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: 'legacy' } },
  );
  closeAfterTest(() => client.close());
  await client.connect(transportTo(handler));
  return client;
}

function impliedCapabilities({ elicit, sample, roots }: ScriptedUser): ClientCapabilities {
  return {
    ...(elicit && { elicitation: {} }),
    ...(sample && { sampling: {} }),
    ...(roots && { roots: {} }),
  };
}

/** Sets a handler for each kind of question that the client declares or has a script for. */
function listen(client: Client, user: ScriptedUser, note: (question: Asked) => void): void {
  const declared = user.capabilities ?? impliedCapabilities(user);
  if (declared.elicitation) {
    const answer = answering('elicitation/create', user.elicit, note);
    client.setRequestHandler('elicitation/create', ({ params }: ElicitRequest) =>
      answer(params as FormRequest),
    );
  }
  if (declared.sampling) {
    const answer = answering('sampling/createMessage', user.sample, note);
    client.setRequestHandler(
      'sampling/createMessage',
      ({ params }) => answer(params) as Promise<CreateMessageResult>,
    );
  }
  if (declared.roots) {
    const answer = answering('roots/list', user.roots, note);
    client.setRequestHandler('roots/list', () => answer(undefined));
  }
}

function answering<Request, Answer>(
  method: string,
  script: Script<Request, Answer> = [],
  note: (question: Asked) => void,
): (params: Request) => Promise<Answer> {
  const remaining = typeof script === 'function' ? undefined : [...script];
  return async (params) => {
    note({ method, params });
    const answer = typeof script === 'function' ? await script(params) : remaining?.shift();
    if (answer === undefined)
      throw new Error(`The script has no answer to ${JSON.stringify(params)}`);
    if (answer instanceof Error) throw answer;
    return answer;
  };
}

function textOfQuestion({ method, params }: Asked): string {
  if (method === 'elicitation/create') return (params as FormRequest).message;
  if (method !== 'sampling/createMessage') return method;
  const content = (params as SampleRequest).messages.at(-1)?.content;
  const [block] = [content].flat();
  return block?.type === 'text' ? block.text : method;
}

function transportTo(handler: McpHttpHandler): Transport {
  return new StreamableHTTPClientTransport(new URL('http://server.test/mcp'), {
    fetch: (url, init) => handler.fetch(new Request(url, init)),
  });
}

function recordSent(transport: Transport): JSONRPCMessage[] {
  const sent: JSONRPCMessage[] = [];
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    sent.push(...[message].flat());
    return send(message, options);
  };
  return sent;
}
