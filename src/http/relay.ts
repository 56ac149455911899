/**
 * Passes a streamed response on and notices when it is over.
 *
 * A stream is over when the server ends it, when the client stops reading it, or when the client's
 * connection is lost. The last is known only from the request's signal: an adapter that waits for
 * the next chunk of a quiet stream would notice it with the next keep-alive, or never.
 */

/** Whether a response is a stream of events, which can stay open for long. */
export function isEventStream(response: Response): boolean {
  const type = response.headers.get('content-type') ?? '';
  return response.body !== null && type.startsWith('text/event-stream');
}

/**
 * Creates a response that passes on an event stream; `onend` is called once, with the request, when
 * the stream is over for either side.
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
  // The request itself is kept until then: Node forgets the link from a connection to the signal
  // of a request that was garbage-collected.
  const end = (): void => {
    signal.removeEventListener('abort', lost);
    onend(request);
  };
  // Whoever ends the stream, the server or one of the two that cancel it, settles this.
  reader.closed.then(end, end);
  signal.addEventListener('abort', lost);
  if (signal.aborted) lost();
  return new Response(passingOn(reader, signal), { status, headers });
}

/**
 * A stream of what is read, asked for chunk by chunk and never ahead: the same as a pipe through a
 * pair of streams, for less processor time.
 */
function passingOn(
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
        // What was cut off must not look complete.
        signal.throwIfAborted();
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
