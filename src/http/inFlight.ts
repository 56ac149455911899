/**
 * Counts the work in flight of a handler and detects the end of streamed responses.
 *
 * `close()` of a handler waits for the counted work. A stream ends when the server ends it, when
 * the client stops reading it, or when the client's connection is lost. Only the request's signal
 * reports a lost connection in time, because an adapter that waits for the next chunk of a quiet
 * stream notices it with the next keep-alive, or never.
 */

/** Counts the calls that a handler works on, in both eras. */
export class InFlight {
  private readonly work = new Set<symbol>();
  private readonly waiting = new Set<() => void>();

  /**
   * Counts a piece of work until the caller calls the returned function. A second call does
   * nothing.
   */
  enter(): () => void {
    const piece = Symbol();
    this.work.add(piece);
    return () => {
      this.work.delete(piece);
      if (this.work.size === 0) this.wakeAll();
    };
  }

  /** Resolves when nothing is in flight, or after `timeoutMs` at the latest. */
  async settled(timeoutMs: number): Promise<void> {
    if (this.work.size === 0 || timeoutMs === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private wakeAll(): void {
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }
}

/** Returns true for an event stream, which can stay open for a long time. */
export function isEventStream(response: Response): boolean {
  const type = response.headers.get('content-type') ?? '';
  return response.body !== null && type.startsWith('text/event-stream');
}

/**
 * Creates a response that forwards an event stream. When the stream ends on either side, it calls
 * `onend` once, with the request.
 */
export function relay(
  response: Response,
  request: Request,
  onend: (request: Request) => void,
): Response {
  const { body, status, headers } = response;
  if (body === null) return response;
  const reader = body.getReader();
  const { signal } = request;
  const lost = (): void => {
    reader.cancel(signal.reason).catch(() => undefined);
  };
  // This closure keeps the request until the stream ends, because Node forgets the link from a
  // connection to the signal of a request that was garbage-collected.
  const end = (): void => {
    signal.removeEventListener('abort', lost);
    onend(request);
  };
  // Settles when the server ends the stream, and when the client or the signal cancels it.
  reader.closed.then(end, end);
  signal.addEventListener('abort', lost);
  if (signal.aborted) lost();
  return new Response(streamOf(reader, signal), { status, headers });
}

/** Creates a stream of the chunks that `reader` reads, one for each pull. */
function streamOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { value } = await reader.read();
        if (value !== undefined) {
          controller.enqueue(value);
          return;
        }
        // A stream that was cut off must not look complete.
        signal.throwIfAborted();
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
