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

interface Call {
  /** The HTTP request that carried the call: batched calls share one response stream. */
  readonly carrier: object | undefined;
  readonly ended: () => void;
  attended: boolean;
}

/** The calls in flight on one connected transport, kept up to date. */
export class CallsInFlight {
  private readonly calls = new Map<RequestId, Call>();

  /** `onbegin` is called when a call begins, and what it returned when that call has ended. */
  constructor(
    private readonly transport: WebStandardStreamableHTTPServerTransport,
    private readonly onbegin: () => () => void,
  ) {
    const { onmessage: deliver } = transport;
    transport.onmessage = (message, extra) => {
      if (isRequest(message)) this.begin(message.id, extra?.request);
      const cancelled = cancelledId(message);
      if (cancelled !== undefined) this.cancel(cancelled);
      deliver?.(message, extra);
    };
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      try {
        await send(message, options);
      } finally {
        const answered = answeredId(message);
        if (answered !== undefined) this.end(answered);
      }
    };
  }

  get count(): number {
    return this.calls.size;
  }

  /** How many of them have a client that still waits at their response. */
  get attended(): number {
    return [...this.calls.values()].filter(({ attended }) => attended).length;
  }

  /** Notes that the response of an HTTP request is over: nobody waits there for its calls. */
  desert(carrier: Request): void {
    for (const call of this.calls.values()) if (call.carrier === carrier) call.attended = false;
  }

  /** Gives up all calls, because their session has ended. */
  endAll(): void {
    for (const id of [...this.calls.keys()]) this.end(id);
  }

  private begin(id: RequestId, carrier: object | undefined): void {
    // A client may wrongly use an id twice; the SDK too forgets the first call then.
    this.end(id);
    this.calls.set(id, { carrier, ended: this.onbegin(), attended: true });
  }

  private end(id: RequestId): Call | undefined {
    const call = this.calls.get(id);
    this.calls.delete(id);
    call?.ended();
    return call;
  }

  private cancel(id: RequestId): void {
    const call = this.end(id);
    if (call === undefined) return;
    const shared = [...this.calls.values()].some(({ carrier }) => carrier === call.carrier);
    if (!shared) endStreamSoon(this.transport, id);
  }
}

// A task later, so that what the aborted call still has to say (the cancellation of its own open
// question) gets out first.
function endStreamSoon(transport: WebStandardStreamableHTTPServerTransport, id: RequestId): void {
  setTimeout(() => {
    transport.closeSSEStream(id);
  }, 0);
}
