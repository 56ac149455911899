/**
 * The answers a request gets when no server is asked: HTTP status plus a JSON-RPC error.
 *
 * One shape for every refusal of this folder, the same as the SDK's transports write, so that a
 * client cannot tell which layer turned it away.
 */
import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import type { ServerResponse } from 'node:http';

/** What a refusal says: the HTTP status, the JSON-RPC error and, when known, the refused message. */
export interface Refusal {
  status: number;
  code: number;
  message: string;
  /** The parsed request body; the answer carries its id when it is a single request. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** Creates the response for a refusal. */
export function refuse(refusal: Refusal): Response {
  const { status, headers = {} } = refusal;
  return Response.json(errorOf(refusal), { status, headers });
}

/** Writes a refusal to a response of Node. */
export function refuseTo(response: ServerResponse, refusal: Refusal): void {
  const { status, headers } = refusal;
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(errorOf(refusal)));
}

function errorOf({ code, message, body }: Refusal): object {
  const id = isJSONRPCRequest(body) ? body.id : null;
  return { jsonrpc: '2.0', error: { code, message }, id };
}

/** The refusal of an unknown session and, word for word, of a session that belongs to someone else. */
export const sessionNotFound: Refusal = {
  status: 404,
  code: -32_001,
  message: 'Session not found',
};

/** The methods the protocol uses. */
export const METHODS: readonly string[] = ['GET', 'POST', 'DELETE'];

/** The refusal of a method that the protocol does not use. */
export const methodNotAllowed: Refusal = {
  status: 405,
  code: -32_000,
  message: 'Method not allowed.',
  headers: { Allow: METHODS.join(', ') },
};

/** The refusal of a path that is not the endpoint's. */
export const notFound: Refusal = { status: 404, code: -32_000, message: 'Not found' };

/** The refusal of a batch with nothing in it. */
export const emptyBatch: Refusal = {
  status: 400,
  code: -32_600,
  message: 'Invalid Request: the batch is empty',
};

/**
 * The refusal after an error of our own. What went wrong goes to `onerror`: the message may name
 * things a client must not see.
 */
export const internalError: Refusal = {
  status: 500,
  code: -32_603,
  message: 'Internal server error',
};

/** Creates the refusal of a request that reached a handler after its `close()`. */
export function handlerClosed(body?: unknown): Refusal {
  return { status: 503, code: -32_000, message: 'This server has been closed.', body };
}

/** Creates the refusal of a new request to a handler that only finishes what it has begun. */
export function shuttingDown(body?: unknown): Refusal {
  return { status: 503, code: -32_000, message: 'This server is shutting down.', body };
}
