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
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  // The request itself is kept until then: Node forgets the link from a connection to the signal
  // of a request that was garbage-collected.
  const end = (): void => {
    onend(request);
  };
  response.body?.pipeTo(writable, { signal: request.signal }).then(end, end);
  return new Response(readable, { status: response.status, headers: response.headers });
}
