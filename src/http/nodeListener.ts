/**
 * Creates the Node listener of a handler, which `node:http`, express and fastify call for each
 * request.
 *
 * In: Node's request and response, and the body if a framework has parsed it. If the head of a
 * request is invalid, the listener refuses it before it reads the body. Otherwise
 * `@modelcontextprotocol/node` turns it into a web-standard request and writes the answer. The
 * listener reads and parses a JSON body once, unless `authenticate` needs its bytes.
 */
import type * as nodePackage from '@modelcontextprotocol/node';
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { isJsonContentType } from '@modelcontextprotocol/server';
import type { McpHandlerRequestOptions } from '@modelcontextprotocol/server';
import { Readable } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorOf } from '../errors.js';

import type { Admission, AuthenticateRequest } from './admission.js';
import { internalError, methodNotAllowed, HTTP_METHODS, refuseTo } from './httpRefusal.js';
import type { HttpRefusal } from './httpRefusal.js';
import { isEventStream } from './inFlight.js';

/**
 * Serves one Node request. The third argument is the parsed body, if a framework has read it. If it
 * is `undefined` or a function (express's `next`), the listener uses `req.body`. If that is
 * undefined too, it reads the body itself.
 */
export type NodeListener = (
  request: IncomingMessage,
  response: ServerResponse,
  parsedBody?: unknown,
) => void;

/** The parts of a handler that its Node listener uses. */
export interface NodeListenerParts {
  /** Serves a request whose method, Host and Origin have been checked. */
  serveAdmitted: (request: Request, options: McpHandlerRequestOptions) => Promise<Response>;
  admission: Admission;
  /** Receives the request with its body unread. */
  authenticate: AuthenticateRequest | undefined;
  maxRequestBodySize: number;
  onerror: (error: Error) => void;
}

/** One Node request with its response, and the body if a framework has parsed it. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  body: unknown;
}

/** Creates the Node listener of a handler. */
export function createNodeListener(parts: NodeListenerParts): NodeListener {
  let loading: Promise<NodeAdapter> | undefined;
  const serve = async (exchange: Exchange): Promise<void> => {
    try {
      loading ??= loadNodeAdapter();
      await answer(await loading, parts, exchange);
    } catch (error) {
      parts.onerror(errorOf(error));
      if (exchange.response.headersSent) exchange.response.destroy();
      else refuseTo(exchange.response, internalError);
    }
  };
  return (request, response, parsedBody) => {
    const refusal = refusalOfHead(request, parts.admission);
    if (refusal !== undefined) refuseTo(response, refusal);
    else void serve({ request, response, body: bodyOfFramework(request, parsedBody) });
  };
}

function refusalOfHead(
  { method, url, headers }: IncomingMessage,
  admission: Admission,
): HttpRefusal | undefined {
  // For some methods, like TRACE, a web-standard Request cannot be created.
  if (method === undefined || !HTTP_METHODS.includes(method)) return methodNotAllowed;
  // HTTP/2 has a pseudo-header in place of Host.
  const host = headers.host ?? [headers[':authority']].flat()[0];
  const refusal = admission({ host, origin: headers.origin });
  if (refusal !== undefined) return refusal;
  return URL.canParse(`http://${host ?? 'localhost'}${url ?? '/'}`) ? undefined : badTarget;
}

const badTarget: HttpRefusal = {
  status: 400,
  code: -32_600,
  message: 'Bad Request: the request target is not valid',
};

function bodyOfFramework(request: IncomingMessage, parsedBody: unknown): unknown {
  if (parsedBody !== undefined && typeof parsedBody !== 'function') return parsedBody;
  return 'body' in request ? request.body : undefined;
}

/** Serves a request whose head has been checked, and writes the answer. */
async function answer(
  { toNodeHandler }: NodeAdapter,
  { serveAdmitted, authenticate, maxRequestBodySize, onerror }: NodeListenerParts,
  { request, response, body }: Exchange,
): Promise<void> {
  const readsHere = body === undefined && authenticate === undefined && hasJsonBody(request);
  const { message, parsedBody } = readsHere
    ? await readJson(request, maxRequestBodySize)
    : { message: forAdapter(request), parsedBody: body };
  const fetch = async (web: Request, options?: McpHandlerRequestOptions): Promise<Response> => {
    const answered = await serveAdmitted(web, { ...options, parsedBody });
    if (isEventStream(answered)) flushHeadersSoon(response);
    return answered;
  };
  await toNodeHandler({ fetch }, { onerror, maxRequestBodySize })(message, response, body);
}

/**
 * Sends the headers of an event stream, with its first event if that is ready at once. Node holds
 * the headers back until the first event, so the client of a quiet stream would get no response.
 */
function flushHeadersSoon(response: ServerResponse): void {
  setImmediate(() => {
    if (!response.writableEnded) response.flushHeaders();
  });
}

/** Returns true for a body that is declared as JSON and still in bytes. */
function hasJsonBody({ method, headers, readableEncoding }: IncomingMessage): boolean {
  const declared = isJsonContentType(headers['content-type'] ?? null);
  return method === 'POST' && declared && readableEncoding === null;
}

/** A request for the adapter, and its parsed body. If there is none, the adapter reads the body. */
interface ReadMessage {
  message: NodeIncomingMessageLike;
  parsedBody?: unknown;
}

/**
 * Reads a JSON body of at most `maxBytes` bytes. The adapter then receives a message without a
 * body. If the body is too long or not JSON, the adapter receives its bytes, and the request is
 * refused later.
 */
async function readJson(request: IncomingMessage, maxBytes: number): Promise<ReadMessage> {
  if (Number(request.headers['content-length']) > maxBytes) return { message: forAdapter(request) };
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  const parsedBody = size > maxBytes ? undefined : parseJson(Buffer.concat(chunks));
  return { message: forAdapter(request, parsedBody === undefined ? chunks : []), parsedBody };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** Returns the request for the adapter. If the body has been read, `chunks` replaces it. */
function forAdapter(request: IncomingMessage, chunks?: Buffer[]): NodeIncomingMessageLike {
  // The package types absent headers as missing, Node types them as undefined. At run time both are
  // the same.
  const original = request as NodeIncomingMessageLike;
  if (chunks === undefined) return original;
  const { method = 'POST', url = '/', headers, auth } = original;
  const head = { method, url, headers, ...(auth !== undefined && { auth }) };
  return Object.assign(Readable.from(chunks), head);
}

/** The part of `@modelcontextprotocol/node` used here. */
type NodeAdapter = Pick<typeof nodePackage, 'toNodeHandler'>;

/**
 * Loads `@modelcontextprotocol/node`. The package is an optional peer, because servers over stdio
 * and on web-standard runtimes do not need it. So only a request or `serveHttp` loads it.
 *
 * @throws {Error} If the package is missing. The message says how to install it.
 */
export async function loadNodeAdapter(
  load: () => Promise<NodeAdapter> = () => import('@modelcontextprotocol/node'),
): Promise<NodeAdapter> {
  try {
    return await load();
  } catch (error) {
    if (!isMissingModule(error)) throw error;
    throw new Error(
      "Serving HTTP on Node.js requires the package '@modelcontextprotocol/node'. Install it with `npm install @modelcontextprotocol/node`.",
      { cause: error },
    );
  }
}

function isMissingModule(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
