/**
 * The body of one request, read at most once and within limits.
 *
 * In: the chunks of a web-standard or a Node request. `authenticate` decides before the body is
 * read, so a request without a valid token costs no memory. If `authenticate` reads the body
 * itself, for example to check a signature, the handler uses the same bytes.
 */
import { withRoom } from '../platform.js';
import { STANDARD_ERROR, Warnings } from '../state/warnings.js';

import type { ByteBudget } from './byteBudget.js';
import type { HttpRefusal } from './httpRefusal.js';

/** The limits of a body. */
export interface BodyLimits {
  maxRequestBodySize: number;
  /** Counts the bytes of all bodies that the handler holds. */
  bodyBudget: ByteBudget;
}

/** The parsed body, or the refusal of the request with its cause, if the connection was lost. */
export type ParsedBody = { value: unknown } | { refusal: HttpRefusal; cause?: unknown };

/** The body of one request. */
export class RequestBody {
  /** Set if the body was refused, even if `authenticate` read it. */
  refusal: HttpRefusal | undefined;
  private reading: Promise<Uint8Array> | undefined;
  private held = 0;
  private isReleased = false;

  constructor(
    private readonly request: Request,
    private readonly chunks: AsyncIterable<Uint8Array>,
    private readonly limits: BodyLimits,
  ) {}

  /** The number of bytes that count against the limit. */
  get size(): number {
    return this.held;
  }

  /** Returns a request for `authenticate`, whose body is read only if `authenticate` reads it. */
  readableRequest(): Request {
    return withLazyBody(this.request, () => this.read());
  }

  /** Reads and parses the body. */
  async parse(): Promise<ParsedBody> {
    try {
      return parseJson(await this.read());
    } catch (cause) {
      return this.refusal === undefined ? { refusal: notJson, cause } : { refusal: this.refusal };
    } finally {
      // The bytes must not stay in memory while the call runs.
      this.reading = undefined;
    }
  }

  /** Stops reading, and stops counting the bytes unless they were handed over. */
  release(): void {
    this.isReleased = true;
    this.limits.bodyBudget.release(this.held);
    this.held = 0;
  }

  /** Lets the caller decide when the bytes no longer count, by calling the returned function. */
  handOver(): () => void {
    const { held, limits } = this;
    this.held = 0;
    return () => {
      limits.bodyBudget.release(held);
    };
  }

  private read(): Promise<Uint8Array> {
    return (this.reading ??= this.readAll());
  }

  private async readAll(): Promise<Uint8Array> {
    const { maxRequestBodySize } = this.limits;
    const declared = Number(this.request.headers.get('content-length'));
    if (declared > maxRequestBodySize) throw this.refuse(tooLarge(maxRequestBodySize));
    // Chunks are copied, because an array of small chunks takes many times their bytes.
    let buffer: Uint8Array = new Uint8Array();
    for await (const chunk of this.chunks) {
      const length = this.held;
      this.hold(chunk.length);
      buffer = withRoom(buffer, length, chunk.length);
      buffer.set(chunk, length);
    }
    return buffer.subarray(0, this.held);
  }

  private hold(bytes: number): void {
    const { maxRequestBodySize, bodyBudget } = this.limits;
    // `authenticate` can return while it still reads.
    if (this.isReleased) throw new Error('The request has ended.');
    if (this.held + bytes > maxRequestBodySize) throw this.refuse(tooLarge(maxRequestBodySize));
    if (!bodyBudget.tryHold(bytes)) throw this.refuse(tooBusy());
    this.held += bytes;
  }

  private refuse(refusal: HttpRefusal): Error {
    this.refusal = refusal;
    return new Error(refusal.message);
  }
}

function parseJson(bytes: Uint8Array): ParsedBody {
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)) as unknown };
  } catch {
    return { refusal: notJson };
  }
}

/** Returns a request whose body is computed when it is read. */
export function withLazyBody(request: Request, read: () => Promise<Uint8Array>): Request {
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        controller.enqueue(await read());
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  // A stream as the body requires `duplex`, which not all types of `RequestInit` know.
  const init: RequestInit & { duplex: 'half' } = { body, duplex: 'half' };
  return new Request(request, init);
}

/** Reads the chunks of a stream. Not every runtime can iterate over a stream. */
export async function* streamChunks(
  stream: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (stream === null) return;
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

const notJson: HttpRefusal = {
  status: 400,
  code: -32_700,
  message: 'Parse error: the request body is not valid JSON',
};

function tooLarge(maxBytes: number): HttpRefusal {
  const message = `Payload Too Large: Request body must not exceed ${maxBytes} bytes`;
  return { status: 413, code: -32_000, message };
}

function tooBusy(): HttpRefusal {
  Warnings.of(STANDARD_ERROR).once(
    'A request was refused with HTTP 503, because the requests in progress hold `maxBufferedBytes` bytes. If the process has the memory for more, raise `maxBufferedBytes`.',
  );
  const message = 'This server is busy with other large requests. Try again later.';
  return { status: 503, code: -32_000, message, headers: { 'Retry-After': '1' } };
}
