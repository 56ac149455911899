/**
 * Knows the calls a 2025 session is working on, and whether their client still waits for them.
 *
 * A call is in flight from the moment its request is delivered until its answer is handed to the
 * transport, or until the client cancels it: a dropped HTTP connection alone ends nothing in this
 * era. The open response of a cancelled call is ended here, because the SDK sends no answer to it
 * and would keep the stream alive for as long as the session lives.
 */
import type {
  RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

import { answeredId, cancelledId, isRequest } from './messages.js';

/** The calls in flight on one transport, kept up to date. */
export interface CallsInFlight {
  readonly count: number;
  /** How many of them have a client that still waits at their response. */
  readonly attended: number;
  /** Notes that the response of an HTTP request is over: nobody waits there for its calls. */
  desert(carrier: Request): void;
  /** Gives up all calls, because their session has ended. */
  endAll(): void;
}

interface Call {
  /** The HTTP request that carried the call: batched calls share one response stream. */
  readonly carrier: object | undefined;
  readonly ended: () => void;
  attended: boolean;
}

/**
 * Watches a connected transport; `onbegin` is called when a call begins, and what it returned when
 * that call has ended.
 */
export function watchCalls(
  transport: WebStandardStreamableHTTPServerTransport,
  onbegin: () => () => void,
): CallsInFlight {
  const calls = new Map<RequestId, Call>();
  const end = (id: RequestId): Call | undefined => {
    const call = calls.get(id);
    calls.delete(id);
    call?.ended();
    return call;
  };
  const begin = (id: RequestId, carrier: object | undefined): void => {
    // A client may wrongly use an id twice; the SDK too forgets the first call then.
    end(id);
    calls.set(id, { carrier, ended: onbegin(), attended: true });
  };
  const cancel = (id: RequestId): void => {
    const call = end(id);
    if (call === undefined) return;
    const shared = [...calls.values()].some(({ carrier }) => carrier === call.carrier);
    if (!shared) endStreamSoon(transport, id);
  };

  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if (isRequest(message)) begin(message.id, extra?.request);
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) cancel(cancelled);
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
    get attended() {
      return [...calls.values()].filter(({ attended }) => attended).length;
    },
    desert: (carrier) => {
      for (const call of calls.values()) if (call.carrier === carrier) call.attended = false;
    },
    endAll: () => {
      for (const id of [...calls.keys()]) end(id);
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
