/**
 * One handler for clients of both protocol eras, with a web-standard face and one for Node.
 *
 * In: HTTP requests. A 2026 request is a whole conversation step by itself and goes to the SDK's
 * handler, which builds a server for it. A 2025 request belongs to a session, which keeps its
 * server between requests: only so can a tool ask that client in the middle of a call. The SDK
 * alone would serve 2025 clients without sessions, where every asking tool fails. Which era a
 * request belongs to is the SDK's own decision (`isLegacyRequest`).
 */
import {
  createMcpHandler,
  type McpHandlerRequestOptions,
  type McpServerFactory,
} from '@modelcontextprotocol/server';

import { checkArguments, checkedFactory } from './argumentChecks.js';
import {
  type CloseOptions,
  closeTimeout,
  type DualEraHandlerOptions,
  handlerSettings,
} from './handlerOptions.js';
import { InFlight } from './inFlight.js';
import { createNodeListener, type NodeListener } from './nodeListener.js';
import { type Router, serve, serveAdmitted } from './route.js';
import { SessionTable } from './sessionTable.js';

/** The handler made by {@link createDualEraHandler}. */
export interface DualEraHandler {
  /**
   * Serves one HTTP request: what Bun, Deno, workers and hono call. `options.authInfo` is the
   * validated token, if there is one: it reaches the factory and the tools, and its client, issuer
   * and subject own the 2025 sessions they open.
   */
  readonly fetch: (request: Request, options?: McpHandlerRequestOptions) => Promise<Response>;
  /**
   * Serves one request of Node: what `node:http`, express and fastify call. A validated token is
   * taken from `req.auth`. Needs the package `@modelcontextprotocol/node`.
   */
  readonly node: NodeListener;
  /** The number of 2025 sessions that are open now. */
  readonly sessionCount: number;
  /**
   * Refuses new requests with HTTP 503, lets calls in flight finish (answers to their questions
   * still come in), and then ends every session and every open stream.
   */
  readonly close: (options?: CloseOptions) => Promise<void>;
  /**
   * Closes the sessions which are abandoned at `now` (milliseconds since the epoch, by default the
   * present) and says how many. A timer does this where processes live long; call it yourself where
   * timers do not run.
   */
  readonly closeIdleSessions: (now?: number) => Promise<number>;
}

/**
 * Creates a handler that serves one server factory to 2025 and 2026 clients on the same URL.
 *
 * It answers for loopback hosts only; a handler for others needs `allowedHosts`.
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
 * @throws {TypeError} If `factory` is not a function or an option cannot be meant.
 */
export function createDualEraHandler(
  factory: McpServerFactory,
  options: DualEraHandlerOptions = {},
): DualEraHandler {
  checkArguments(factory, options, 'createDualEraHandler');
  const settings = handlerSettings(options);
  const build = checkedFactory(factory, options);
  const inFlight = new InFlight();
  const modern = createMcpHandler(build, settings.modernOptions);
  const sessions = new SessionTable({ ...settings.sessions, factory: build, inFlight });
  const router: Router = { ...settings, modern, sessions, inFlight, stage: 'open' };
  const fetch: DualEraHandler['fetch'] = (request, requestOptions = {}) =>
    serve(router, request, requestOptions);
  return {
    fetch,
    node: createNodeListener({
      ...settings,
      serveAdmitted: (request, requestOptions = {}) =>
        serveAdmitted(router, request, requestOptions),
    }),
    get sessionCount() {
      return sessions.size;
    },
    close: async (closeOptions) => close(router, closeTimeout(closeOptions)),
    closeIdleSessions: (now = Date.now()) => sessions.closeIdle(now),
  };
}

/** May be called again, with less patience: the shortest time counts. */
async function close(router: Router, timeoutMs: number): Promise<void> {
  if (router.stage === 'open') router.stage = 'closing';
  router.sessions.seal();
  await router.inFlight.settled(timeoutMs);
  router.stage = 'closed';
  await Promise.all([router.modern.close(), router.sessions.close()]);
}
