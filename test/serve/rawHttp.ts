/** Raw requests of the legacy era, for requests that an SDK client never sends. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { McpHandlerRequestOptions } from '@modelcontextprotocol/server';

export const ENDPOINT = 'http://localhost/mcp';

export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: { form: {} } },
    clientInfo: { name: 'by hand', version: '1.0.0' },
  },
};

export function toolCall(name: string, id: string | number = 2, args: object = {}): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

/** Creates a user's answer to the question with an id. */
export function answer(id: unknown, name: string): object {
  return { jsonrpc: '2.0', id, result: { action: 'accept', content: { name } } };
}

export function post(body: unknown, headers: Record<string, string> = {}, url = ENDPOINT): Request {
  return new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Creates a modern request. */
export function modern(
  method: string,
  params: Record<string, unknown>,
  headers: Record<string, string> = {},
): Request {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/logLevel': 'info',
  };
  const known = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
  };
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
  return post(body, { ...known, ...headers });
}

/** Creates a modern call of a tool. */
export function modernCall(
  name: string,
  args: object,
  headers: Record<string, string> = {},
): Request {
  return modern('tools/call', { name, arguments: args }, headers);
}

export function get(headers: Record<string, string> = {}, url = ENDPOINT): Request {
  return new Request(url, { headers: { accept: 'text/event-stream', ...headers } });
}

export function remove(headers: Record<string, string>, url = ENDPOINT): Request {
  return new Request(url, { method: 'DELETE', headers });
}

export function withSession(id: string): Record<string, string> {
  return { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
}

/** A handler in this process or an endpoint. */
export interface Handler {
  fetch: (request: Request, options?: McpHandlerRequestOptions) => Promise<Response>;
}

/** Sends requests to an endpoint. */
export function at(url: URL): Handler {
  return { fetch: (original) => fetch(new Request(url, original)) };
}

/** Returns the headers of a POST request, with these in addition. */
export function headersWith(more: Record<string, string>): Record<string, string> {
  return { ...Object.fromEntries(post('').headers), ...more };
}

/** A request whose body arrives when the test says so. */
export function slowRequest(extra: Record<string, string> = {}): {
  incoming: Request;
  send: (text: string) => Promise<void>;
  end: () => void;
} {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: readable, duplex: 'half' };
  return {
    incoming: new Request(ENDPOINT, { ...init, headers: headersWith(extra) }),
    send: (text) => writer.write(new TextEncoder().encode(text)),
    end: () => void writer.close(),
  };
}

/** Sends a handshake with headers that `fetch` does not allow, and returns the status. */
export async function handshakeStatus(
  url: URL,
  headers: Record<string, string>,
): Promise<number | undefined> {
  const outgoing = request(url, { method: 'POST', headers: headersWith(headers) });
  outgoing.end(JSON.stringify(initialize));
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  incoming.resume();
  return incoming.statusCode;
}

/** Opens a session and returns its id. */
export async function openSession(
  handler: Handler,
  options?: McpHandlerRequestOptions,
): Promise<string> {
  const response = await handler.fetch(post(initialize), options);
  await response.text();
  const id = response.headers.get('mcp-session-id')!;
  await handler.fetch(
    post({ jsonrpc: '2.0', method: 'notifications/initialized' }, withSession(id)),
    options,
  );
  return id;
}

/** Returns true if a session exists. The request counts as a use of the session. */
export async function isOpen(
  handler: Handler,
  id: string,
  options?: McpHandlerRequestOptions,
): Promise<boolean> {
  const response = await handler.fetch(
    post({ jsonrpc: '2.0', id: 7, method: 'ping' }, withSession(id)),
    options,
  );
  await response.text();
  return response.status === 200;
}

/** A message on an event stream. */
export interface Message {
  id?: string | number;
  method?: string;
  result?: { isError?: boolean; content: { text: string }[] };
}

/** Reads the messages of an event stream one by one, without keep-alive comments. */
export function messagesOn(response: Response): {
  next: () => Promise<Message>;
  cancel: () => Promise<void>;
} {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<Message> => {
    const found = /^data: (.+)\n\n/m.exec(text);
    if (found !== null) {
      text = text.slice(found.index + found[0].length);
      return JSON.parse(found[1]!) as Message;
    }
    const { done, value } = await reader.read();
    if (done) throw new Error('The stream has ended.');
    text += value;
    return next();
  };
  return { next, cancel: () => reader.cancel() };
}

/** Returns the status and the JSON-RPC error of a response as one comparable value. */
export async function refusalOf(
  response: Response,
): Promise<{ status: number; code: number; message: string; id: unknown }> {
  const { error, id } = (await response.json()) as {
    error: { code: number; message: string };
    id: unknown;
  };
  return { status: response.status, code: error.code, message: error.message, id };
}
