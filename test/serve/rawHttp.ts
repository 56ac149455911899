/** Requests of the 2025 era written out by hand, for what an SDK client would never send. */
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

export function toolCall(name: string, id = 2, args: object = {}): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}

/** A person's answer to the question with an id. */
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

export function get(headers: Record<string, string> = {}, url = ENDPOINT): Request {
  return new Request(url, { headers: { accept: 'text/event-stream', ...headers } });
}

export function remove(headers: Record<string, string>, url = ENDPOINT): Request {
  return new Request(url, { method: 'DELETE', headers });
}

export function withSession(id: string): Record<string, string> {
  return { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
}

export interface Handler {
  fetch: (request: Request, options?: McpHandlerRequestOptions) => Promise<Response>;
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

/** Whether a session exists. To ask is to use it. */
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

/** Reads the messages of an event stream one by one; keep-alive comments are passed over. */
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

/** The status of a response and its JSON-RPC error, as one comparable value. */
export async function refusalOf(
  response: Response,
): Promise<{ status: number; code: number; message: string; id: unknown }> {
  const { error, id } = (await response.json()) as {
    error: { code: number; message: string };
    id: unknown;
  };
  return { status: response.status, code: error.code, message: error.message, id };
}
