/**
 * Serves HTTP clients of both protocol eras, for web-standard requests and for Node.
 *
 * The SDK decides the era of each request (`isLegacyRequest`). A modern request goes to the SDK's
 * handler, which builds a server for it. A legacy request belongs to a session, which keeps its
 * server between requests, so that a tool can ask the client during a call.
 *
 * The handler checks a request in this order: method, Host and Origin; token; media type; body. It
 * reads the body only after the other checks, at the expense of the user. While it closes, it
 * serves only requests that help to finish a call. If a check fails, it answers with an error
 * response and does not throw.
 */
import {
  createMcpHandler,
  isJsonContentType,
  isJSONRPCRequest,
  isLegacyRequest,
} from '@modelcontextprotocol/server';
import type {
  AuthInfo,
  McpHandlerRequestOptions,
  McpHttpHandler,
  McpServerFactory,
} from '@modelcontextprotocol/server';
import { isPlainObject } from '../values.js';
import { errorOf } from '../errors.js';
import { logAnswered } from '../log.js';
import { utf8 } from '../platform.js';
import type { ServerFactory } from '../host/sdkInternals.js';

import { addressHeaders, refuseExpiredToken, isExpired, validateToken } from './admission.js';
import { checkArguments, checkProducts } from './argumentChecks.js';
import { checkCloseTimeout, checkHandlerOptions } from './handlerOptions.js';
import type { CloseOptions, DualEraHandlerOptions, HandlerSettings } from './handlerOptions.js';
import {
  refusalOfClosed,
  internalError,
  methodNotAllowed,
  HTTP_METHODS,
  noRoom,
  refuse,
} from './httpRefusal.js';
import type { FullLimitWords, HttpRefusal } from './httpRefusal.js';
import { InFlight } from './inFlight.js';
import type { ParsedRequest } from './legacySession.js';
import { createNodeListener } from './nodeListener.js';
import type { AdmittedOptions, NodeListener } from './nodeListener.js';
import { isEventStream, relay } from './relay.js';
import { RequestBody, unreadBody, withLazyBody } from './requestBody.js';
import { SessionTable } from './sessionTable.js';
import type { FullLimit } from './sharedLimit.js';
import { Users } from './users.js';

/** The handler made by {@link createDualEraHandler}. */
export interface DualEraHandler {
  /**
   * Serves one HTTP request of Bun, Deno, workers or hono. `options.authInfo` is the validated
   * token, if any. The factory and the tools receive it, and the `principal` of the seal derives
   * the owner of a legacy session from it.
   */
  readonly fetch: (request: Request, options?: McpHandlerRequestOptions) => Promise<Response>;
  /**
   * Serves one request of `node:http`, express or fastify. It reads a validated token from
   * `req.auth`. It needs the package `@modelcontextprotocol/node`.
   */
  readonly node: NodeListener;
  /** The number of legacy sessions that are open now. */
  readonly sessionCount: number;
  /**
   * Refuses new requests with HTTP 503 and lets calls in flight finish. Answers to their questions
   * still arrive. Then it ends every session and every open stream.
   */
  readonly close: (options?: CloseOptions) => Promise<void>;
  /**
   * Closes the sessions that are abandoned at `now` (milliseconds since the epoch, by default the
   * present) and returns their number. A timer does this in a long-lived process. If timers do not
   * run, call it yourself.
   */
  readonly closeIdleSessions: (now?: number) => Promise<number>;
}

/**
 * Creates a handler that serves one server factory to legacy and modern clients on the same URL.
 *
 * By default it serves loopback hosts only. To serve other hosts, set `allowedHosts`.
 *
 * @example
 *
 * ```ts
 * const handler = createDualEraHandler(() => buildServer(), {
 *   allowedHosts: ['mcp.example.com'],
 * });
 * honoApp.all('/mcp', (c) => handler.fetch(c.req.raw));
 * expressApp.all('/mcp', handler.node);
 * ```
 *
 * @throws {TypeError} If `factory` is not a function or an option has an unusable value.
 */
export function createDualEraHandler(
  factory: ServerFactory,
  options: DualEraHandlerOptions = {},
): DualEraHandler {
  checkArguments(factory, options, 'createDualEraHandler');
  const users = new Users();
  return createHandler(checkProducts(factory), options, { caller: 'createDualEraHandler', users });
}

/** Creates the handler for the function `caller`, which has checked its arguments. */
export function createHandler(
  factory: McpServerFactory,
  options: DualEraHandlerOptions,
  { caller, users }: { readonly caller: string; readonly users: Users },
): DualEraHandler {
  const settings = checkHandlerOptions(options, caller);
  const router = new EraRouter(factory, settings, users);
  return {
    fetch: (request, requestOptions = {}) => router.serve(request, requestOptions),
    node: createNodeListener({
      ...settings,
      serveAdmitted: router.serveAdmitted.bind(router),
    }),
    get sessionCount() {
      return router.sessions.size;
    },
    close: async (closeOptions) => router.close(checkCloseTimeout(closeOptions)),
    closeIdleSessions: (now = Date.now()) => router.sessions.closeIdle(now),
  };
}

/** Checks each request and passes it to the code for its era. */
class EraRouter {
  readonly sessions: SessionTable;
  private readonly modern: McpHttpHandler;
  private readonly inFlight = new InFlight();
  /** While `closing`, only requests that help to finish a call in flight are served. */
  private stage: 'open' | 'closing' | 'closed' = 'open';
  /** The error that the SDK reported last. If it answers with HTTP 500, it is the reason. */
  private lastError: Error | undefined;

  constructor(
    factory: McpServerFactory,
    private readonly settings: HandlerSettings,
    private readonly users: Users,
  ) {
    const { inFlight } = this;
    const watched = users.watch(factory);
    const onerror = (error: Error): void => {
      this.lastError = error;
      settings.onerror(error);
    };
    this.modern = createMcpHandler(watched, { ...settings.modernOptions, onerror });
    const { sessionSettings } = settings;
    this.sessions = new SessionTable({ ...sessionSettings, onerror, factory: watched, inFlight });
  }

  async serve(request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    const refusal = this.refusalOfHead(request, options.parsedBody);
    return refusal === undefined ? this.serveAdmitted(request, options) : refuse(refusal);
  }

  /**
   * Serves a request whose method, Host and Origin have been checked. The handler may have closed
   * since then.
   */
  async serveAdmitted(request: Request, options: AdmittedOptions): Promise<Response> {
    if (this.stage === 'closed') return refuse(refusalOfClosed(options.parsedBody));
    const source = unreadBody(request, options);
    const unread = source && new RequestBody(request, source, this.settings);
    let body = unread === undefined ? options.parsedBody : undefined;
    try {
      const authInfo = await this.authenticate(request, unread, options);
      if (authInfo instanceof Response) return authInfo;
      // The SDK's handler refuses a wrong media type before it reads anything.
      if (!hasReadableBody(request)) return await this.modern.fetch(request);
      const user = await this.users.of(request, authInfo);
      const read = await unread?.parse(user);
      if (read !== undefined && 'refusal' in read) {
        const { refusal, cause } = read;
        if (refusal.status === 500) this.settings.onerror(logAnswered('A request failed', cause));
        else if (cause !== undefined) this.settings.onerror(errorOf(cause));
        return refuse(refusal);
      }
      body = read === undefined ? body : read.value;
      const response = await this.serveEra({ request, body, authInfo, user }, unread);
      if (response.status === 500) logAnswered('A request failed', this.lastError);
      return response;
    } catch (error) {
      this.settings.onerror(logAnswered('A request failed', error));
      return refuse({ ...internalError, body });
    } finally {
      unread?.release();
    }
  }

  /** Closes the handler. A second call may shorten the timeout. */
  async close(timeoutMs: number): Promise<void> {
    if (this.stage === 'open') this.stage = 'closing';
    this.sessions.stopOpening();
    await this.inFlight.waitUntilIdle(timeoutMs);
    this.stage = 'closed';
    await Promise.all([this.modern.close(), this.sessions.close()]);
  }

  private refusalOfHead(request: Request, body: unknown): HttpRefusal | undefined {
    if (this.stage === 'closed') return refusalOfClosed(body);
    if (!HTTP_METHODS.includes(request.method)) return methodNotAllowed;
    return this.settings.admission(addressHeaders(request));
  }

  /** Returns the validated token of a request, undefined if none is required, or the refusal. */
  private async authenticate(
    request: Request,
    body: RequestBody | undefined,
    { authInfo: known, parsedBody }: AdmittedOptions,
  ): Promise<AuthInfo | Response | undefined> {
    const { authenticate, onerror } = this.settings;
    if (known !== undefined) return isExpired(known) ? refuseExpiredToken() : known;
    if (authenticate === undefined) return undefined;
    const readable = body?.readableRequest() ?? withParsedBody(request, parsedBody);
    const decision = await validateToken(readable, authenticate, onerror);
    // If `authenticate` read a body that was refused, that is the reason of its own refusal.
    return body?.refusal === undefined ? decision : refuse(body.refusal);
  }

  private async serveEra(
    incoming: ParsedRequest,
    read: RequestBody | undefined,
  ): Promise<Response> {
    const refusal = this.refusalOfBody(incoming);
    if (refusal !== undefined) return refuse(refusal);
    return (await isLegacyRequest(incoming.request, incoming.body))
      ? this.sessions.serve({ ...incoming, size: read?.size })
      : this.serveModern(incoming, read);
  }

  private refusalOfBody({ request, body }: ParsedRequest): HttpRefusal | undefined {
    // The handler may have begun to close while the body was read.
    if (this.stage === 'closed') return refusalOfClosed(body);
    if (this.stage === 'closing' && !helpsToFinish(request, body)) return refusalOfShutdown(body);
    return Array.isArray(body) ? refusalOfBatch(body) : undefined;
  }

  /**
   * Serves a modern request. It counts as in flight, and its bytes count against their limit, until
   * its response is complete or its client has gone.
   */
  private async serveModern(
    { request, body, authInfo, user }: ParsedRequest,
    read: RequestBody | undefined,
  ): Promise<Response> {
    const options = { parsedBody: body, ...(authInfo !== undefined && { authInfo }) };
    const subscriptions = isSubscription(body)
      ? this.settings.subscriptions.shareOf(user)
      : undefined;
    const full = subscriptions?.hold(1);
    if (full !== undefined) return refuse({ ...noRoom(full, SUBSCRIPTIONS_FULL[full]), body });
    // A subscription ends with the handler, so `close()` does not wait for it.
    const leave = subscriptions === undefined ? this.inFlight.enter() : undefined;
    const release = read?.handOver();
    const end = (): void => {
      leave?.();
      release?.();
      subscriptions?.release(1);
    };
    try {
      const response = await this.modern.fetch(request, options);
      if (isEventStream(response)) {
        const unread = this.settings.bodyBytes.shareOf(user);
        return relay(response, request, { onend: end, unread });
      }
      end();
      return response;
    } catch (error) {
      end();
      throw error;
    }
  }
}

/** Returns a request that `authenticate` can read, although a framework has read its body. */
function withParsedBody(request: Request, parsedBody: unknown): Request {
  if (parsedBody === undefined || request.method !== 'POST') return request;
  return withLazyBody(request, () => Promise.resolve(utf8(JSON.stringify(parsedBody))));
}

/** Returns false for a POST that is not declared as JSON. */
function hasReadableBody({ method, headers }: Request): boolean {
  return method !== 'POST' || isJsonContentType(headers.get('content-type'));
}

/**
 * Returns true if a request brings an answer or a cancellation to a session, or ends the session.
 */
function helpsToFinish(request: Request, body: unknown): boolean {
  if (!request.headers.has('mcp-session-id') || request.method === 'GET') return false;
  return request.method === 'DELETE' || ![body].flat().some(isJSONRPCRequest);
}

/**
 * Returns true if a body opens a stream of change events. It stays open until the client or the
 * handler ends it.
 */
function isSubscription(body: unknown): boolean {
  return isPlainObject(body) && body.method === 'subscriptions/listen' && isJSONRPCRequest(body);
}

// SDK 2.0 has no limit, so a single request could start tens of thousands of calls.
const MAX_BATCH_SIZE = 100;

function refusalOfBatch({ length }: readonly unknown[]): HttpRefusal | undefined {
  if (length > 0 && length <= MAX_BATCH_SIZE) return undefined;
  const message =
    length === 0
      ? 'Invalid Request: the batch is empty'
      : `Invalid Request: Batch must not exceed ${MAX_BATCH_SIZE} messages`;
  return { status: 400, code: -32_600, message };
}

const SUBSCRIPTIONS_FULL: Record<FullLimit, FullLimitWords> = {
  own: {
    message:
      'Too many subscriptions: you have reached the limit for one user. End one of your subscriptions first.',
  },
  whole: {
    message: 'Too many subscriptions: this server has reached its limit. Try again later.',
  },
};

/** Creates the refusal of a new request while the handler closes. */
function refusalOfShutdown(body: unknown): HttpRefusal {
  return { status: 503, code: -32_000, message: 'This server is shutting down.', body };
}
