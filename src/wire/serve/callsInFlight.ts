/**
 * Counts the calls a 2025 session is working on.
 *
 * A call is in flight from the moment its request is delivered until its answer is handed to the
 * transport, or until the client cancels it: a dropped HTTP connection alone ends nothing in this
 * era. The open response of a cancelled call is ended here, because the SDK sends no answer to it
 * and would keep the stream alive for as long as the session lives.
 *
 * @module
 */
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
  type WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** A live count of the calls in flight on one transport. */
export interface CallsInFlight {
  readonly count: number;
}

/** Watches a connected transport; `onend` is called whenever a call has ended. */
export function watchCalls(
  transport: WebStandardStreamableHTTPServerTransport,
  onend: () => void,
): CallsInFlight {
  // The value is the HTTP request that carried the call: batched calls share one response stream.
  const calls = new Map<RequestId, object | undefined>();
  const end = (id: RequestId): void => {
    if (calls.delete(id)) onend();
  };

  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if (isJSONRPCRequest(message)) calls.set(message.id, extra?.request);
    const cancelled = cancelledId(message);
    if (cancelled !== undefined && calls.has(cancelled)) {
      const carrier = calls.get(cancelled);
      end(cancelled);
      if (![...calls.values()].includes(carrier)) endStreamSoon(transport, cancelled);
    }
    deliver?.(message, extra);
  };

  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    try {
      await send(message, options);
    } finally {
      const answered = answeredId(message);
      if (answered !== undefined) end(answered);
    }
  };

  return {
    get count() {
      return calls.size;
    },
  };
}

// A task later, so that what the aborted call still has to say (the cancellation of its own open
// question) gets out first.
function endStreamSoon(transport: WebStandardStreamableHTTPServerTransport, id: RequestId): void {
  setTimeout(() => {
    transport.closeSSEStream(id);
  }, 0);
}

function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return;
  const id: unknown = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

function answeredId(message: JSONRPCMessage): RequestId | undefined {
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)
    ? message.id
    : undefined;
}
