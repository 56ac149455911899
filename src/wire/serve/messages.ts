/**
 * What a JSON-RPC message, or the parsed body of a request, is about.
 */
import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server';

/** The id of the request that a message answers, if it does. */
export function answeredId(message: JSONRPCMessage): RequestId | undefined {
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)
    ? message.id
    : undefined;
}

/** The id of the request that a message cancels, if it does. */
export function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return;
  const id: unknown = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** Whether a body is a handshake, alone or in a batch. */
export function hasHandshake(body: unknown): boolean {
  return messagesOf(body).some((message) => isInitializeRequest(message));
}

/** Whether a body asks for anything, so that it needs more than to be delivered. */
export function hasRequest(body: unknown): boolean {
  return messagesOf(body).some((message) => isJSONRPCRequest(message));
}

/** Whether a body opens a stream of change events, which lasts for as long as the client likes. */
export function isSubscription(body: unknown): boolean {
  return isJSONRPCRequest(body) && body.method === 'subscriptions/listen';
}

function messagesOf(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}
