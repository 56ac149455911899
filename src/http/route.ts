/**
 * The way of a request through a handler, from its first check to the era that serves it.
 *
 * In this order: the method, Host and Origin, who sent it, the media type, the body (read once),
 * and, while the handler is closing, whether it helps to finish a call. What fails is answered with
 * a JSON-RPC error; nothing is thrown.
 */
import {
  type AuthInfo,
  isJsonContentType,
  isLegacyRequest,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { errorOf } from '../errors.js';

import { addressedBy } from './admission.js';
import { whoSent } from './authenticate.js';
import { type ReadBody, readJsonBody } from './body.js';
import type { HandlerSettings } from './handlerOptions.js';
import type { InFlight } from './inFlight.js';
import { hasRequest, isSubscription } from './messages.js';
import {
  emptyBatch,
  handlerClosed,
  internalError,
  methodNotAllowed,
  METHODS,
  type Refusal,
  refuse,
  shuttingDown,
} from './httpRefusal.js';
import { isEventStream, relay } from './relay.js';
import type { SessionRequest } from './legacySession.js';
import type { SessionTable } from './sessionTable.js';

/** What a request meets on its way. */
export interface Router extends Pick<
  HandlerSettings,
  'admission' | 'authenticate' | 'maxRequestBodySize' | 'onerror'
> {
  readonly modern: McpHttpHandler;
  readonly sessions: SessionTable;
  readonly inFlight: InFlight;
  /** `closing`: only what finishes a call in flight is served. */
  stage: 'open' | 'closing' | 'closed';
}

/** Serves one request. */
export async function serve(
  router: Router,
  request: Request,
  options: McpHandlerRequestOptions,
): Promise<Response> {
  const refusal = refusalOfHead(router, request, options.parsedBody);
  return refusal === undefined ? serveAdmitted(router, request, options) : refuse(refusal);
}

/** Serves a request whose method, Host and Origin have been looked at, which can be a while ago. */
export async function serveAdmitted(
  router: Router,
  request: Request,
  options: McpHandlerRequestOptions,
): Promise<Response> {
  if (router.stage === 'closed') return refuse(handlerClosed(options.parsedBody));
  try {
    const sender = await senderOf(router, request, options.authInfo);
    return sender instanceof Response
      ? sender
      : await serveSender(router, request, { parsedBody: options.parsedBody, ...sender });
  } catch (error) {
    router.onerror(errorOf(error));
    return refuse({ ...internalError, body: options.parsedBody });
  }
}

/** Why a request cannot be served whatever is in it, if it cannot. */
function refusalOfHead(router: Router, request: Request, body: unknown): Refusal | undefined {
  if (router.stage === 'closed') return handlerClosed(body);
  if (!METHODS.includes(request.method)) return methodNotAllowed;
  return router.admission(addressedBy(request));
}

/** The validated token of a request, in an object without one if none is needed. */
async function senderOf(
  { authenticate, onerror }: Router,
  request: Request,
  known: AuthInfo | undefined,
): Promise<{ authInfo?: AuthInfo } | Response> {
  if (known !== undefined) return { authInfo: known };
  if (authenticate === undefined) return {};
  const decision = await whoSent(request, authenticate, onerror);
  return decision instanceof Response ? decision : { authInfo: decision };
}

/** Reads the body of a request that may come in, and has it served. */
async function serveSender(
  router: Router,
  request: Request,
  { authInfo, parsedBody }: McpHandlerRequestOptions,
): Promise<Response> {
  // The SDK's handler turns a wrong media type away before it reads anything.
  if (request.method === 'POST' && !isJsonContentType(request.headers.get('content-type'))) {
    return router.modern.fetch(request);
  }
  const read = await bodyOf(request, parsedBody, router.maxRequestBodySize);
  if (!read.ok) return refuse(read.refusal);
  const incoming: SessionRequest = { request, body: read.value, authInfo };
  const refusal = refusalOfBody(router, incoming);
  if (refusal !== undefined) return refuse(refusal);
  try {
    return (await isLegacyRequest(request, read.value))
      ? await router.sessions.serve(incoming)
      : await serveModern(router, incoming);
  } catch (error) {
    router.onerror(errorOf(error));
    return refuse({ ...internalError, body: read.value });
  }
}

function bodyOf(request: Request, parsed: unknown, maxBytes: number): ReadBody | Promise<ReadBody> {
  if (parsed !== undefined || request.method !== 'POST') return { ok: true, value: parsed };
  return readJsonBody(request, maxBytes);
}

function refusalOfBody({ stage }: Router, { request, body }: SessionRequest): Refusal | undefined {
  // The handler may have begun to close while the body was read.
  if (stage === 'closed') return handlerClosed(body);
  if (stage === 'closing' && !helpsToFinish(request, body)) return shuttingDown(body);
  return Array.isArray(body) && body.length === 0 ? emptyBatch : undefined;
}

/** Whether a request brings an answer or a cancellation to a session, or ends it. */
function helpsToFinish(request: Request, body: unknown): boolean {
  if (!request.headers.has('mcp-session-id')) return false;
  return request.method === 'DELETE' || (request.method === 'POST' && !hasRequest(body));
}

/** Serves a 2026 request, counted as in flight until its response is complete. */
async function serveModern(
  { modern, inFlight }: Router,
  { request, body, authInfo }: SessionRequest,
): Promise<Response> {
  const options = { parsedBody: body, ...(authInfo !== undefined && { authInfo }) };
  // A subscription ends with the handler: waiting for it would be waiting for nothing.
  if (isSubscription(body)) return modern.fetch(request, options);
  const leave = inFlight.enter();
  try {
    const response = await modern.fetch(request, options);
    if (isEventStream(response)) return relay(response, request, leave);
    leave();
    return response;
  } catch (error) {
    leave();
    throw error;
  }
}
