/**
 * The boundary of a server: which requests its seal covers. On an McpServer, and with a seal that
 * the author chose, it covers every request of the methods that can ask. On a low-level Server it
 * covers only those that are for definitions.
 */
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { isModern } from '../call/clientFacts.js';
import { notifyOnerror } from '../call/operator.js';
import { asReceived, boundaryOf, invalidState, runSealed } from '../call/requestBoundary.js';
import { withoutAnswers } from '../call/requestContext.js';
import type { Seal, StatefulRequest } from '../state/seal.js';
import type { Rejection } from '../state/sealOptions.js';
import { paramsOf } from './routeMap.js';
import type { Handler, RouteMap } from './routeMap.js';
import { hasOwnStateCheck, ensureRoutes } from './sdkInternals.js';
import type { AnyServer } from './sdkInternals.js';

const BOUNDARY = Symbol.for('mcp-resolve.boundary');

type GuardedServer = Server & { [BOUNDARY]?: ServerBoundary | undefined };

/** The methods whose results can ask. */
const METHODS: readonly string[] = ['tools/call', 'prompts/get', 'resources/read'];

/** The boundary of a server. */
interface ServerBoundary {
  readonly seal: Seal;
  /**
   * True if the author chose the seal. It replaces a default seal, and a server can have only one.
   */
  readonly explicit: boolean;
  /** True if it also covers hand-written handlers. It always covers definitions. */
  readonly coversAll: boolean;
}

/** The settings of a server's protection. */
export interface Protection extends ServerBoundary {
  /**
   * Receives every rejected state, in addition to the policy's `onReject`. A seal keeps one
   * listener per `whose`.
   */
  readonly listener?: readonly [whose: unknown, tell: (rejection: Rejection) => void];
}

/**
 * Puts the boundary around the present and future handlers of a server, and returns these.
 *
 * @throws {Error} If the author chose another seal before, if the server has the SDK's own check of
 *   request state, or if this version of the SDK has no handlers that can be wrapped.
 */
export function protect(
  server: GuardedServer,
  { listener, ...given }: Protection,
): RouteMap<ServerContext> {
  const present = server[BOUNDARY];
  if (present === undefined) assertNoOtherCheck(server);
  else if (given.explicit && present.explicit && present.seal.policy !== given.seal.policy) {
    throw new Error(
      'This server already has another seal. Use one seal per server, with install() or with protect().',
    );
  }
  const routes = ensureRoutes<ServerContext>(server);
  routes.guard ??= (method, handler) => guard(server, method, handler);
  const { seal, explicit } = present === undefined || given.explicit ? given : present;
  const value = { seal, explicit, coversAll: given.coversAll || present?.coversAll === true };
  Object.defineProperty(server, BOUNDARY, { value, writable: true, configurable: true });
  // A seal that replaces another one keeps its listeners.
  for (const [whose, tell] of present?.seal.listeners ?? []) seal.listeners.set(whose, tell);
  if (listener !== undefined) seal.listeners.set(...listener);
  return routes;
}

/** Returns the seal of a server, or `undefined` if the server has none. */
export function sealOf(server: AnyServer): Seal | undefined {
  const target = 'server' in server ? server.server : server;
  return (target as GuardedServer)[BOUNDARY]?.seal;
}

function assertNoOtherCheck(server: Server): void {
  if (!hasOwnStateCheck(server)) return;
  throw new Error(
    "This server has the SDK's own `requestState.verify`, which would reject the state that mcp-resolve sends. Use one or the other.",
  );
}

/** Wraps a handler of the author or of a host, whose requests are for no definition. */
function guard(
  server: GuardedServer,
  method: string,
  handler: Handler<ServerContext>,
): Handler<ServerContext> {
  const boundary = server[BOUNDARY];
  if (boundary === undefined || !METHODS.includes(method)) return handler;
  if (boundary.coversAll) return sealHandler(server, method, handler);
  return async (message, ctx) =>
    handler(message, boundaryOf(ctx) === undefined ? enterUnsealed(server, ctx) : ctx);
}

/**
 * Returns a handler that opens the state of its requests with the seal of its server, and seals the
 * state of its results. A method whose results cannot ask keeps its handler.
 */
export function sealHandler(
  server: GuardedServer,
  method: string,
  handler: Handler<ServerContext>,
): Handler<ServerContext> {
  if (!METHODS.includes(method)) return handler;
  return (message, ctx) => {
    const seal = server[BOUNDARY]?.seal;
    if (seal === undefined) return handler(message, ctx);
    const request: StatefulRequest = { method, params: paramsOf(message), ctx };
    if (boundaryOf(ctx) !== undefined) return handler(message, asReceived(ctx, request));
    const protocolVersion = server.getNegotiatedProtocolVersion();
    const onSealError = (error: unknown) => notifyOnerror(server, error);
    return runSealed({ seal, request, protocolVersion, onSealError }, (inner) =>
      handler(message, inner),
    );
  };
}

/**
 * Passes on a request that the seal does not cover. From a legacy client, it rejects state and
 * removes answers, because they cannot be genuine.
 */
function enterUnsealed(server: Server, ctx: ServerContext): ServerContext {
  if (isModern(server.getNegotiatedProtocolVersion())) return ctx;
  if (ctx.mcpReq.requestState() !== undefined) throw invalidState(undefined);
  return withoutAnswers(ctx);
}
