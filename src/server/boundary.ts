/**
 * The boundary wraps the request handlers of the methods that can ask. It runs outside McpServer's
 * error handling, so its errors reach the client as JSON-RPC errors.
 *
 * ```
 * client ─► SDK dispatch ─► boundary ─► handler (McpServer ─► tool callback)
 *                              │  ▲                              │
 *                              │  └──── a protocol error ◄───────┘
 *                              └─► throws it unchanged
 * ```
 *
 * The boundary opens the state of a request and seals the state of a result, so handlers read and
 * write plaintext. A client of the 2025 era has no genuine answers or state, so the boundary never
 * passes them to a handler.
 */
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { Result, Server, ServerContext } from '@modelcontextprotocol/server';
import { InvalidRequestStateError } from '../errors.js';
import { isTooDeep, MAX_DEPTH } from '../state/canonical.js';
import type { OpenedState, Seal, StatefulRequest } from '../state/seal.js';
import type { Rejection } from '../state/sealOptions.js';
import { withoutAnswers } from './requestContext.js';
import { isModern } from './clientFacts.js';
import { notifyOnerror } from './operator.js';
import { paramsOf } from './routeMap.js';
import type { Handler } from './routeMap.js';
import { hasOwnStateCheck, routesOf } from './sdkInternals.js';
import type { AnyServer } from './sdkInternals.js';
import type { Undo } from './undo.js';

/** The boundary of a server. */
interface ServerBoundary {
  readonly seal: Seal;
  readonly explicit: boolean;
  readonly coversAll: boolean;
}

/**
 * The boundary around one request. Its handler reads the seal and can set an error for the client.
 */
export interface RequestBoundary {
  readonly seal: Seal;
  /** The request that the server received. */
  readonly received: StatefulRequest;
  /** The request as its definition received it, through a hand-written handler for example. */
  readonly request: StatefulRequest;
  /** The state that the seal opened for the request. */
  readonly opened: OpenedState | undefined;
  error?: ProtocolError;
}

const REQUEST_BOUNDARY = Symbol.for('mcp-resolve.requestBoundary');
const BOUNDARY = Symbol.for('mcp-resolve.boundary');

/** The boundary is an enumerable property, because the SDK copies contexts property by property. */
type BoundedContext = ServerContext & { [REQUEST_BOUNDARY]?: RequestBoundary };

type GuardedServer = Server & { [BOUNDARY]?: ServerBoundary | undefined };

/** The methods whose results can ask. */
const METHODS: readonly string[] = ['tools/call', 'prompts/get', 'resources/read'];

/** Returns the boundary around the request of this context, or `undefined` if there is none. */
export function boundaryOf(ctx: ServerContext): RequestBoundary | undefined {
  return (ctx as BoundedContext)[REQUEST_BOUNDARY];
}

/** Returns a copy of the context with the boundary around its request. */
export function insideBoundary(ctx: ServerContext, boundary: RequestBoundary): ServerContext {
  return Object.assign({}, ctx, { [REQUEST_BOUNDARY]: boundary });
}

/** The settings of a server's protection. */
export interface Protection {
  readonly seal: Seal;
  /**
   * True if the author chose the seal. It replaces a default seal, and a server can have only one.
   */
  readonly explicit: boolean;
  /** True if it also covers hand-written handlers. It always covers definitions. */
  readonly coversAll: boolean;
  /**
   * Receives every rejected state, in addition to the policy's `onReject`. A seal keeps one
   * listener per `whose`.
   */
  readonly listener?: readonly [whose: unknown, tell: (rejection: Rejection) => void];
}

/**
 * Puts the boundary around the present and future handlers of a server. Returns a function that
 * takes it back.
 *
 * @throws {Error} If the author chose another seal before, if the server has the SDK's own check of
 *   request state, or if this version of the SDK has no handlers that can be wrapped.
 */
export function protect(server: GuardedServer, protection: Protection): Undo {
  const present = server[BOUNDARY];
  const { seal } = wrapOrWiden(server, protection);
  const known = [...(present?.seal.listeners ?? [])];
  const added = protection.listener ? [protection.listener] : [];
  for (const [whose, tell] of [...known, ...added]) seal.listeners.set(whose, tell);
  return () => {
    server[BOUNDARY] = present;
    for (const [whose] of added) present?.seal.listeners.delete(whose);
    for (const [whose, tell] of known) present?.seal.listeners.set(whose, tell);
  };
}

function wrapOrWiden(server: GuardedServer, given: Protection): ServerBoundary {
  const present = server[BOUNDARY];
  if (present === undefined) assertNoOtherCheck(server);
  if (given.explicit && present?.explicit && present.seal.policy !== given.seal.policy) {
    throw new Error(
      'This server already has another seal. Use one seal per server, with install() or with protect().',
    );
  }
  routesOf<ServerContext>(server).guard ??= (method, handler) => guard(server, method, handler);
  const { seal, explicit } = present === undefined || given.explicit ? given : present;
  const boundary = { seal, explicit, coversAll: given.coversAll || present?.coversAll === true };
  Object.defineProperty(server, BOUNDARY, { value: boundary, writable: true, configurable: true });
  return boundary;
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
  if (boundary.coversAll) return sealing(server, method, handler);
  return async (message, ctx) => handler(message, isInside(ctx) ? ctx : enterUnsealed(server, ctx));
}

/**
 * Returns a handler that opens the state of its requests with the seal of its server, and seals the
 * state of its results.
 */
export function sealing(
  server: GuardedServer,
  method: string,
  handler: Handler<ServerContext>,
): Handler<ServerContext> {
  return async (message, ctx) => {
    const seal = server[BOUNDARY]?.seal;
    if (seal === undefined || !METHODS.includes(method) || isInside(ctx))
      return handler(message, ctx);
    const request: StatefulRequest = { method, params: paramsOf(message), ctx };
    const protocolVersion = server.getNegotiatedProtocolVersion();
    const onSealError = (error: unknown) => notifyOnerror(server, error);
    return runSealed({ seal, request, protocolVersion, onSealError }, (inner) =>
      handler(message, inner),
    );
  };
}

function isInside(ctx: BoundedContext): boolean {
  return ctx[REQUEST_BOUNDARY] !== undefined;
}

/** A request whose state a seal covers. */
export interface SealedRequest {
  readonly seal: Seal;
  readonly request: StatefulRequest;
  readonly protocolVersion: string | undefined;
  /** Called if the state of the result cannot be sealed. The seal has logged the error. */
  readonly onSealError?: (error: unknown) => void;
}

/**
 * Runs a handler inside a boundary: opens the state of its request, and seals that of its result.
 *
 * @throws {ProtocolError} If the state is invalid, or cannot be sealed.
 */
export async function runSealed<R extends Result>(
  { seal, request, protocolVersion, onSealError }: SealedRequest,
  handler: (ctx: ServerContext) => Promise<R>,
): Promise<R> {
  assertShallow(request);
  const { inner, opened } = await enter(seal, request, protocolVersion);
  const boundary: RequestBoundary = { seal, received: request, request, opened };
  const result = await handler(insideBoundary(inner, boundary));
  if (boundary.error !== undefined) throw boundary.error;
  return sealResult(result, boundary).catch((error: unknown) => {
    onSealError?.(error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
  });
}

function assertShallow({ params, ctx }: StatefulRequest): void {
  if (!isTooDeep(params.arguments) && !isTooDeep(ctx.mcpReq.inputResponses)) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Arguments and answers may be nested at most ${MAX_DEPTH} levels deep`,
  );
}

interface Entered {
  readonly inner: ServerContext;
  readonly opened: OpenedState | undefined;
}

/**
 * Opens the state of a request that the seal covers. A client of the 2025 era has neither state nor
 * answers to send. The SDK's shim, which creates them for hand-written handlers, runs inside the
 * boundary.
 */
async function enter(
  seal: Seal,
  request: StatefulRequest,
  protocolVersion: string | undefined,
): Promise<Entered> {
  const { ctx, method } = request;
  const token: unknown = ctx.mcpReq.requestState();
  if (isModern(protocolVersion)) {
    return token === undefined
      ? { inner: ctx, opened: undefined }
      : openState(seal, token, request);
  }
  if (token === undefined) return { inner: withoutAnswers(ctx), opened: undefined };
  throw invalidState(seal.reject(new InvalidRequestStateError('request binding'), method));
}

/**
 * Passes on a request that the seal does not cover. From a client of the 2025 era, it rejects state
 * and removes answers, because they cannot be genuine.
 */
function enterUnsealed(server: Server, ctx: ServerContext): ServerContext {
  if (isModern(server.getNegotiatedProtocolVersion())) return ctx;
  if (ctx.mcpReq.requestState() !== undefined) throw invalidState(undefined);
  return withoutAnswers(ctx);
}

async function openState(seal: Seal, token: unknown, request: StatefulRequest): Promise<Entered> {
  const opened = await seal.open(token, request).catch((error: unknown) => {
    throw invalidState(error);
  });
  const { ctx } = request;
  const requestState = (() => opened.state) as ServerContext['mcpReq']['requestState'];
  return { inner: { ...ctx, mcpReq: { ...ctx.mcpReq, requestState } }, opened };
}

/** Returns a copy of the result with its state sealed. A result without state passes unchanged. */
async function sealResult<R extends Result>(
  result: R,
  { seal, received, opened }: RequestBoundary,
): Promise<R> {
  if (!isInputRequiredResult(result) || typeof result.requestState !== 'string') return result;
  const requestState = await seal.seal(result.requestState, received, opened);
  return { ...result, requestState };
}

/** Creates the error for invalid state. Clients get the same message for every cause. */
export function invalidState(cause: unknown): ProtocolError {
  const error = new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Invalid or expired requestState',
    {
      reason: 'invalid_request_state',
    },
  );
  return Object.assign(error, { cause });
}
