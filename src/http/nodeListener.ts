/**
 * The Node listener of a handler: `node:http`, express and fastify call it for each request.
 *
 * In: Node's request and response, and the body if a framework has parsed it. If the head alone
 * rules a request out, the listener refuses it before it reads the body. Otherwise
 * `@modelcontextprotocol/node` turns it into a web-standard request and writes the answer. A JSON
 * body is read and parsed here, once, unless `authenticate` needs its bytes.
 */
import type * as nodePackage from '@modelcontextprotocol/node';
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { isJsonContentType, type McpHandlerRequestOptions } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { errorOf } from '../errors.js';

import type { Admission, AuthenticateRequest } from './admission.js';
import {
  type HttpRefusal,
  internalError,
  methodNotAllowed,
  METHODS,
  refuseTo,
} from './httpRefusal.js';
import { isEventStream } from './inFlight.js';

/**
 * Serves one request of Node. The third argument is the parsed body, if a framework has read it. If
 * it is `undefined` or a function (express's `next`), the listener takes `req.body`; without that
 * it reads the body itself.
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
  /** Receives the request with its body, so the body is not read before. */
  authenticate: AuthenticateRequest | undefined;
  maxRequestBodySize: number;
  onerror: (error: Error) => void;
}

/** One request of Node with its response, and the body that a framework has parsed. */
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
  if (method === undefined || !METHODS.includes(method)) return methodNotAllowed;
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
 * them back until the first event, and to the client of a quiet stream the server would look dead.
 */
function flushHeadersSoon(response: ServerResponse): void {
  setImmediate(() => {
    if (!response.writableEnded) response.flushHeaders();
  });
}

/** True for a body that is declared as JSON and still in bytes. */
function hasJsonBody({ method, headers, readableEncoding }: IncomingMessage): boolean {
  const declared = isJsonContentType(headers['content-type'] ?? null);
  return method === 'POST' && declared && readableEncoding === null;
}

/** A request for the adapter, and its parsed body unless the adapter has to deal with it. */
interface ReadMessage {
  message: NodeIncomingMessageLike;
  parsedBody?: unknown;
}

/**
 * Reads a JSON body of at most `maxBytes` bytes. The adapter would create a request with that body,
 * only for the body to be read and parsed again; it receives a message without one. A body that is
 * too long or not JSON goes to the adapter as it came, and is refused there.
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

/** The request as the adapter takes it; with `chunks` as its body if it has been read. */
function forAdapter(request: IncomingMessage, chunks?: Buffer[]): NodeIncomingMessageLike {
  // The package types absent headers as missing, Node as undefined: the same at run time.
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
 * and on web-standard runtimes do without it, so only a request or `serveHttp` loads it.
 *
 * @throws {Error} Naming the package to install if it is missing.
 */
export async function loadNodeAdapter(
  load: () => Promise<NodeAdapter> = () => import('@modelcontextprotocol/node'),
): Promise<NodeAdapter> {
  try {
    return await load();
  } catch (error) {
    if (!isMissingModule(error)) throw error;
    throw new Error(
      'Serving HTTP with Node needs the package @modelcontextprotocol/node. Install it: npm install @modelcontextprotocol/node',
      { cause: error },
    );
  }
}

function isMissingModule(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
}
