/**
 * Single messages, written by hand and sent as they are. {@link post} sends one request of the
 * modern era. {@link rawLegacy} speaks the legacy era message by message.
 */
import type {
  ClientCapabilities,
  JSONRPCMessage,
  JSONRPCRequest,
  McpHttpHandler,
  McpServer,
  Server,
} from '@modelcontextprotocol/server';

import { VERSION } from './eras.js';
import type { ProtocolFailure } from './results.js';
import { closeAfterTest, connectInMemory, type Factory } from './servers.js';

/** The parts of a request besides its method and params. */
export interface PostOptions {
  readonly capabilities?: ClientCapabilities;
  /** More headers. `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** The response to {@link post}. */
export interface PostResponse {
  readonly status: number;
  readonly body: { readonly result?: Record<string, unknown>; readonly error?: ProtocolFailure };
}

/** Sends one request of the modern era, with the envelope that a client would add. */
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
  const target = params.name ?? params.uri ?? params.taskId;
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
    new Request('http://server.test/mcp', {
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

/** Reads the only message of a response, which is JSON or an event stream. */
async function readBody(response: Response): Promise<PostResponse['body']> {
  const text = await response.text();
  if (response.headers.get('content-type')?.includes('text/event-stream') !== true) {
    return JSON.parse(text) as PostResponse['body'];
  }
  const data = text.split('\n').filter((line) => line.startsWith('data: ') && line.length > 6);
  return JSON.parse(data.at(-1)!.slice(6)) as PostResponse['body'];
}

/** An answer to a request of the server: a result, or a JSON-RPC error. */
export type RawAnswer = { readonly result: unknown } | { readonly error: ProtocolFailure };

/** A legacy client that sends its messages by hand. */
export interface RawLegacy {
  /** Every request that the server sent, in order. */
  readonly received: JSONRPCRequest[];
  /** Sends a request and waits for its response. */
  readonly request: (
    method: string,
    params?: Record<string, unknown>,
  ) => Promise<{ id: unknown; result?: Record<string, unknown>; error?: ProtocolFailure }>;
  /** Sends any message. */
  readonly send: (message: object) => Promise<void>;
  readonly server: McpServer | Server;
}

/** The options of {@link rawLegacy}. */
export interface RawLegacyOptions {
  readonly capabilities?: ClientCapabilities;
  /** Default: 2025-11-25. */
  readonly protocolVersion?: string;
  /** True for a client that sends no `initialize`. */
  readonly skipsInitialize?: boolean;
  /** Answers the server's requests. Default: they stay unanswered. */
  readonly answer?: (request: JSONRPCRequest) => RawAnswer | Promise<RawAnswer>;
}

/** Connects a legacy client that sends its messages by hand, and initializes it by default. */
export async function rawLegacy(
  factory: Factory,
  options: RawLegacyOptions = {},
): Promise<RawLegacy> {
  const { capabilities = {}, protocolVersion = VERSION.legacy, answer } = options;
  const { transport, server } = await connectInMemory(factory);
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
  if (options.skipsInitialize === true) return { received, request, send, server };
  await request('initialize', {
    protocolVersion,
    capabilities,
    clientInfo: { name: 'by hand', version: '1.0.0' },
  });
  await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { received, request, send, server };
}
