/**
 * The boundary around one request whose state is sealed. It runs outside McpServer's error
 * handling, so its errors reach the client as JSON-RPC errors.
 *
 * ```
 * request ─► boundary ─► handler (McpServer ─► tool callback)
 *              │  ▲                              │
 *              │  └──── a protocol error ◄───────┘
 *              └─► throws it unchanged
 * ```
 *
 * It opens the state of a request and seals the state of a result, so handlers read and write
 * plaintext. A legacy client has no genuine answers or state, so the boundary never passes them to
 * a handler.
 */
import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { Result, ServerContext } from '@modelcontextprotocol/server';
import { InvalidRequestStateError } from '../errors.js';
import { parseUrl } from '../platform.js';
import { isObject, isThenable } from '../values.js';
import { isTooDeep, MAX_DEPTH } from '../state/canonical.js';
import type { OpenedState, Seal, StatefulRequest } from '../state/seal.js';
import { isModern } from './clientFacts.js';
import { withoutAnswers } from './requestContext.js';

/** The boundary around one request. */
export interface RequestBoundary {
  readonly seal: Seal;
  /** The request that the server received. */
  readonly received: StatefulRequest;
  /** The request as its definition received it, from a host or through a hand-written handler. */
  readonly request: StatefulRequest;
  /** The state that the seal opened for the request. */
  readonly opened: OpenedState | undefined;
  /** The reply of a call to the boundary, past McpServer. */
  readonly reply: Reply;
}

export interface Reply {
  /** The error for the client. The result is ignored then. */
  error?: ProtocolError;
  /** The record of the call, which the result carries as its state. */
  record?: string;
  /** The handle of a task, for the client. The result is ignored then. */
  handle?: Result;
}

const REQUEST_BOUNDARY = Symbol.for('mcp-resolve.requestBoundary');

/** The boundary is an enumerable property, because the SDK copies contexts property by property. */
type BoundedContext = ServerContext & { [REQUEST_BOUNDARY]?: RequestBoundary };

/** Returns the boundary around the request of this context, or `undefined` if there is none. */
export function boundaryOf(ctx: ServerContext): RequestBoundary | undefined {
  return (ctx as BoundedContext)[REQUEST_BOUNDARY];
}

/** Returns a copy of the context with the boundary around its request. */
function insideBoundary(ctx: ServerContext, boundary: RequestBoundary): ServerContext {
  return Object.assign({}, ctx, { [REQUEST_BOUNDARY]: boundary });
}

/** The part of a request that its definition receives. */
type Input = Pick<StatefulRequest, 'method' | 'params'>;

/**
 * Returns the context of a definition, with the request as the definition received it. A host may
 * call it with other arguments than those of the client, and the record of its call names these.
 */
export function asReceived(ctx: ServerContext, { method, params }: Input): ServerContext {
  const boundary = boundaryOf(ctx);
  if (boundary === undefined || isSameInput(boundary.request, { method, params })) return ctx;
  return insideBoundary(ctx, { ...boundary, request: { method, params, ctx } });
}

/** Compares one level of the arguments, because the SDK copies only that one. */
function isSameInput({ method, params }: Input, other: Input): boolean {
  if (method !== other.method || params.name !== other.params.name) return false;
  if (params.uri !== other.params.uri && urlOf(params) !== urlOf(other.params)) return false;
  const [one = {}, two = {}] = [params.arguments, other.params.arguments] as const;
  if (one === two) return true;
  if (!isObject(one) || !isObject(two)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(two).length) return false;
  return keys.every((key) => Object.hasOwn(two, key) && one[key] === two[key]);
}

/** Returns the uri of a request as the SDK passes it on. */
function urlOf({ uri }: Input['params']): unknown {
  return typeof uri === 'string' ? (parseUrl(uri)?.href ?? uri) : undefined;
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
  const entering = enter(seal, request, protocolVersion);
  const { inner, opened } = isThenable(entering) ? await entering : entering;
  const reply: Reply = {};
  const boundary: RequestBoundary = { seal, received: request, request, opened, reply };
  const result = await handler(insideBoundary(inner, boundary));
  if (reply.error !== undefined) throw reply.error;
  if (reply.handle !== undefined) return reply.handle as R;
  if (!isInputRequiredResult(result) || typeof result.requestState !== 'string') return result;
  const { requestState: state } = result;
  const sealing = seal.seal({ state, isRecord: state === reply.record }, request, opened);
  const requestState = await sealing.catch((error: unknown) => {
    onSealError?.(error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
  });
  return { ...result, requestState };
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
 * Opens the state of a request that the seal covers. A legacy client has neither state nor answers
 * to send. The SDK's shim, which creates them for hand-written handlers, runs inside the boundary.
 */
function enter(
  seal: Seal,
  request: StatefulRequest,
  protocolVersion: string | undefined,
): Entered | Promise<Entered> {
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

async function openState(seal: Seal, token: unknown, request: StatefulRequest): Promise<Entered> {
  const opened = await seal.open(token, request).catch((error: unknown) => {
    throw invalidState(error);
  });
  const { ctx } = request;
  const requestState = (() => opened.state) as ServerContext['mcpReq']['requestState'];
  return { inner: { ...ctx, mcpReq: { ...ctx.mcpReq, requestState } }, opened };
}

/** Creates the error for invalid state. Clients get the same message for every cause. */
export function invalidState(cause: unknown): ProtocolError {
  const error = new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Invalid or expired requestState',
    { reason: 'invalid_request_state' },
  );
  return Object.assign(error, { cause });
}
