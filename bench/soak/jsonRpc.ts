/** Builds 2026-07-28 requests by hand, and parses their responses. */

/** A JSON-RPC response. */
export interface Reply {
  readonly jsonrpc: string;
  readonly id: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A request without its envelope. */
export interface Call {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The error for every refused state. */
export const FROZEN = {
  code: -32602,
  message: 'Invalid or expired requestState',
  data: { reason: 'invalid_request_state' },
};

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'soak', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

/** Returns a request as JSON. */
export function messageOf(id: number, { method, params }: Call): string {
  const text = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } });
  return text.replace(NESTED, (_, levels: string) => nested(Number(levels)));
}

/** A placeholder for nested arrays, which may be deeper than `JSON.stringify` supports. */
export const nestedText = (levels: number): string => `nested ${levels} levels`;

const NESTED = /"nested (\d+) levels"/;

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

/** Returns a request for `fetch`. */
export function postOf(id: number, call: Call, headers: Record<string, string> = {}): RequestInit {
  const target = call.method === 'resources/read' ? call.params.uri : call.params.name;
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': call.method,
      ...(typeof target === 'string' && { 'mcp-name': target }),
      ...headers,
    },
    body: messageOf(id, call),
  };
}

/** Parses the message of a response, which is JSON or an event stream. */
export function replyOf(text: string): Reply {
  const event = text.split('\n').findLast((line) => line.startsWith('data: {'));
  return JSON.parse(event?.slice('data: '.length) ?? text) as Reply;
}
