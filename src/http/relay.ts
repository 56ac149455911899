/**
 * Forwards event streams to clients.
 *
 * It detects the end of a stream: the server ends it, the client stops reading it, or the client's
 * connection is lost. Only the request's signal reports a lost connection in time, because an
 * adapter that waits for the next chunk of a quiet stream notices it with the next keep-alive, or
 * never.
 *
 * It also limits the bytes that wait for a client that does not read. The SDK would keep them
 * without a limit, so they are read from its stream at once.
 */
import { withRoom } from '../platform.js';
import { STANDARD_ERROR, Warnings } from '../log.js';

import type { Share } from './sharedLimit.js';

export interface RelaySettings {
  /** Called once, with the request, when the stream has ended on either side. */
  onend: (request: Request) => void;
  /** Counts the bytes that the client has not read. */
  unread: Share;
}

/** Returns true for an event stream, which can stay open for a long time. */
export function isEventStream(response: Response): boolean {
  const type = response.headers.get('content-type') ?? '';
  return response.body !== null && type.startsWith('text/event-stream');
}

/** Creates a response that forwards an event stream. */
export function relay(response: Response, request: Request, settings: RelaySettings): Response {
  const { body, status, headers } = response;
  if (body === null) return response;
  const reader = body.getReader();
  // The requests of some hosts, such as Azure Functions, have none.
  const { signal } = request as { readonly signal?: AbortSignal };
  const lost = (): void => {
    reader.cancel(signal?.reason).catch(() => undefined);
  };
  // This closure keeps the request until the stream ends, because Node forgets the link from a
  // connection to the signal of a request that was garbage-collected.
  const end = (): void => {
    signal?.removeEventListener('abort', lost);
    settings.onend(request);
  };
  // Settles when the server ends the stream, and when the client or the signal cancels it.
  reader.closed.then(end, end);
  signal?.addEventListener('abort', lost);
  if (signal?.aborted) lost();
  const relayed = new RelayedStream(reader, signal, settings.unread);
  // Without a queue of its own, the stream asks for a chunk only when the client has taken the last.
  const stream = new ReadableStream(relayed, { highWaterMark: 0 });
  return new Response(stream, { status, headers });
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** The source of a stream with the chunks of another one. */
class RelayedStream {
  /** The chunks that the client has not asked for, as one. */
  private waiting = NOTHING;
  private length = 0;
  /** The part of the waiting bytes that counts. */
  private counted = 0;
  /** The bytes that the client is taking. They count until it asks again. */
  private taken = 0;
  private isWanted = false;
  private hasEnded = false;

  constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    private readonly signal: AbortSignal | undefined,
    private readonly unread: Share,
  ) {}

  start(controller: Controller): void {
    this.forward(controller).catch((error: unknown) => {
      this.drop();
      controller.error(error);
    });
  }

  pull(controller: Controller): void {
    const { waiting, length, counted } = this;
    this.unread.release(this.taken);
    this.taken = counted;
    this.waiting = NOTHING;
    this.length = 0;
    this.counted = 0;
    this.isWanted = length === 0;
    if (!this.isWanted) controller.enqueue(waiting.subarray(0, length));
    else if (this.hasEnded) controller.close();
  }

  cancel(reason: unknown): Promise<void> {
    this.drop();
    return this.reader.cancel(reason);
  }

  private async forward(controller: Controller): Promise<void> {
    for (;;) {
      const { value } = await this.reader.read();
      if (value === undefined) break;
      const isWanted = this.isWanted;
      this.isWanted = false;
      if (isWanted) controller.enqueue(value);
      else this.keep(value);
    }
    // A stream that was cut off must not look complete.
    this.signal?.throwIfAborted();
    this.hasEnded = true;
    if (this.isWanted) controller.close();
  }

  /** Keeps a chunk until the client asks for it. */
  private keep(chunk: Uint8Array): void {
    // The newest chunk does not count yet. It may be the result of a tool, which has no limit.
    if (this.unread.hold(this.length - this.counted) !== undefined) throw this.cutOff();
    this.counted = this.length;
    this.waiting = withRoom(this.waiting, this.length, chunk.length);
    this.waiting.set(chunk, this.length);
    this.length += chunk.length;
  }

  private drop(): void {
    this.unread.release(this.counted + this.taken);
    this.waiting = NOTHING;
    this.length = 0;
    this.counted = 0;
    this.taken = 0;
  }

  private cutOff(): Error {
    Warnings.of(STANDARD_ERROR).once(
      'The stream of a client was ended, because the client does not read it. The bytes that wait for the clients of a user count against `maxSessionBytes` and a quarter of `maxTotalSessionBytes` in legacy sessions, and against a quarter of `maxBufferedBytes` otherwise.',
    );
    const error = new Error('The client does not read its stream.');
    this.reader.cancel(error).catch(() => undefined);
    return error;
  }
}

const NOTHING: Uint8Array = new Uint8Array();
