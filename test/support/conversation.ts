/**
 * Conversations between a real SDK client and a server, in process and without sockets, for either
 * protocol era. Whatever is opened here is closed after each test.
 *
 * - {@link talk} is the everyday form: a client with scripted people behind it.
 * - {@link post} and {@link PostOptions} send one JSON-RPC request of the modern era by hand.
 * - {@link rawLegacy} speaks the legacy era message by message.
 */
import {
  Client,
  StreamableHTTPClientTransport,
  withInputRequired,
} from '@modelcontextprotocol/client';
import {
  createMcpHandler,
  InMemoryTransport,
  isInputRequiredResult,
  McpServer,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  CreateMessageResultWithTools,
  ElicitRequest,
  ElicitRequestFormParams,
  ElicitResult,
  InputRequiredResult,
  JSONRPCMessage,
  JSONRPCRequest,
  ListRootsResult,
  McpHttpHandler,
  McpRequestContext,
  Server,
  Transport,
} from '@modelcontextprotocol/server';
import { install } from 'mcp-resolve';
import type { InstallOptions, Tool } from 'mcp-resolve';
import { afterEach } from 'vitest';

/** The two eras of the protocol; for `describe.each(eras)`. */
export const eras = ['modern', 'legacy'] as const;

export type Era = (typeof eras)[number];

/** The version that each era negotiates. */
export const VERSION = { modern: '2026-07-28', legacy: '2025-11-25' } as const;

/** Makes a server: once per connection on legacy, once per request on modern. */
export type Factory = (ctx: McpRequestContext) => McpServer | Server;

/** Makes an `McpServer` that has nothing but these tools. */
export function serving(definitions: readonly Tool[], options?: InstallOptions): Factory {
  return () => {
    const server = new McpServer({ name: 'conversation', version: '1.0.0' });
    install(server, definitions, options);
    return server;
  };
}

/** The three ways in which a person can answer a form. */
export const accept = (content: NonNullable<ElicitResult['content']>): ElicitResult => ({
  action: 'accept',
  content,
});
export const decline: ElicitResult = { action: 'decline' };
export const cancel: ElicitResult = { action: 'cancel' };

export type FormRequest = ElicitRequestFormParams;
export type SampleRequest = CreateMessageRequest['params'];
export type SampleReply = CreateMessageResult | CreateMessageResultWithTools;

/** Answers in order, or a function of the request. An answer that is an `Error` is thrown. */
export type Script<Request, Answer> =
  readonly (Answer | Error)[] | ((request: Request) => Answer | Error | Promise<Answer | Error>);

/** Who sits behind a client. A script for a kind of question declares its capability. */
export interface Person {
  readonly elicit?: Script<FormRequest, ElicitResult>;
  readonly sample?: Script<SampleRequest, SampleReply>;
  readonly roots?: Script<undefined, ListRootsResult>;
  /** What the client declares, instead of what the scripts imply. */
  readonly capabilities?: ClientCapabilities;
  /** How many rounds the client goes on by itself; the SDK's default is ten. */
  readonly maxRounds?: number;
}

/** A question as the client received it. */
export interface Asked {
  readonly method: string;
  readonly params: unknown;
}

/** What a leg carries besides its tool and arguments. */
export interface LegOptions {
  readonly inputResponses?: Record<string, unknown>;
  readonly requestState?: string;
}

/** A client connected to a server. */
export interface Conversation {
  readonly client: Client;
  /** The factory's server of a legacy connection; on modern there is one per request. */
  readonly server: McpServer | Server | undefined;
  /** The text of every question the client was asked, in order; `roots/list` for roots. */
  readonly asked: string[];
  /** The same questions in full. */
  readonly questions: Asked[];
  /** Every message that the client put on the wire. */
  readonly sent: JSONRPCMessage[];
  /** How many `tools/call` requests the client has sent. */
  readonly legs: () => number;
  /** Calls a tool; questions are answered by the script. */
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<CallToolResult>;
  /** Calls a tool and gives the text of its result, which must not be an error. */
  readonly text: (name: string, args?: Record<string, unknown>) => Promise<string>;
  /** Calls a tool and gives the text of its tool error, which it must end with. */
  readonly errorText: (name: string, args?: Record<string, unknown>) => Promise<string>;
  /** One leg by hand, on the modern era: what it answers is not followed up. */
  readonly leg: (
    name: string,
    args?: Record<string, unknown>,
    options?: LegOptions,
  ) => Promise<InputRequiredResult | CallToolResult>;
}

const open: (() => Promise<unknown>)[] = [];

/** Closes something after the test. */
export function closeAfterTest(close: () => Promise<unknown>): void {
  open.push(close);
}

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Connects a client of an era to a server of the factory. */
export async function talk(era: Era, factory: Factory, person: Person = {}): Promise<Conversation> {
  const client = new Client(
    { name: 'conversation', version: '1.0.0' },
    {
      capabilities: person.capabilities ?? impliedCapabilities(person),
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
      ...(person.maxRounds !== undefined && { inputRequired: { maxRounds: person.maxRounds } }),
    },
  );
  const questions: Asked[] = [];
  const asked: string[] = [];
  listen(client, person, (question) => {
    questions.push(question);
    asked.push(textOfQuestion(question));
  });
  const { transport, server } = era === 'modern' ? overHttp(factory) : await inMemory(factory);
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
    legs: () =>
      sent.filter((message) => 'method' in message && message.method === 'tools/call').length,
    call,
    text: async (name, args) => textOf(await call(name, args)),
    errorText: async (name, args) => errorTextOf(await call(name, args)),
    leg: (name, args = {}, options = {}) =>
      client.request(
        { method: 'tools/call', params: { name, arguments: args, ...options } },
        withInputRequired(specTypeSchemas.CallToolResult),
        { allowInputRequired: true },
      ),
  };
}

function impliedCapabilities({ elicit, sample, roots }: Person): ClientCapabilities {
  return {
    ...(elicit && { elicitation: {} }),
    ...(sample && { sampling: {} }),
    ...(roots && { roots: {} }),
  };
}

/** Sets a handler for each kind of question that the client declares or has a script for. */
function listen(client: Client, person: Person, note: (question: Asked) => void): void {
  const declared = person.capabilities ?? impliedCapabilities(person);
  if (declared.elicitation) {
    const answer = answering('elicitation/create', person.elicit, note);
    client.setRequestHandler('elicitation/create', ({ params }: ElicitRequest) =>
      answer(params as FormRequest),
    );
  }
  if (declared.sampling) {
    const answer = answering('sampling/createMessage', person.sample, note);
    client.setRequestHandler(
      'sampling/createMessage',
      ({ params }) => answer(params) as Promise<CreateMessageResult>,
    );
  }
  if (declared.roots) {
    const answer = answering('roots/list', person.roots, note);
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

interface Line {
  readonly transport: Transport;
  readonly server: McpServer | Server | undefined;
}

const URL_OF_TESTS = new URL('http://server.test/mcp');

function overHttp(factory: Factory): Line {
  const handler = createMcpHandler(factory);
  closeAfterTest(() => handler.close());
  const transport = new StreamableHTTPClientTransport(URL_OF_TESTS, {
    fetch: (url, init) => handler.fetch(new Request(url, init)),
  });
  return { transport, server: undefined };
}

async function inMemory(factory: Factory): Promise<Line> {
  const [transport, far] = InMemoryTransport.createLinkedPair();
  const server = factory({ era: 'legacy' });
  closeAfterTest(() => server.close());
  await server.connect(far);
  return { transport, server };
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

/** The text of a result that is not an error. */
export function textOf(result: CallToolResult | InputRequiredResult): string {
  if (isInputRequiredResult(result) || result.isError === true) {
    throw new Error(`expected a complete result, got ${JSON.stringify(result)}`);
  }
  return onlyText(result);
}

/** The text of a tool error. */
export function errorTextOf(result: CallToolResult | InputRequiredResult): string {
  if (isInputRequiredResult(result) || result.isError !== true) {
    throw new Error(`expected a tool error, got ${JSON.stringify(result)}`);
  }
  return onlyText(result);
}

function onlyText({ content }: CallToolResult): string {
  const [block] = content;
  if (content.length !== 1 || block?.type !== 'text') {
    throw new Error(`expected one text, got ${JSON.stringify(content)}`);
  }
  return block.text;
}

/** The questions of a leg, by wire key, and the state to come back with. */
export function questionsOf(result: CallToolResult | InputRequiredResult): {
  requests: Record<string, { method: string; params?: Record<string, unknown> }>;
  keys: string[];
  requestState: string;
} {
  if (!isInputRequiredResult(result)) {
    throw new Error(`expected questions, got ${JSON.stringify(result)}`);
  }
  const requests = (result.inputRequests ?? {}) as Record<
    string,
    { method: string; params?: Record<string, unknown> }
  >;
  return { requests, keys: Object.keys(requests), requestState: result.requestState! };
}

/** A JSON-RPC error as a comparable value; `data` only where there is some. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The protocol error that a call must end with. */
export async function refusal(call: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await call.then(
    (result) => {
      throw new Error(`expected a protocol error, got ${JSON.stringify(result)}`);
    },
    (reason: unknown) => reason,
  );
  const { code, message, data } = error as Refusal;
  if (typeof code !== 'number') throw error as Error;
  return { code, message, ...(data !== undefined && { data }) };
}

/** What a request by hand carries besides its method and params. */
export interface PostOptions {
  readonly capabilities?: ClientCapabilities;
  /** Further headers; a value of `undefined` takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** The response to a request by hand. */
export interface PostResponse {
  readonly status: number;
  readonly body: { readonly result?: Record<string, unknown>; readonly error?: Refusal };
}

/** Makes an HTTP handler for {@link post}, closed after the test. */
export function httpHandler(factory: Factory): McpHttpHandler {
  const handler = createMcpHandler(factory);
  closeAfterTest(() => handler.close());
  return handler;
}

/** Sends one request of the modern era by hand, with the envelope that a client would add. */
export async function post(
  handler: Pick<McpHttpHandler, 'fetch'>,
  method: string,
  params: Record<string, unknown>,
  options: PostOptions = {},
): Promise<PostResponse> {
  const { capabilities = {}, headers = {}, signal } = options;
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': VERSION.modern,
    'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const target = params.name ?? params.uri;
  const allHeaders: Record<string, string | undefined> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSION.modern,
    'mcp-method': method,
    ...(typeof target === 'string' && { 'mcp-name': target }),
    ...headers,
  };
  const kept = Object.entries(allHeaders).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const response = await handler.fetch(
    new Request(URL_OF_TESTS, {
      method: 'POST',
      headers: Object.fromEntries(kept),
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { ...params, _meta: { ...envelope, ...(params._meta as object | undefined) } },
      }),
      ...(signal && { signal }),
    }),
  );
  return { status: response.status, body: await readBody(response) };
}

/** The one message of a response, whether it came as JSON or as an event stream. */
async function readBody(response: Response): Promise<PostResponse['body']> {
  const text = await response.text();
  if (response.headers.get('content-type')?.includes('text/event-stream') !== true) {
    return JSON.parse(text) as PostResponse['body'];
  }
  const data = text.split('\n').filter((line) => line.startsWith('data: ') && line.length > 6);
  return JSON.parse(data.at(-1)!.slice(6)) as PostResponse['body'];
}

/** How a client by hand answers what the server asks: a result, or an error for JSON-RPC. */
export type RawAnswer = { readonly result: unknown } | { readonly error: Refusal };

/** A legacy client written out by hand. */
export interface RawLegacy {
  /** Every request that the server sent, in order. */
  readonly received: JSONRPCRequest[];
  /** Sends a request and waits for its response. */
  readonly request: (
    method: string,
    params?: Record<string, unknown>,
  ) => Promise<{ id: unknown; result?: Record<string, unknown>; error?: Refusal }>;
  /** Sends any message as it is. */
  readonly send: (message: object) => Promise<void>;
  readonly server: McpServer | Server;
}

/** What a legacy client by hand is made with. */
export interface RawLegacyOptions {
  readonly capabilities?: ClientCapabilities;
  /** Default: 2025-11-25. */
  readonly protocolVersion?: string;
  /** Answers what the server asks; without it a request of the server stays unanswered. */
  readonly answer?: (request: JSONRPCRequest) => RawAnswer | Promise<RawAnswer>;
}

/** Connects a legacy client that is written out by hand, `initialize` included. */
export async function rawLegacy(
  factory: Factory,
  { capabilities = {}, protocolVersion = VERSION.legacy, answer }: RawLegacyOptions = {},
): Promise<RawLegacy> {
  const { transport, server } = await inMemory(factory);
  const received: JSONRPCRequest[] = [];
  const waiting = new Map<unknown, (response: never) => void>();
  const send = (message: object): Promise<void> => transport.send(message as JSONRPCMessage);
  transport.onmessage = (message: JSONRPCMessage) => {
    if (!('id' in message)) return;
    if (!('method' in message)) {
      waiting.get(message.id)?.(message as never);
      return;
    }
    received.push(message);
    void Promise.resolve(answer?.(message)).then(
      (reply) => reply && send({ jsonrpc: '2.0', id: message.id, ...reply }),
    );
  };
  closeAfterTest(() => transport.close());
  await transport.start();
  let lastId = 0;
  const request: RawLegacy['request'] = async (method, params = {}) => {
    const id = ++lastId;
    const response = new Promise<never>((resolve) => waiting.set(id, resolve));
    await send({ jsonrpc: '2.0', id, method, params });
    return response;
  };
  await request('initialize', {
    protocolVersion,
    capabilities,
    clientInfo: { name: 'by hand', version: '1.0.0' },
  });
  await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { received, request, send, server: server! };
}

/** A promise and the function that resolves it, for tests that hold something up. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
