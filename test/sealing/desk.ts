/**
 * The server of these tests, written by hand against the SDK: it deploys things after asking
 * `confirm`, with the state `awaiting-confirm` between the rounds. As tools, prompts and resources,
 * on an `McpServer` or a low-level `Server`, protected before or after its handlers are set.
 *
 * {@link overHttp} and {@link overStdio} send it raw requests of the modern era and give back the
 * very text of the response.
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
import { expect } from 'vitest';
import * as z from 'zod';

import { VERSION } from '../support/eras.js';
import { closeAfterTest, type Factory } from '../support/servers.js';

export const KEY = '0123456789abcdef0123456789abcdef';
export const OTHER_KEY = 'fedcba9876543210fedcba9876543210';

/** The one answer to every state that is refused. */
export const FROZEN = {
  code: -32602,
  message: 'Invalid or expired requestState',
  data: { reason: 'invalid_request_state' },
};

/** The same in a response to request 1, byte for byte. */
export const FROZEN_BODY =
  '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid or expired requestState","data":{"reason":"invalid_request_state"}}}';

export const layers = ['McpServer', 'Server'] as const;
export type Layer = (typeof layers)[number];

/** Whether the handlers are set after the protection (and wrapped then) or stand there before it. */
export const moments = ['early', 'late'] as const;
export type Moment = (typeof moments)[number];

/** Every run of a handler: on what, and the state that it read. */
export type Seen = [what: string, state: unknown][];

export interface DeskOptions {
  readonly layer?: Layer;
  readonly when?: Moment;
  /** Without it, `install` with its default on an McpServer and nothing on a Server. */
  readonly seal?: RequestStateSeal;
  readonly name?: string;
  readonly seen?: Seen;
  /** The state between the rounds, instead of `awaiting-confirm`. */
  readonly state?: string;
}

const Env = z.object({ env: z.string().optional() });
const CONFIRM = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const } },
  required: ['confirm'],
};

/** One round of the story: asks, or tells how it ended. */
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

/** Makes a factory of desks. */
export function desk(options: DeskOptions = {}): Factory {
  const { layer = 'McpServer', when = 'early', seal } = options;
  const protect = (server: McpServer | Server): void => {
    if (layer === 'McpServer') install(server, [], seal && { seal });
    else seal?.protect(server);
  };
  return () => {
    const server = layer === 'McpServer' ? newMcpServer(options) : newServer(options);
    if (when === 'early') protect(server);
    if (server instanceof McpServer) writeOnMcpServer(server, options);
    else writeOnServer(server, options);
    if (when === 'late') protect(server);
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
  const told = (what: string, ctx: ServerContext) => deploy(what, ctx, options);
  for (const name of ['deploy', 'other']) {
    server.registerTool(name, { inputSchema: Env.loose() }, ({ env = 'nowhere' }, ctx) =>
      asTool(told(env, ctx)),
    );
    server.registerPrompt(name, { argsSchema: Env.loose() }, ({ env = 'nowhere' }, ctx) =>
      asPrompt(told(env, ctx)),
    );
    server.registerResource(name, `desk://${name}`, {}, (uri, ctx) =>
      asResource(uri.href, told(uri.href, ctx)),
    );
  }
  const rooms = new ResourceTemplate('desk://rooms/{id}', { list: undefined });
  server.registerResource('rooms', rooms, {}, (uri, _, ctx) =>
    asResource(uri.href, told(uri.href, ctx)),
  );
}

function writeOnServer(server: Server, options: DeskOptions): void {
  const told = (what: string, ctx: ServerContext) => deploy(what, ctx, options);
  const env = (args: unknown): string => (args as { env?: string } | undefined)?.env ?? 'nowhere';
  server.setRequestHandler('tools/call', ({ params }, ctx) =>
    asTool(told(env(params.arguments), ctx)),
  );
  server.setRequestHandler('prompts/get', ({ params }, ctx) =>
    asPrompt(told(env(params.arguments), ctx)),
  );
  server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) =>
    asResource(uri, told(uri, ctx)),
  );
}

type Told = InputRequiredResult | string;

export const asTool = (told: Told) =>
  typeof told === 'string' ? { content: [{ type: 'text' as const, text: told }] } : told;

const asPrompt = (told: Told) =>
  typeof told === 'string'
    ? { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: told } }] }
    : told;

const asResource = (uri: string, told: Told) =>
  typeof told === 'string' ? { contents: [{ uri, text: told }] } : told;

/** A response: as text, and what it says. */
export interface Reply {
  readonly text: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string; data?: unknown };
}

export interface SendOptions {
  readonly authInfo?: AuthInfo;
  readonly capabilities?: ClientCapabilities;
  /** Changes the text of the message, for what `JSON.stringify` cannot write. */
  readonly rewrite?: (message: string) => string;
}

/** Sends one request of the modern era; its id is always 1. */
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

/** Serves a factory over a pair of streams, as a program of its own would over stdio. */
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

/** The state of a reply that asks. */
export function tokenOf({ result, text }: Reply): string {
  const token = result?.requestState;
  if (typeof token !== 'string') throw new Error(`expected a question with a state, got ${text}`);
  return token;
}

/** The text of a reply that ends the call. */
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

/** Expects the one error that every refused state gets, byte for byte. */
export function expectFrozen(reply: Reply): void {
  expect(reply.error).toEqual(FROZEN);
  expect(reply.text).toBe(FROZEN_BODY);
}

export const ACCEPT = { confirm: { action: 'accept', content: { confirm: true } } };

/** The middle character changed, as a story would. */
export function flipped(token: string): string {
  const middle = Math.floor(token.length / 2);
  return token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1);
}

export const STAGING = { name: 'deploy', arguments: { env: 'staging' } };

/** Asks for a deployment and gives its token. */
export const ask = async (send: Send, params: object = STAGING, options?: SendOptions) =>
  tokenOf(await send('tools/call', { ...params }, options));

/** Comes back with a token and the person's consent. */
export const retry = (
  send: Send,
  requestState: unknown,
  params: object = STAGING,
  options?: SendOptions,
): Promise<Reply> =>
  send('tools/call', { ...params, inputResponses: ACCEPT, requestState }, options);

/** A policy that keeps what it says. */
export interface HeardSeal {
  readonly seal: RequestStateSeal;
  /** What its logger was told. */
  readonly said: string[];
}

/** Makes a policy over {@link KEY} for the audience `desk`, unless told otherwise. */
export function sealing(options: SealSettings & Partial<RequestStateSealOptions> = {}): HeardSeal {
  const said: string[] = [];
  const logger = { warn: (message: string) => void said.push(message) };
  const keys = 'codec' in options ? {} : { keys: [KEY] };
  const seal = requestStateSeal({
    audience: 'desk',
    logger,
    ...keys,
    ...options,
  } as RequestStateSealOptions);
  return { seal, said };
}

/** The authenticated caller of a request. */
export const caller = (sub?: string, clientId = 'client-123', iss?: string): AuthInfo => ({
  token: 'bearer-secret',
  clientId,
  scopes: [],
  extra: { ...(sub !== undefined && { sub }), ...(iss !== undefined && { iss }) },
});

const throws = (): never => {
  throw new Error('secret-detail');
};

/** Settings whose reports of a rejection throw, each by its name. */
export const throwingReports: [string, SealSettings][] = [
  ['onReject', { onReject: throws }],
  ['logger', { logger: { warn: throws } }],
];
