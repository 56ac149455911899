/**
 * One legacy session: its own server on a stateful transport, and the principal that may use it.
 *
 * In: the HTTP requests that name its `Mcp-Session-Id`. The server can ask the client during a
 * call, because the answer comes back as another request of the same session. A session has three
 * states of use:
 *
 * - **busy**: a call or a question is open. A busy session is never evicted.
 * - **attended**: the client holds a stream open, its GET stream or the response of a call. An
 *   attended session is never abandoned, however long a user takes to answer.
 * - **abandoned**: not attended for too long. An abandoned session is closed. A lost connection alone
 *   cancels nothing in this era, because the client may come back.
 *
 * The seal of the server determines the principal of each request, as it does for tokens. Only the
 * principal that opened a session may use it.
 */
import {
  isJSONRPCRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { AuthInfo, McpServerFactory } from '@modelcontextprotocol/server';
import { errorOf } from '../errors.js';
import { isObject } from '../values.js';
import { utf8 } from '../platform.js';
import { tokenPrincipal } from '../state/principal.js';
import { sealOf } from '../host/boundary.js';

import { noRoom, refuse } from './httpRefusal.js';
import type { FullLimitWords, HttpRefusal } from './httpRefusal.js';
import type { InFlight } from './inFlight.js';
import { OpenRequests } from './openRequests.js';
import { isEventStream, relay } from './relay.js';
import { LimitedShare } from './sharedLimit.js';
import type { FullLimit, Share, SharedLimit } from './sharedLimit.js';
import { userOfPrincipal } from './users.js';
import type { User } from './users.js';

export interface SessionSettings {
  factory: McpServerFactory;
  /** Called with the new id before the client learns it. */
  onopen: (id: string, session: LegacySession) => void;
  /** Called when the session has ended, for any reason. */
  onclose: (id: string) => void;
  onerror: (error: Error) => void;
  /** Counts the calls of all sessions. */
  inFlight: InFlight;
  maxOpenQuestions: number;
  maxSessionBytes: number;
  /** Counts the bytes of the open calls and questions of all sessions. */
  totalBytes: SharedLimit;
  keepAliveMs: number | undefined;
}

/** The time limits of an unattended session. */
export interface IdleLimits {
  sessionIdleMs: number;
  /** The limit while a question is open. */
  disconnectGraceMs: number;
}

/** One HTTP request with its parsed body (POST only) and its validated token. */
export interface ParsedRequest {
  request: Request;
  body?: unknown;
  /** The size of the body in bytes, or undefined if a framework has parsed it. */
  size?: number | undefined;
  authInfo?: AuthInfo | undefined;
  /** The user whose shares of the limits the request takes. */
  user: User;
}

/** A server that serves one `Mcp-Session-Id`. */
export class LegacySession {
  private readonly requests: OpenRequests;
  /** The bytes that the session may hold. */
  private readonly bytes: Share;
  private getStreams = 0;
  /** The number of requests that the transport has not accepted or refused yet. */
  private arriving = 0;
  private usedAt = Date.now();

  private constructor(
    private readonly transport: WebStandardStreamableHTTPServerTransport,
    private readonly settings: SessionSettings,
    private readonly principals: Principals,
  ) {
    const { maxOpenQuestions, maxSessionBytes } = settings;
    this.bytes = new LimitedShare(maxSessionBytes, principals.share);
    this.requests = new OpenRequests(transport, {
      maxQuestions: maxOpenQuestions,
      bytes: this.bytes,
      onCall: () => this.countCall(),
    });
    this.listenToTransport();
  }

  /** Builds a server and connects it. The session is open once it has served an `initialize`. */
  static async connect(opening: ParsedRequest, settings: SessionSettings): Promise<LegacySession> {
    const { request, authInfo } = opening;
    const { factory, onopen, totalBytes, keepAliveMs } = settings;
    const server = await factory({
      era: 'legacy',
      ...(authInfo !== undefined && { authInfo }),
      requestInfo: request,
    });
    const principalOf = createPrincipalReader(server);
    const owner = await principalOf(opening);
    const share = totalBytes.shareOf(await userOfPrincipal(owner));
    const principals = { owner, principalOf, share };
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        onopen(id, session);
      },
      ...(keepAliveMs !== undefined && { keepAliveMs }),
    });
    await server.connect(transport);
    const session = new LegacySession(transport, settings, principals);
    return session;
  }

  /** The principal that opened the session, or undefined if it is anonymous. */
  get owner(): string | undefined {
    return this.principals.owner;
  }

  /** True once an `initialize` has been accepted. */
  get initialized(): boolean {
    return this.transport.sessionId !== undefined;
  }

  /** The time when the client or the server last did something, in milliseconds since the epoch. */
  get lastUsedAt(): number {
    return this.usedAt;
  }

  /** True while a request arrives, and while a call or a question is open. */
  get busy(): boolean {
    return this.arriving > 0 || this.requests.callCount > 0 || this.requests.questionCount > 0;
  }

  /** True if the client has been away, at `now`, for longer than the limits allow. */
  isAbandoned(now: number, { sessionIdleMs, disconnectGraceMs }: IdleLimits): boolean {
    if (this.getStreams > 0 || this.requests.attended) return false;
    const asking = this.requests.questionCount > 0;
    const limit = asking ? Math.min(disconnectGraceMs, sessionIdleMs) : sessionIdleMs;
    return now - this.usedAt >= limit;
  }

  /** Returns true if the principal of a request opened this session. It never rejects. */
  async isOwnedBy(incoming: ParsedRequest): Promise<boolean> {
    try {
      return this.owner === (await this.principals.principalOf(incoming));
    } catch (error) {
      // The seal has logged the error.
      this.settings.onerror(errorOf(error));
      return false;
    }
  }

  /** Serves one request that names this session. */
  async serve(incoming: ParsedRequest): Promise<Response> {
    const { request, body, authInfo } = incoming;
    this.touch();
    const refusal = this.refusalOf(incoming);
    if (refusal !== undefined) return refuse({ ...refusal, body });
    this.arriving += 1;
    const response = await this.transport
      .handleRequest(request, {
        ...(body !== undefined && { parsedBody: body }),
        ...(authInfo !== undefined && { authInfo }),
      })
      .finally(() => {
        this.arriving -= 1;
        this.requests.noteDelivered(request);
      });
    if (!isEventStream(response)) return response;
    return request.method === 'GET'
      ? this.followGetStream(response, request)
      : this.followCallStream(response, request);
  }

  /** Ends the session: aborts its calls, ends its streams and closes its server. Never rejects. */
  async close(): Promise<void> {
    try {
      await this.transport.close();
    } catch (error) {
      this.settings.onerror(errorOf(error));
    }
  }

  /** Returns the refusal of a request that reuses an id or has no room, and counts its bytes. */
  private refusalOf(incoming: ParsedRequest): HttpRefusal | undefined {
    const messages = [incoming.body].flat();
    const ids = messages.filter((message) => isJSONRPCRequest(message)).map(({ id }) => id);
    // The SDK would forget the first call of two with one id, although it still runs.
    if (new Set(ids).size < ids.length || ids.some((id) => this.requests.hasCall(id))) {
      return idInUse;
    }
    // An open call keeps its arguments and the answers to its questions. Notifications are not kept.
    if (!messages.some((message) => isObject(message) && 'id' in message)) return undefined;
    const arrival = { bytes: sizeOf(incoming), ids };
    const full = this.requests.arrive(incoming.request, arrival);
    return full === undefined ? undefined : noRoom(full, SESSIONS_FULL[full]);
  }

  private touch(): void {
    this.usedAt = Date.now();
  }

  /** Counts a call as in flight until the caller calls the returned function. */
  private countCall(): () => void {
    const leave = this.settings.inFlight.enter();
    return () => {
      this.touch();
      leave();
    };
  }

  /** Counts the GET stream for as long as both ends hold it open. */
  private followGetStream(response: Response, request: Request): Response {
    this.getStreams += 1;
    const onend = (): void => {
      this.getStreams -= 1;
      this.touch();
    };
    return relay(response, request, { onend, unread: this.bytes });
  }

  /** Records when the client no longer waits for the response of a POST. */
  private followCallStream(response: Response, request: Request): Response {
    const onend = (carrier: Request): void => {
      this.requests.leave(carrier);
      this.touch();
    };
    return relay(response, request, { onend, unread: this.bytes });
  }

  private listenToTransport(): void {
    const { transport, settings } = this;
    const { onclose: closed, onerror: failed } = transport;
    transport.onclose = () => {
      if (transport.sessionId !== undefined) settings.onclose(transport.sessionId);
      this.requests.endAll();
      closed?.();
    };
    transport.onerror = (error) => {
      settings.onerror(error);
      failed?.(error);
    };
  }
}

/** Returns the principal of a request, or undefined if it is anonymous. */
type PrincipalReader = (incoming: ParsedRequest) => Promise<string | undefined>;

/** The owner of a session, and the principals of later requests. */
interface Principals {
  readonly owner: string | undefined;
  readonly principalOf: PrincipalReader;
  /** The bytes that all sessions of the owner may hold. */
  readonly share: Share;
}

function createPrincipalReader(server: Awaited<ReturnType<McpServerFactory>>): PrincipalReader {
  const seal = sealOf(server);
  return async ({ request, authInfo }) =>
    seal === undefined
      ? tokenPrincipal(authInfo)
      : seal.sessionPrincipal({ http: { req: request, ...(authInfo && { authInfo }) } });
}

/** Returns the size of a body in bytes. A body that a framework has parsed is measured as JSON. */
export function sizeOf({ body, size }: ParsedRequest): number {
  return size ?? utf8(JSON.stringify(body)).length;
}

const idInUse: HttpRefusal = {
  status: 400,
  code: -32_600,
  message: 'Invalid Request: the request id is already in use in this session. Use a new id.',
};

const SESSIONS_FULL: Record<FullLimit, FullLimitWords> = {
  own: {
    message:
      'Too many bytes are waiting: the open calls and questions of this session, or of all your sessions, have reached their limit. Answer or cancel some of them, or try again later.',
    warning:
      'A call of a legacy session was refused with HTTP 429, because the open calls and questions of its session hold `maxSessionBytes` bytes, or those of its user hold a quarter of `maxTotalSessionBytes` bytes. All sessions without a principal are one user. If the process has the memory for more, raise the limit.',
  },
  whole: {
    message: 'This server is busy with the open calls of other sessions. Try again later.',
    warning:
      'A call of a legacy session was refused with HTTP 503, because the open calls and questions of all sessions hold `maxTotalSessionBytes` bytes. If the process has the memory for more, raise `maxTotalSessionBytes`.',
  },
};
