/**
 * One web-standard handler for clients of both protocol eras.
 *
 * In: HTTP requests. A 2026 request is a whole conversation step by itself and goes to the SDK's
 * handler, which builds a server for it. A 2025 request belongs to a session, which keeps its
 * server between requests: only so can a tool ask that client in the middle of a call. The SDK
 * alone would serve 2025 clients without sessions, where every asking tool fails. Which era a
 * request belongs to is the SDK's own decision (`isLegacyRequest`).
 *
 * @module
 */
import {
  createMcpHandler,
  type CreateMcpHandlerOptions,
  DEFAULT_MAX_REQUEST_BODY_SIZE,
  isJsonContentType,
  isLegacyRequest,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
  type McpServerFactory,
} from '@modelcontextprotocol/server';

import { type ReadBody, readJsonBody } from './body.js';
import { checkArguments, checkedFactory, checkWholeNumber } from './check.js';
import { handlerClosed, type Refusal, refuse } from './refusal.js';
import { SessionTable } from './sessions.js';

/** The options of {@link createDualEraHandler}: those of the SDK's handler, and limits on sessions. */
export interface DualEraHandlerOptions extends Omit<CreateMcpHandlerOptions, 'legacy'> {
  /**
   * The number of 2025 sessions kept at a time; one more handshake is answered with HTTP 503.
   *
   * @defaultValue 1000
   */
  maxSessions?: number;
  /**
   * How long, in milliseconds, a 2025 session may be unused before it is closed. A session with a
   * call in flight or with an open GET stream is in use.
   *
   * @defaultValue 1800000 (30 minutes)
   */
  sessionIdleMs?: number;
}

/** The handler made by {@link createDualEraHandler}: what Bun, Deno and workers serve directly. */
export interface DualEraHandler {
  /**
   * Serves one HTTP request. `options.authInfo` is the validated token, if there is one: it reaches
   * the factory and the tools, and its client, issuer and subject own the 2025 sessions they open.
   */
  fetch: (request: Request, options?: McpHandlerRequestOptions) => Promise<Response>;
  /** Ends every session and every open stream, and aborts the calls in flight. */
  close: () => Promise<void>;
  /**
   * Closes the sessions which are idle at `now` (milliseconds since the epoch, by default the
   * present) and says how many. A timer does this where processes live long; call it yourself where
   * timers do not run.
   */
  closeIdleSessions: (now?: number) => Promise<number>;
}

/**
 * Creates a handler that serves one server factory to 2025 and 2026 clients on the same URL.
 *
 * It checks no Host, no Origin and no token: `serveHttp` does, or put the checks of your framework
 * in front.
 *
 * @example
 *
 * ```ts
 * const handler = createDualEraHandler(() => buildServer());
 * export default { fetch: (request: Request) => handler.fetch(request) };
 * ```
 *
 * @throws TypeError when `factory` is not a function or a limit is not a positive whole number.
 */
export function createDualEraHandler(
  factory: McpServerFactory,
  options: DualEraHandlerOptions = {},
): DualEraHandler {
  checkArguments(factory, options, 'createDualEraHandler');
  const { maxSessions = 1000, sessionIdleMs = 30 * 60_000, ...modernOptions } = options;
  const build = checkedFactory(factory);
  const maxRequestBodySize = options.maxRequestBodySize ?? DEFAULT_MAX_REQUEST_BODY_SIZE;
  const onerror = reportTo(options.onerror);
  const modern = createMcpHandler(build, { ...modernOptions, legacy: 'reject' });
  const sessions = new SessionTable({
    factory: build,
    maxSessions: checkWholeNumber(maxSessions, 'maxSessions', { min: 1 }),
    sessionIdleMs: checkWholeNumber(sessionIdleMs, 'sessionIdleMs', { min: 1 }),
    maxRequestBodySize,
    keepAliveMs: options.keepAliveMs,
    onerror,
  });
  const router: Router = { modern, sessions, maxRequestBodySize, onerror, closed: false };
  return {
    fetch: (request, requestOptions = {}) => route(router, request, requestOptions),
    close: async () => {
      router.closed = true;
      await Promise.all([modern.close(), sessions.close()]);
    },
    closeIdleSessions: (now = Date.now()) => sessions.closeIdle(now),
  };
}

interface Router {
  readonly modern: McpHttpHandler;
  readonly sessions: SessionTable;
  readonly maxRequestBodySize: number;
  readonly onerror: (error: Error) => void;
  closed: boolean;
}

/** Reads a request once, decides its era, and has it served there. */
async function route(
  router: Router,
  request: Request,
  { authInfo, parsedBody }: McpHandlerRequestOptions,
): Promise<Response> {
  if (router.closed) return refuse(handlerClosed(parsedBody));
  // The SDK's handler turns a wrong media type away before it reads anything.
  if (isPost(request) && !isJsonContentType(request.headers.get('content-type'))) {
    return router.modern.fetch(request);
  }
  const read = await bodyOf(request, parsedBody, router.maxRequestBodySize);
  if (!read.ok) return refuse(read.refusal);
  const body = read.value;
  try {
    return (await isLegacyRequest(request, body))
      ? await router.sessions.serve({ request, body, authInfo })
      : await router.modern.fetch(request, {
          parsedBody: body,
          ...(authInfo !== undefined && { authInfo }),
        });
  } catch (error) {
    router.onerror(error instanceof Error ? error : new Error(String(error)));
    return refuse({ ...internalError, body });
  }
}

function bodyOf(request: Request, parsed: unknown, maxBytes: number): ReadBody | Promise<ReadBody> {
  if (parsed !== undefined || !isPost(request)) return { ok: true, value: parsed };
  return readJsonBody(request, maxBytes);
}

function isPost(request: Request): boolean {
  return request.method.toUpperCase() === 'POST';
}

/** A report function which cannot alter an answer by throwing. */
function reportTo(onerror: ((error: Error) => void) | undefined): (error: Error) => void {
  return (error) => {
    try {
      onerror?.(error);
    } catch {
      // Reporting must not change what the client gets.
    }
  };
}

// What went wrong inside goes to onerror: the message may name things a client must not see.
const internalError: Refusal = { status: 500, code: -32_603, message: 'Internal server error' };
