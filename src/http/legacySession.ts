/**
 * One 2025 session: a server of its own on a stateful transport, and who may use it.
 *
 * In: the HTTP requests that name its `Mcp-Session-Id`. It can ask the client in the middle of a
 * call, because the answer comes back as another request of the same session. It knows three things
 * about its use:
 *
 * - **busy**: a call is in flight or a question is open. A busy session is never evicted.
 * - **attended**: the client holds a stream open, its GET stream or the response of a call in flight.
 *   An attended session is never abandoned, however long a person takes to answer.
 * - **abandoned**: not attended for too long. Losing a connection cancels nothing in this era, the
 *   client may come back; but what it left behind does not stay for ever.
 */
import {
  type AuthInfo,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { principalOf } from '../state/principal.js';
import { errorOf } from '../errors.js';

import { CallsInFlight } from './openRequests.js';
import type { InFlight } from './inFlight.js';
import { OpenQuestions } from './questions.js';
import { isEventStream, relay } from './relay.js';

/** What a session is opened with. */
export interface SessionSettings {
  factory: McpServerFactory;
  /** Called with the new id before the client learns it. */
  onopen: (id: string, session: LegacySession) => void;
  /** Called once the session has ended, for whatever reason. */
  onclose: (id: string) => void;
  onerror: (error: Error) => void;
  /** Where its calls in flight are counted, together with those of all other sessions. */
  inFlight: InFlight;
  maxOpenQuestions: number;
  maxRequestBodySize: number;
  keepAliveMs: number | undefined;
}

/** How long a session may be unattended. */
export interface Patience {
  sessionIdleMs: number;
  /** The limit when a question is open. */
  disconnectGraceMs: number;
}

/** One HTTP request of a session, with its parsed body (POST only) and its validated principal. */
export interface SessionRequest {
  request: Request;
  body?: unknown;
  authInfo?: AuthInfo | undefined;
}

/** A server serving one `Mcp-Session-Id`. */
export class LegacySession {
  /** The principal that opened the session; undefined when it was not authenticated. */
  readonly owner: string | undefined;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #onerror: (error: Error) => void;
  readonly #calls: CallsInFlight;
  readonly #questions: OpenQuestions;
  #listeners = 0;
  #lastUsedAt = Date.now();

  private constructor(
    transport: WebStandardStreamableHTTPServerTransport,
    owner: string | undefined,
    { inFlight, maxOpenQuestions, onerror }: SessionSettings,
  ) {
    this.owner = owner;
    this.#transport = transport;
    this.#onerror = onerror;
    this.#questions = new OpenQuestions(transport, maxOpenQuestions);
    this.#calls = new CallsInFlight(transport, () => {
      const leave = inFlight.enter();
      return () => {
        this.#touch();
        leave();
      };
    });
  }

  /** Builds a server and connects it; the session exists once it has served an `initialize`. */
  static async connect(opening: SessionRequest, settings: SessionSettings): Promise<LegacySession> {
    const { request, authInfo } = opening;
    const server = await settings.factory({
      era: 'legacy',
      ...(authInfo !== undefined && { authInfo }),
      requestInfo: request,
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        settings.onopen(id, session);
      },
      maxRequestBodySize: settings.maxRequestBodySize,
      ...(settings.keepAliveMs !== undefined && { keepAliveMs: settings.keepAliveMs }),
    });
    await server.connect(transport);
    const session = new LegacySession(transport, principalOf(authInfo), settings);
    session.#listenToTransport(settings);
    return session;
  }

  /** Whether an `initialize` has been accepted. */
  get initialized(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  /** When the client or the server last did something, in milliseconds since the epoch. */
  get lastUsedAt(): number {
    return this.#lastUsedAt;
  }

  /** Whether a call is in flight or a question is open. */
  get busy(): boolean {
    return this.#calls.count > 0 || this.#questions.count > 0;
  }

  /** Whether the client has been away, at `now`, for longer than patience lasts. */
  isAbandoned(now: number, { sessionIdleMs, disconnectGraceMs }: Patience): boolean {
    if (this.#listeners > 0 || this.#calls.attended > 0) return false;
    const waiting = this.#questions.count > 0;
    const limit = waiting ? Math.min(disconnectGraceMs, sessionIdleMs) : sessionIdleMs;
    return now - this.#lastUsedAt >= limit;
  }

  /** Serves one request that names this session. */
  async serve({ request, body, authInfo }: SessionRequest): Promise<Response> {
    this.#touch();
    const response = await this.#transport.handleRequest(request, {
      ...(body !== undefined && { parsedBody: body }),
      ...(authInfo !== undefined && { authInfo }),
    });
    if (!isEventStream(response)) return response;
    return request.method === 'GET'
      ? this.#listening(response, request)
      : this.#answering(response, request);
  }

  /** Ends the session: aborts its calls, ends its streams, closes its server. Never rejects. */
  async close(): Promise<void> {
    try {
      await this.#transport.close();
    } catch (error) {
      this.#onerror(errorOf(error));
    }
  }

  #touch(): void {
    this.#lastUsedAt = Date.now();
  }

  /** Counts the GET stream for as long as both ends hold it open. */
  #listening(response: Response, request: Request): Response {
    this.#listeners += 1;
    return relay(response, request, () => {
      this.#listeners -= 1;
      this.#touch();
    });
  }

  /** Notes when nobody waits any more at the response of a POST. */
  #answering(response: Response, request: Request): Response {
    return relay(response, request, (carrier) => {
      this.#calls.desert(carrier);
      this.#touch();
    });
  }

  #listenToTransport({ onclose, onerror }: SessionSettings): void {
    const transport = this.#transport;
    const { onclose: closed, onerror: failed } = transport;
    transport.onclose = () => {
      if (transport.sessionId !== undefined) onclose(transport.sessionId);
      this.#calls.endAll();
      closed?.();
    };
    transport.onerror = (error) => {
      onerror(error);
      failed?.(error);
    };
  }
}
