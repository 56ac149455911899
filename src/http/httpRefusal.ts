/**
 * Creates the answers to refused requests: an HTTP status and a JSON-RPC error.
 *
 * All refusals of this folder have the shape that the SDK's transports write, so that a client
 * cannot tell which layer refused its request.
 */
import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import type { ServerResponse } from 'node:http';
import { STANDARD_ERROR, Warnings } from '../log.js';

import type { FullLimit } from './sharedLimit.js';

/** The HTTP status, the JSON-RPC error and, if known, the refused body. */
export interface HttpRefusal {
  status: number;
  code: number;
  message: string;
  /** The parsed request body. If it is a single request, the answer carries its id. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** The words about a full limit. */
export interface FullLimitWords {
  /** For the client. */
  readonly message: string;
  /** For the operator, once. */
  readonly warning?: string;
}

/** Creates the refusal of a request that has no room in a limit: HTTP 429 or 503. */
export function noRoom(full: FullLimit, { message, warning }: FullLimitWords): HttpRefusal {
  if (warning !== undefined) Warnings.of(STANDARD_ERROR).once(warning);
  const status = full === 'own' ? 429 : 503;
  return { status, code: -32_000, message, headers: { 'Retry-After': '1' } };
}

export function refuse(refusal: HttpRefusal): Response {
  const { status, headers = {} } = refusal;
  return Response.json(jsonRpcError(refusal), { status, headers });
}

/** Writes a refusal to a Node response. */
export function refuseTo(response: ServerResponse, refusal: HttpRefusal): void {
  const { status, headers } = refusal;
  keepOpenForBody(response);
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(jsonRpcError(refusal)));
}

/**
 * Keeps the connection open while the client sends the rest of an unread body, and discards it. If
 * Node closed the connection at once, as some proxies request, the client or the proxy would see a
 * broken connection instead of the response.
 */
export function keepOpenForBody(response: ServerResponse): void {
  const { req: request } = response;
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (request.complete || (length === '0' && encoding === undefined)) return;
  const closes = !response.shouldKeepAlive;
  response.shouldKeepAlive = true;
  // Node discards the rest by itself only if no part of the body has been read.
  response.once('finish', () => request.resume());
  if (closes) request.once('end', () => request.socket.end());
}

function jsonRpcError({ code, message, body }: HttpRefusal): object {
  const id = isJSONRPCRequest(body) ? body.id : null;
  return { jsonrpc: '2.0', error: { code, message }, id };
}

/** The HTTP methods that the protocol uses. */
export const HTTP_METHODS: readonly string[] = ['GET', 'POST', 'DELETE'];

/** The refusal of a method that the protocol does not use. */
export const methodNotAllowed: HttpRefusal = {
  status: 405,
  code: -32_000,
  message: 'Method not allowed.',
  headers: { Allow: HTTP_METHODS.join(', ') },
};

/**
 * The refusal after an error of the server. The error itself goes to `onerror`, because its message
 * may contain details that a client must not see.
 */
export const internalError: HttpRefusal = {
  status: 500,
  code: -32_603,
  message: 'Internal server error',
};

/** Creates the refusal of a request that reached a handler after its `close()`. */
export function refusalOfClosed(body?: unknown): HttpRefusal {
  return { status: 503, code: -32_000, message: 'This server has been closed.', body };
}
