/**
 * A hand-written server that deploys something after asking `confirm`, with the state
 * `awaiting-confirm` between the rounds. It has tools, prompts and resources, is an `McpServer` or
 * a low-level `Server`, and is protected before or after its handlers are set.
 *
 * {@link overHttp} and {@link overStdio} send raw requests of the modern era to it and return the
 * text of the response.
 */
import { PassThrough } from 'node:stream';
import type {
  AuthInfo,
  ClientCapabilities,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate,
  Server,
} from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { install, requestStateSeal } from 'mcp-resolve';
import type { RequestStateSeal, RequestStateSealOptions, SealSettings } from 'mcp-resolve';
import { serveStdio } from 'mcp-resolve/node';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import * as z from 'zod';

import { VERSION } from '../support/eras.js';
import { closeAfterTest, type Factory } from '../support/servers.js';

export const KEY = '0123456789abcdef0123456789abcdef';
export const OTHER_KEY = 'fedcba9876543210fedcba9876543210';

/** The error for every refused state. */
export const FROZEN = {
  code: -32602,
  message: 'Invalid or expired requestState',
  data: { reason: 'invalid_request_state' },
};

/** The response with that error to request 1, byte for byte. */
export const FROZEN_BODY =
  '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid or expired requestState","data":{"reason":"invalid_request_state"}}}';

/** The response with an internal error to request 1, byte for byte. */
export const INTERNAL_BODY =
  '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}';

/** The two server classes of the SDK. */
export const layers = ['McpServer', 'Server'] as const;
export type Layer = (typeof layers)[number];

/** The time of the protection: before or after the handlers are set. */
export const moments = ['before', 'after'] as const;
export type Moment = (typeof moments)[number];

/** The runs of the handlers: the target of each, and the state that it read. */
export type Seen = [what: string, state: unknown][];

/** The options of {@link desk}. */
export interface DeskOptions {
  readonly layer?: Layer;
  readonly when?: Moment;
  /** Default: that of `install` on an `McpServer`, none on a `Server`. */
  readonly seal?: RequestStateSeal;
  readonly name?: string;
  readonly seen?: Seen;
  /** The state between the rounds. Default: `awaiting-confirm`. */
  readonly state?: string;
}

const Env = z.object({ env: z.string().optional() });
const CONFIRM = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const } },
  required: ['confirm'],
};

/** Runs one round: returns the question, or the text of the result. */
export function deploy(
  what: string,
  ctx: ServerContext,
  { seen = [], state: between = 'awaiting-confirm' }: DeskOptions,
): InputRequiredResult | string {
  const state = ctx.mcpReq.requestState<string>();
  seen.push([what, state]);
  if (state === undefined) {
    const confirm = inputRequired.elicit({
      message: `Deploy to ${what}?`,
      requestedSchema: CONFIRM,
    });
    return inputRequired({ inputRequests: { confirm }, requestState: between });
  }
  if (state !== between) throw new Error('this is not the state of this call');
  const answer = acceptedContent<{ confirm: boolean }>(ctx.mcpReq.inputResponses, 'confirm');
  return answer?.confirm === true ? `deployed to ${what}` : `deployment to ${what} cancelled`;
}

/** Creates a factory of hand-written servers. */
export function desk(options: DeskOptions = {}): Factory {
  const { layer = 'McpServer', when = 'before', seal } = options;
  const protect = (server: McpServer | Server): void => {
    if (layer === 'McpServer') install(server, [], seal && { seal });
    else seal?.protect(server);
  };
  return () => {
    const server = layer === 'McpServer' ? newMcpServer(options) : newServer(options);
    if (when === 'before') protect(server);
    if (server instanceof McpServer) writeOnMcpServer(server, options);
    else writeOnServer(server, options);
    if (when === 'after') protect(server);
    return server;
  };
}

const newMcpServer = ({ name = 'desk' }: DeskOptions): McpServer =>
  new McpServer({ name, version: '1.0.0' });

const newServer = ({ name = 'desk' }: DeskOptions): Server =>
  new Server(
    { name, version: '1.0.0' },
    { capabilities: { tools: {}, prompts: {}, resources: {} } },
  );

function writeOnMcpServer(server: McpServer, options: DeskOptions): void {
  const handle = (what: string, ctx: ServerContext) => deploy(what, ctx, options);
  for (const name of ['deploy', 'other']) {
    server.registerTool(name, { inputSchema: Env.loose() }, ({ env = 'nowhere' }, ctx) =>
      asTool(handle(env, ctx)),
    );
    server.registerPrompt(name, { argsSchema: Env.loose() }, ({ env = 'nowhere' }, ctx) =>
      asPrompt(handle(env, ctx)),
    );
    server.registerResource(name, `desk://${name}`, {}, (uri, ctx) =>
      asResource(uri.href, handle(uri.href, ctx)),
    );
  }
  const rooms = new ResourceTemplate('desk://rooms/{id}', { list: undefined });
  server.registerResource('rooms', rooms, {}, (uri, _, ctx) =>
    asResource(uri.href, handle(uri.href, ctx)),
  );
}

function writeOnServer(server: Server, options: DeskOptions): void {
  const handle = (what: string, ctx: ServerContext) => deploy(what, ctx, options);
  const env = (args: unknown): string => (args as { env?: string } | undefined)?.env ?? 'nowhere';
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    asTool(handle(env(params.arguments), ctx)),
  );
  server.setRequestHandler('prompts/get', ({ params }, ctx) =>
    asPrompt(handle(env(params.arguments), ctx)),
  );
  server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) =>
    asResource(uri, handle(uri, ctx)),
  );
}

type RoundResult = InputRequiredResult | string;

/** Returns a question unchanged, and a text as the result of a tool. */
export const asTool = (round: RoundResult) =>
  typeof round === 'string' ? { content: [{ type: 'text' as const, text: round }] } : round;

const asPrompt = (round: RoundResult) =>
  typeof round === 'string'
    ? { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: round } }] }
    : round;

const asResource = (uri: string, round: RoundResult) =>
  typeof round === 'string' ? { contents: [{ uri, text: round }] } : round;

/** A response: its text, and its parsed parts. */
export interface Reply {
  readonly text: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string; data?: unknown };
}

/** The parts of a request besides its method and parameters. */
export interface SendOptions {
  readonly authInfo?: AuthInfo;
  readonly capabilities?: ClientCapabilities;
  /** Changes the JSON of the message, for values that `JSON.stringify` cannot write. */
  readonly rewrite?: (message: string) => string;
}

/** Sends one request of the modern era. Its id is always 1. */
export type Send = (
  method: string,
  params: Record<string, unknown>,
  options?: SendOptions,
) => Promise<Reply>;

function messageOf(
  method: string,
  params: Record<string, unknown>,
  { capabilities = { elicitation: {} }, rewrite = (message) => message }: SendOptions = {},
): string {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': VERSION.modern,
    'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const _meta = { ...envelope, ...(params._meta as object | undefined) };
  return rewrite(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }));
}

const replyOf = (text: string): Reply => ({ ...(JSON.parse(text) as object), text });

/** Serves a factory over HTTP. */
export function overHttp(factory: Factory): Send {
  const handler = createMcpHandler(factory);
  closeAfterTest(() => handler.close());
  return async (method, params, options = {}) => {
    const named = params.name ?? params.uri;
    const target = method === 'resources/read' ? params.uri : named;
    const request = new Request('http://desk.test/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION.modern,
        'mcp-method': method,
        ...(typeof target === 'string' && { 'mcp-name': target }),
      },
      body: messageOf(method, params, options),
    });
    const { authInfo } = options;
    const response = await handler.fetch(request, authInfo && { authInfo });
    const text = await response.text();
    if (response.headers.get('content-type')?.includes('text/event-stream') !== true)
      return replyOf(text);
    const data = text.split('\n').filter((line) => line.startsWith('data: ') && line.length > 6);
    return replyOf(data.at(-1)!.slice(6));
  };
}

/** Serves a factory over a pair of streams, as a process would over stdio. */
export function overStdio(factory: Factory): Send {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStdio(factory, { transport: new StdioServerTransport(input, output) });
  closeAfterTest(() => served.close());
  let rest = '';
  const waiting: ((line: string) => void)[] = [];
  output.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line.includes('"id"')) waiting.shift()?.(line);
  });
  return async (method, params, options) => {
    const line = new Promise<string>((resolve) => waiting.push(resolve));
    input.write(`${messageOf(method, params, options)}\n`);
    return replyOf(await line);
  };
}

/** Returns the state of a reply with questions. */
export function tokenOf({ result, text }: Reply): string {
  const token = result?.requestState;
  if (typeof token !== 'string') throw new Error(`expected a question with a state, got ${text}`);
  return token;
}

/** Returns the text of a reply that ends the call. */
export function endOf({ result, text }: Reply): string {
  const { content, messages, contents } = (result ?? {}) as {
    content?: { text: string }[];
    messages?: { content: { text: string } }[];
    contents?: { text: string }[];
  };
  const end = content?.[0]?.text ?? messages?.[0]?.content.text ?? contents?.[0]?.text;
  if (end === undefined) throw new Error(`expected a complete result, got ${text}`);
  return end;
}

/** Expects the error for a refused state, byte for byte. */
export function expectFrozen(reply: Reply): void {
  expect(reply.error).toEqual(FROZEN);
  expect(reply.text).toBe(FROZEN_BODY);
}

/** The answers of a user who accepts. */
export const ACCEPT = { confirm: { action: 'accept', content: { confirm: true } } };

/** Returns a token with its middle character changed. */
export function flipped(token: string): string {
  const middle = Math.floor(token.length / 2);
  return token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1);
}

export const STAGING = { name: 'deploy', arguments: { env: 'staging' } };

/** Calls a tool that asks, and returns the token. */
export const ask = async (send: Send, params: object = STAGING, options?: SendOptions) =>
  tokenOf(await send('tools/call', { ...params }, options));

/** Repeats a call with a token and the user's consent. */
export const retry = (
  send: Send,
  requestState: unknown,
  params: object = STAGING,
  options?: SendOptions,
): Promise<Reply> =>
  send('tools/call', { ...params, inputResponses: ACCEPT, requestState }, options);

/** Repeats a call of the tool `went` with a token and the user's consent to one question. */
export const acceptQuestion = (send: Send, key: string, requestState: string): Promise<Reply> =>
  send('tools/call', {
    name: 'went',
    inputResponses: { [key]: ACCEPT.confirm },
    requestState,
  });

/** The warning about calls of anonymous clients. Most clients of these tests are anonymous. */
export const ANONYMOUS_CALL =
  'A call that asks arrived over HTTP without a principal, so any client that holds its token or its session can finish it. Pass `authenticate` to serveHttp() or createDualEraHandler(), set `req.auth` in the middleware of a framework, pass `http.authInfo` to a handler of toolHandler(), or `principal` to requestStateSeal().';

/** A seal and the warnings that it logged, except for {@link ANONYMOUS_CALL}. */
export interface LoggedSeal {
  readonly seal: RequestStateSeal;
  readonly logged: string[];
}

/** Creates a seal. Default: with {@link KEY}, for the audience `desk`. */
export function createSeal(
  options: SealSettings & Partial<RequestStateSealOptions> = {},
): LoggedSeal {
  const logged: string[] = [];
  const logger = {
    warn: (message: string) => {
      if (message !== ANONYMOUS_CALL) logged.push(message);
    },
  };
  const keys = 'codec' in options ? {} : { keys: [KEY] };
  const seal = requestStateSeal({
    audience: 'desk',
    logger,
    ...keys,
    ...options,
  } as RequestStateSealOptions);
  return { seal, logged };
}

/** Creates the validated token of a caller. */
export const caller = (sub?: string, clientId = 'client-123', iss?: string): AuthInfo => ({
  token: 'bearer-secret',
  clientId,
  scopes: [],
  extra: { ...(sub !== undefined && { sub }), ...(iss !== undefined && { iss }) },
});

/** Sets the date for each test of a file, and lets the test change it. */
export function useFixedDate(now: number): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Collects what each test of a file prints with `console.warn`. */
export function collectPrinted(): string[] {
  const printed: string[] = [];
  beforeEach(() => {
    printed.length = 0;
    vi.spyOn(console, 'warn').mockImplementation((text: string) => void printed.push(text));
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return printed;
}

const throws = (): never => {
  throw new Error('secret-detail');
};

/** The settings of a seal that report a rejection, each with a function that throws. */
export const throwingReports: [string, SealSettings][] = [
  ['onReject', { onReject: throws }],
  ['logger', { logger: { warn: throws } }],
];
