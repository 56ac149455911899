/**
 * Tracks the open requests of a legacy session: the calls of its client and the questions of its
 * server.
 *
 * It listens to both directions of a connected transport.
 *
 * - A **call** is open until the server answers it or the client cancels it. A lost connection alone
 *   ends no call in this era. The SDK does not answer a cancelled call and keeps its stream open
 *   until the session ends, so this class ends the stream.
 * - A **question** is any request to the client: a form, sampling or roots. It is open until its
 *   answer arrives or the server cancels it, because its call is cancelled or its time is over. The
 *   number of open questions is limited. An answer may spell the id 7 as `"7"` or `"7.0"`. The ids
 *   of calls are compared as they are.
 *
 * Bytes count against a limit: those of an open question, and those of an HTTP request as long as a
 * call is open that it began or answered.
 */
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import type {
  JSONRPCMessage,
  JSONRPCRequest,
  RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { utf8 } from '../platform.js';

import type { FullLimit, Share } from './sharedLimit.js';

interface CallInFlight {
  /** The HTTP request that carried the call. The calls of a batch share it, and its stream. */
  readonly carrier: Request | undefined;
  /** The bytes that the call holds: its arguments, and answers to its questions. */
  readonly held: HeldBytes[];
  readonly ended: () => void;
  attended: boolean;
}

interface OpenQuestion {
  readonly size: number;
  readonly call: RequestId | undefined;
}

/** The bytes of one HTTP request. They count while it arrives, and while a call holds them. */
interface HeldBytes {
  readonly bytes: number;
  /** The ids of the calls in the request. */
  readonly ids: readonly RequestId[];
  holders: number;
}

/** The settings of {@link OpenRequests}. */
interface OpenRequestsSettings {
  /**
   * The maximum number of open questions. At the limit, a new question is not sent and its sender
   * gets an error.
   */
  maxQuestions: number;
  /** Counts the bytes of open calls and questions. */
  bytes: Share;
  /** Called when a call begins. It returns a function to call when that call ends. */
  onCall: () => () => void;
}

/** The open calls and questions of one connected transport. */
export class OpenRequests {
  private readonly calls = new Map<RequestId, CallInFlight>();
  /** By id. The SDK numbers its requests, and finds them by `Number(id)` when they are answered. */
  private readonly questions = new Map<number, OpenQuestion>();
  /** The bytes of the HTTP requests that arrive now. */
  private readonly arriving = new Map<Request, HeldBytes>();

  constructor(
    private readonly transport: WebStandardStreamableHTTPServerTransport,
    private readonly settings: OpenRequestsSettings,
  ) {
    const { onmessage: deliver } = transport;
    transport.onmessage = (message, extra) => {
      this.noteReceived(message, extra?.request);
      deliver?.(message, extra);
    };
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      this.noteSent(message, options?.relatedRequestId);
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

  /** Returns true if a call with this id is open, or arrives now. */
  hasCall(id: RequestId): boolean {
    return this.calls.has(id) || [...this.arriving.values()].some(({ ids }) => ids.includes(id));
  }

  /**
   * Counts the bytes of an HTTP request that arrives with these calls. If there is no room for
   * them, it returns the limit that is full.
   */
  arrive(carrier: Request, { bytes, ids }: Omit<HeldBytes, 'holders'>): FullLimit | undefined {
    const full = this.settings.bytes.hold(bytes);
    if (full === undefined) this.arriving.set(carrier, { bytes, ids, holders: 1 });
    return full;
  }

  /** Notes that the transport has delivered an HTTP request, or refused it. */
  noteDelivered(carrier: Request): void {
    const held = this.arriving.get(carrier);
    this.arriving.delete(carrier);
    if (held !== undefined) this.letGo(held);
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

  private noteReceived(message: JSONRPCMessage, carrier: Request | undefined): void {
    if (isRequest(message)) this.beginCall(message.id, carrier);
    this.cancelCall(cancelledId(message));
    const answered = this.closeQuestion(answeredId(message));
    if (answered?.call !== undefined) this.hold(this.calls.get(answered.call), carrier);
  }

  private noteSent(message: JSONRPCMessage, call: RequestId | undefined): void {
    this.closeQuestion(cancelledId(message));
    if (!isRequest(message)) return;
    const { maxQuestions, bytes } = this.settings;
    if (this.questions.size >= maxQuestions) throw tooManyQuestions(maxQuestions);
    const size = utf8(JSON.stringify(message)).length;
    if (bytes.hold(size) !== undefined) throw questionTooLarge();
    this.questions.set(Number(message.id), { size, call });
  }

  private beginCall(id: RequestId, carrier: Request | undefined): void {
    this.endCall(id);
    const call = { carrier, held: [], ended: this.settings.onCall(), attended: true };
    this.calls.set(id, call);
    this.hold(call, carrier);
  }

  /** Keeps counting the bytes of an HTTP request until the call ends. */
  private hold(call: CallInFlight | undefined, carrier: Request | undefined): void {
    const held = carrier && this.arriving.get(carrier);
    if (call === undefined || held === undefined) return;
    held.holders += 1;
    call.held.push(held);
  }

  private endCall(id: RequestId | undefined): CallInFlight | undefined {
    const call = id === undefined ? undefined : this.calls.get(id);
    if (id === undefined || call === undefined) return undefined;
    this.calls.delete(id);
    for (const held of call.held) this.letGo(held);
    call.ended();
    return call;
  }

  private letGo(held: HeldBytes): void {
    held.holders -= 1;
    if (held.holders === 0) this.settings.bytes.release(held.bytes);
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

  private closeQuestion(id: RequestId | undefined): OpenQuestion | undefined {
    const question = id === undefined ? undefined : this.questions.get(Number(id));
    if (question === undefined) return undefined;
    this.questions.delete(Number(id));
    this.settings.bytes.release(question.size);
    return question;
  }
}

function tooManyQuestions(max: number): SdkError {
  return new SdkError(
    SdkErrorCode.SendFailed,
    `Too many open questions: this session is already waiting for ${max} answers.`,
  );
}

function questionTooLarge(): SdkError {
  return new SdkError(
    SdkErrorCode.SendFailed,
    'Too many bytes are waiting: the open calls and questions of legacy sessions are limited by `maxSessionBytes` and `maxTotalSessionBytes`.',
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
