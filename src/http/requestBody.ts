/**
 * The body of one request, read at most once and within limits.
 *
 * In: the chunks of a web-standard or a Node request. `authenticate` decides before the body is
 * read, so a request without a valid token costs no memory. If `authenticate` reads the body
 * itself, for example to check a signature, the handler uses the same bytes.
 *
 * The bytes count against the share of the user. Bytes that `authenticate` reads count as anonymous
 * until the user is known. A body has a fixed time to arrive, however often a part of it arrives.
 */
import { utf8, withRoom } from '../platform.js';

import { noRoom } from './httpRefusal.js';
import type { FullLimitWords, HttpRefusal } from './httpRefusal.js';
import type { FullLimit, Share, SharedLimit } from './sharedLimit.js';
import type { User } from './users.js';

export interface BodyLimits {
  maxRequestBodySize: number;
  /** Counts the bytes of all bodies that the handler holds. */
  bodyBytes: SharedLimit;
}

export interface BodySource {
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** True if the app has read the body and kept it. */
  readonly isUsed?: boolean;
  /** Called if nothing will read the rest. */
  readonly abandon?: () => void;
}

/** The parsed body, or the refusal of the request with its cause, if that is not the client. */
export type ParsedBody = { value: unknown } | { refusal: HttpRefusal; cause?: unknown };

export class RequestBody {
  /** Set if the body was refused, even if `authenticate` read it. */
  refusal: HttpRefusal | undefined;
  private reading: Promise<Uint8Array> | undefined;
  /** The bytes read so far, if they are not in use yet, and room for more. */
  private buffer = NOTHING;
  private held = 0;
  private share: Share;
  private isReleased = false;

  constructor(
    private readonly request: Request,
    private readonly source: BodySource,
    private readonly limits: BodyLimits,
  ) {
    this.share = limits.bodyBytes.shareOf(undefined);
  }

  /** The number of bytes that count against the limit. */
  get size(): number {
    return this.held;
  }

  /** Returns a request for `authenticate`, whose body is read only if `authenticate` reads it. */
  readableRequest(): Request {
    return withLazyBody(this.request, () => this.read());
  }

  /** Reads the body at the expense of a user, and parses it. */
  async parse(user: User): Promise<ParsedBody> {
    const refusal = this.moveTo(user);
    if (refusal !== undefined) return { refusal };
    try {
      return parseJson(await this.read());
    } catch (cause) {
      if (this.refusal === undefined) return { refusal: notJson, cause };
      return { refusal: this.refusal, ...(this.refusal === alreadyRead && { cause }) };
    } finally {
      // The bytes must not stay in memory while the call runs.
      this.reading = undefined;
      this.buffer = NOTHING;
    }
  }

  /** Stops reading, and stops counting the bytes unless they were handed over. */
  release(): void {
    this.isReleased = true;
    this.buffer = NOTHING;
    if (this.held > 0) this.share.release(this.held);
    this.held = 0;
  }

  /** Lets the caller decide when the bytes no longer count, by calling the returned function. */
  handOver(): () => void {
    const { held, share } = this;
    this.held = 0;
    return () => {
      share.release(held);
    };
  }

  /** Counts the bytes against the share of a user from now on, or returns the refusal. */
  private moveTo(user: User): HttpRefusal | undefined {
    const { held, share } = this;
    this.share = this.limits.bodyBytes.shareOf(user);
    if (held === 0) return undefined;
    share.release(held);
    const full = this.share.hold(held);
    if (full === undefined) return undefined;
    this.held = 0;
    this.release();
    return noRoom(full, BODIES_FULL[full]);
  }

  /** Reads the body once, in time. */
  private read(): Promise<Uint8Array> {
    return (this.reading ??= new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(this.expire());
      }, BODY_TIMEOUT_MS);
      this.readAll()
        .finally(() => {
          clearTimeout(timer);
        })
        .then(resolve, reject);
    }));
  }

  private async readAll(): Promise<Uint8Array> {
    const { maxRequestBodySize } = this.limits;
    if (this.source.isUsed === true) throw this.refuse(alreadyRead);
    const declared = Number(this.request.headers.get('content-length'));
    if (declared > maxRequestBodySize) throw this.refuse(tooLarge(maxRequestBodySize));
    // Chunks are copied, because an array of small chunks takes many times their bytes.
    for await (const chunk of this.source.chunks) {
      const length = this.held;
      this.hold(chunk.length);
      this.buffer = withRoom(this.buffer, length, chunk.length);
      this.buffer.set(chunk, length);
    }
    return this.buffer.subarray(0, this.held);
  }

  private hold(bytes: number): void {
    const { maxRequestBodySize } = this.limits;
    // `authenticate` can return while it still reads.
    if (this.isReleased) throw new Error('The request has ended.');
    if (this.held + bytes > maxRequestBodySize) throw this.refuse(tooLarge(maxRequestBodySize));
    const full = this.share.hold(bytes);
    if (full !== undefined) throw this.refuse(noRoom(full, BODIES_FULL[full]));
    this.held += bytes;
  }

  /** Refuses a body that has not arrived in time. The source may never end, so it is abandoned. */
  private expire(): Error {
    this.release();
    // Deferred, because a host may close the connection, and the response has to be sent first.
    setTimeout(() => this.source.abandon?.(), 0);
    return this.refuse(tooSlow);
  }

  private refuse(refusal: HttpRefusal): Error {
    this.refusal = refusal;
    return new Error(refusal.message);
  }
}

const NOTHING: Uint8Array = new Uint8Array();

/** The time that a body has to arrive. A connection of 0.6 Mbit/s sends 4 MiB in it. */
const BODY_TIMEOUT_MS = 60_000;

function parseJson(bytes: Uint8Array): ParsedBody {
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)) as unknown };
  } catch {
    return { refusal: notJson };
  }
}

/**
 * Returns a request whose body is computed when it is read. It is built from the parts of the
 * original, because a runtime copies only its own requests, and many hosts have a class of their
 * own.
 */
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
  // Workers have the facts about a connection, such as its client certificate, in `cf`. A stream
  // as the body requires `duplex`. Not all types of `RequestInit` know these two.
  const { url, method, headers, signal, cf } = request as Request & { readonly cf?: unknown };
  const init: RequestInit & { duplex: 'half'; cf: unknown } = {
    ...{ method, headers: [...headers], signal, body },
    ...{ duplex: 'half', cf },
  };
  return new Request(url, init);
}

/**
 * Returns the unread body of a request, or undefined if it has none or a framework has parsed it.
 * Some frameworks leave the bytes or the text in the place of the parsed body.
 */
export function unreadBody(
  request: Request,
  { parsedBody, source }: { readonly parsedBody?: unknown; readonly source?: BodySource },
): BodySource | undefined {
  if (request.method !== 'POST') return undefined;
  if (typeof parsedBody === 'string') return { chunks: [utf8(parsedBody)] };
  if (parsedBody instanceof Uint8Array) return { chunks: [parsedBody] };
  if (parsedBody instanceof ArrayBuffer) return { chunks: [new Uint8Array(parsedBody)] };
  return parsedBody === undefined ? (source ?? streamSource(request)) : undefined;
}

/** Returns the body of a web-standard request. Not every runtime can iterate over a stream. */
function streamSource({ body: stream, bodyUsed }: Request): BodySource {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    if (stream === null) return;
    reader = stream.getReader();
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
  const abandon = (): void => {
    reader?.cancel().catch(() => undefined);
  };
  return { chunks: chunks(), isUsed: bodyUsed || stream?.locked === true, abandon };
}

/** The refusal of a body that is gone. The mistake is in the app, not in the request. */
const alreadyRead: HttpRefusal = {
  status: 500,
  code: -32_603,
  message:
    'The app has read the body of this request before the handler. Pass on what it has read: handler.fetch(request, { parsedBody }), or handler.node(request, response, parsedBody).',
};

const notJson: HttpRefusal = {
  status: 400,
  code: -32_700,
  message: 'Parse error: the request body is not valid JSON',
};

function tooLarge(maxBytes: number): HttpRefusal {
  const message = `Payload Too Large: Request body must not exceed ${maxBytes} bytes`;
  return { status: 413, code: -32_000, message };
}

const tooSlow: HttpRefusal = {
  status: 408,
  code: -32_000,
  message: `Request Timeout: The request body did not arrive within ${BODY_TIMEOUT_MS / 1000} seconds. Send it again over a faster connection, or send less.`,
};

const BODIES_FULL: Record<FullLimit, FullLimitWords> = {
  own: {
    message:
      'Too many bytes are waiting: the requests in progress of one user, or of all clients without a token, have reached their limit. Wait until some of them have finished, then try again.',
    warning:
      'A request was refused with HTTP 429, because the requests of its user hold a quarter of `maxBufferedBytes` bytes. All requests without a principal are one user. If the process has the memory for more, raise `maxBufferedBytes`.',
  },
  whole: {
    message: 'This server is busy with other large requests. Try again later.',
    warning:
      'A request was refused with HTTP 503, because the requests in progress hold `maxBufferedBytes` bytes. If the process has the memory for more, raise `maxBufferedBytes`.',
  },
};
