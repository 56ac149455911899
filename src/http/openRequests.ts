/**
 * Tracks the open requests of a 2025 session: the calls of its client and the questions of its
 * server.
 *
 * It listens to both directions of a connected transport.
 *
 * - A **call** is open until the server answers it or the client cancels it. A lost connection alone
 *   ends no call in this era. The SDK does not answer a cancelled call and keeps its stream open
 *   until the session ends, so this class ends the stream.
 * - A **question** is any request to the client: a form, sampling or roots. It is open until its
 *   answer arrives or the server cancels it, because its call is cancelled or its time is over. The
 *   number of open questions is limited.
 *
 * The bytes of open calls and questions count against a budget. The calls of a batch share an HTTP
 * request, whose bytes count until the last of them ends.
 */
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import type {
  JSONRPCMessage,
  JSONRPCRequest,
  RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { utf8 } from '../platform.js';

import type { ByteBudget } from './byteBudget.js';

interface CallInFlight {
  /** The HTTP request that carried the call. The calls of a batch share it, and its stream. */
  readonly carrier: Request | undefined;
  readonly ended: () => void;
  attended: boolean;
}

/** The settings of {@link OpenRequests}. */
interface OpenRequestsSettings {
  /**
   * The maximum number of open questions. At the limit, a new question is not sent and its sender
   * gets an error.
   */
  maxQuestions: number;
  /** Counts the bytes of open calls and questions. */
  bytes: ByteBudget;
  /** Called when a call begins. It returns a function to call when that call ends. */
  onCall: () => () => void;
}

/** The open calls and questions of one connected transport. */
export class OpenRequests {
  private readonly calls = new Map<RequestId, CallInFlight>();
  /** The open questions, with their sizes in bytes. */
  private readonly questions = new Map<RequestId, number>();
  /** The sizes, in bytes, of the HTTP requests that carry open calls. */
  private readonly carriers = new Map<Request, number>();

  constructor(
    private readonly transport: WebStandardStreamableHTTPServerTransport,
    private readonly settings: OpenRequestsSettings,
  ) {
    const { onmessage: deliver } = transport;
    transport.onmessage = (message, extra) => {
      this.received(message, extra?.request);
      deliver?.(message, extra);
    };
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      this.sending(message);
      try {
        await send(message, options);
      } catch (error) {
        if (isRequest(message)) this.closeQuestion(message.id);
        throw error;
      } finally {
        this.endCall(answeredId(message));
      }
    };
  }

  get callCount(): number {
    return this.calls.size;
  }

  get questionCount(): number {
    return this.questions.size;
  }

  /** True while a client waits for the response of a call. */
  get attended(): boolean {
    return [...this.calls.values()].some((call) => call.attended);
  }

  /**
   * Counts the bytes of an HTTP request with calls, and returns true. If there is no room for them,
   * it returns false.
   */
  tryHold(carrier: Request, bytes: number): boolean {
    if (!this.settings.bytes.tryHold(bytes)) return false;
    this.carriers.set(carrier, bytes);
    return true;
  }

  /** Releases the bytes of an HTTP request, unless a call that it carried is open. */
  releaseUnused(carrier: Request | undefined): void {
    const bytes = carrier && this.carriers.get(carrier);
    if (carrier === undefined || bytes === undefined || this.isCarrying(carrier)) return;
    this.carriers.delete(carrier);
    this.settings.bytes.release(bytes);
  }

  /** Records that the client no longer waits for the response of an HTTP request. */
  leave(carrier: Request): void {
    for (const call of this.calls.values()) if (call.carrier === carrier) call.attended = false;
  }

  /** Ends all calls and questions, because their session has ended. */
  endAll(): void {
    for (const id of [...this.calls.keys()]) this.endCall(id);
    for (const id of [...this.questions.keys()]) this.closeQuestion(id);
  }

  private received(message: JSONRPCMessage, carrier: Request | undefined): void {
    if (isRequest(message)) this.beginCall(message.id, carrier);
    this.cancelCall(cancelledId(message));
    this.closeQuestion(answeredId(message));
  }

  private sending(message: JSONRPCMessage): void {
    this.closeQuestion(cancelledId(message));
    if (!isRequest(message)) return;
    const { maxQuestions } = this.settings;
    if (this.questions.size >= maxQuestions) throw tooManyQuestions(maxQuestions);
    const size = utf8(JSON.stringify(message)).length;
    if (!this.settings.bytes.tryHold(size)) throw tooManyBytes();
    this.questions.set(message.id, size);
  }

  private beginCall(id: RequestId, carrier: Request | undefined): void {
    // A client may wrongly use an id twice. The SDK also forgets the first call then.
    this.endCall(id);
    this.calls.set(id, { carrier, ended: this.settings.onCall(), attended: true });
  }

  private endCall(id: RequestId | undefined): CallInFlight | undefined {
    if (id === undefined) return undefined;
    const call = this.calls.get(id);
    this.calls.delete(id);
    this.releaseUnused(call?.carrier);
    call?.ended();
    return call;
  }

  private cancelCall(id: RequestId | undefined): void {
    const cancelled = this.endCall(id);
    if (id === undefined || cancelled === undefined) return;
    if (this.isCarrying(cancelled.carrier)) return;
    // Deferred, so that the cancellation of the call's own open question is sent first.
    setTimeout(() => {
      this.transport.closeSSEStream(id);
    }, 0);
  }

  private closeQuestion(id: RequestId | undefined): void {
    const size = id === undefined ? undefined : this.questions.get(id);
    if (id === undefined || size === undefined) return;
    this.questions.delete(id);
    this.settings.bytes.release(size);
  }

  /** Returns true if a call that the HTTP request carried is open. */
  private isCarrying(carrier: Request | undefined): boolean {
    return [...this.calls.values()].some((call) => call.carrier === carrier);
  }
}

function tooManyQuestions(max: number): SdkError {
  return new SdkError(
    SdkErrorCode.SendFailed,
    `Too many open questions: this session is already waiting for ${max} answers.`,
  );
}

function tooManyBytes(): SdkError {
  return new SdkError(
    SdkErrorCode.SendFailed,
    'Too many bytes are waiting: the open calls and questions of 2025 sessions are limited by `maxSessionBytes` and `maxTotalSessionBytes`.',
  );
}

// The SDK has checked or written these messages, so their properties identify their kind.

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

/** Returns the id of the request that a message answers, if it is an answer. */
function answeredId(message: JSONRPCMessage): RequestId | undefined {
  return 'method' in message ? undefined : message.id;
}

/** Returns the id of the request that a message cancels, if it is a cancellation. */
function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  // A request with that method cancels nothing.
  if (!('method' in message) || 'id' in message) return undefined;
  if (message.method !== 'notifications/cancelled') return undefined;
  const id: unknown = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
