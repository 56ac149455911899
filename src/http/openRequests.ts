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
 */
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import type {
  JSONRPCMessage,
  JSONRPCRequest,
  RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

interface CallInFlight {
  /** The HTTP request that carried the call. The calls of a batch share it, and its stream. */
  readonly carrier: object | undefined;
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
  /** Called when a call begins. It returns a function to call when that call ends. */
  onCall: () => () => void;
}

/** The open calls and questions of one connected transport. */
export class OpenRequests {
  private readonly calls = new Map<RequestId, CallInFlight>();
  private readonly questions = new Set<RequestId>();

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
        if (isRequest(message)) this.questions.delete(message.id);
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

  /** Records that the client no longer waits for the response of an HTTP request. */
  leave(carrier: Request): void {
    for (const call of this.calls.values()) if (call.carrier === carrier) call.attended = false;
  }

  /** Ends all calls, because their session has ended. */
  endCalls(): void {
    for (const id of [...this.calls.keys()]) this.endCall(id);
  }

  private received(message: JSONRPCMessage, carrier: object | undefined): void {
    if (isRequest(message)) this.beginCall(message.id, carrier);
    this.cancelCall(cancelledId(message));
    this.closeQuestion(answeredId(message));
  }

  private sending(message: JSONRPCMessage): void {
    this.closeQuestion(cancelledId(message));
    if (!isRequest(message)) return;
    const { maxQuestions } = this.settings;
    if (this.questions.size >= maxQuestions) throw tooManyQuestions(maxQuestions);
    this.questions.add(message.id);
  }

  private beginCall(id: RequestId, carrier: object | undefined): void {
    // A client may wrongly use an id twice. The SDK also forgets the first call then.
    this.endCall(id);
    this.calls.set(id, { carrier, ended: this.settings.onCall(), attended: true });
  }

  private endCall(id: RequestId | undefined): CallInFlight | undefined {
    if (id === undefined) return undefined;
    const call = this.calls.get(id);
    this.calls.delete(id);
    call?.ended();
    return call;
  }

  private cancelCall(id: RequestId | undefined): void {
    const cancelled = this.endCall(id);
    if (id === undefined || cancelled === undefined) return;
    const { carrier } = cancelled;
    if ([...this.calls.values()].some((call) => call.carrier === carrier)) return;
    // Deferred, so that the cancellation of the call's own open question is sent first.
    setTimeout(() => {
      this.transport.closeSSEStream(id);
    }, 0);
  }

  private closeQuestion(id: RequestId | undefined): void {
    if (id !== undefined) this.questions.delete(id);
  }
}

function tooManyQuestions(max: number): SdkError {
  return new SdkError(
    SdkErrorCode.SendFailed,
    `Too many open questions: this session is already waiting for ${max} answers.`,
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
