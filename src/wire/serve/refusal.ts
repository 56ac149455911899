/**
 * The answers a request gets when no server is asked: HTTP status plus a JSON-RPC error.
 *
 * One shape for every refusal of this folder, the same as the SDK's transports write, so that a
 * client cannot tell which layer turned it away.
 *
 * @module
 */
import { isJSONRPCRequest } from '@modelcontextprotocol/server';

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
export function refuse({ status, code, message, body, headers = {} }: Refusal): Response {
  const id = isJSONRPCRequest(body) ? body.id : null;
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id }, { status, headers });
}

/** The refusal of an unknown session and, word for word, of a session that belongs to someone else. */
export const sessionNotFound: Refusal = {
  status: 404,
  code: -32_001,
  message: 'Session not found',
};

/** Creates the refusal of a request that reached a handler after its `close()`. */
export function handlerClosed(body?: unknown): Refusal {
  return { status: 503, code: -32_000, message: 'This server has been closed.', body };
}
