/**
 * What a JSON-RPC message, or the parsed body of a request, is about. Messages are the SDK's own,
 * or have been checked by it: their members tell what they are. A body may be anything.
 */
import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/server';
import { isPlainObject } from '../define/schema.js';

/** Whether a message asks for an answer. */
export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

/** The id of the request that a message answers, if it does. */
export function answeredId(message: JSONRPCMessage): RequestId | undefined {
  return 'method' in message ? undefined : message.id;
}

/** The id of the request that a message cancels, if it does. */
export function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  // A request of that name cancels nothing.
  if (!('method' in message) || 'id' in message) return undefined;
  if (message.method !== 'notifications/cancelled') return undefined;
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
  // Most bodies are not worth a whole check: their method is another one.
  return isPlainObject(body) && body.method === 'subscriptions/listen' && isJSONRPCRequest(body);
}

function messagesOf(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}
