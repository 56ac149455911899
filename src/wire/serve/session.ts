/**
 * One 2025 session: a server of its own on a stateful transport, and who may use it.
 *
 * In: the HTTP requests that name its `Mcp-Session-Id`. It can ask the client in the middle of a
 * call, because the answer comes back as another request of the same session. It knows whether it
 * is in use: while a call is in flight or the client listens on its GET stream it is never idle.
 *
 * @module
 */
import {
  type AuthInfo,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

import { type CallsInFlight, watchCalls } from './callsInFlight.js';

/** What a session is opened with. */
export interface SessionSettings {
  factory: McpServerFactory;
  /** Called with the new id before the client learns it. */
  onopen: (id: string, session: LegacySession) => void;
  /** Called once the session has ended, for whatever reason. */
  onclose: (id: string) => void;
  onerror: (error: Error) => void;
  maxRequestBodySize: number;
  keepAliveMs: number | undefined;
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
  readonly #calls: CallsInFlight;
  #listeners = 0;
  #lastUsedAt = Date.now();

  private constructor(
    transport: WebStandardStreamableHTTPServerTransport,
    owner: string | undefined,
  ) {
    this.owner = owner;
    this.#transport = transport;
    this.#calls = watchCalls(transport, () => {
      this.#touch();
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
    const session = new LegacySession(transport, principalOf(authInfo));
    listenToTransport(transport, settings);
    return session;
  }

  /** Whether an `initialize` has been accepted. */
  get initialized(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  /** Serves one request that names this session. */
  async serve({ request, body, authInfo }: SessionRequest): Promise<Response> {
    this.#touch();
    const response = await this.#transport.handleRequest(request, {
      ...(body !== undefined && { parsedBody: body }),
      ...(authInfo !== undefined && { authInfo }),
    });
    return request.method === 'GET' ? this.#listening(response) : response;
  }

  /** Whether nothing is going on and the last use is at least `idleMs` before `now`. */
  isIdle(now: number, idleMs: number): boolean {
    return this.#calls.count === 0 && this.#listeners === 0 && now - this.#lastUsedAt >= idleMs;
  }

  /** Ends the session: aborts its calls, ends its streams, closes its server. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  #touch(): void {
    this.#lastUsedAt = Date.now();
  }

  /** Counts the GET stream for as long as both ends hold it open. */
  #listening(response: Response): Response {
    if (!response.ok || response.body === null) return response;
    const relay = new TransformStream<Uint8Array, Uint8Array>();
    this.#listeners += 1;
    const done = (): void => {
      this.#listeners -= 1;
      this.#touch();
    };
    response.body.pipeTo(relay.writable).then(done, done);
    return new Response(relay.readable, { status: response.status, headers: response.headers });
  }
}

/**
 * The principal of a request: client, issuer and subject of its validated token as one JSON array.
 *
 * Without a subject, two users of one OAuth client are one principal.
 */
export function principalOf(authInfo: AuthInfo | undefined): string | undefined {
  if (authInfo === undefined) return undefined;
  const { iss, sub } = authInfo.extra ?? {};
  return JSON.stringify([authInfo.clientId, iss ?? null, sub ?? null]);
}

function listenToTransport(
  transport: WebStandardStreamableHTTPServerTransport,
  { onclose, onerror }: SessionSettings,
): void {
  const { onclose: closed, onerror: failed } = transport;
  transport.onclose = () => {
    if (transport.sessionId !== undefined) onclose(transport.sessionId);
    closed?.();
  };
  transport.onerror = (error) => {
    onerror(error);
    failed?.(error);
  };
}
