/**
 * Creates the Node listener of a handler, which `node:http`, express and fastify call for each
 * request.
 *
 * In: Node's request and response, and the body if a framework has parsed it. If the head of a
 * request is invalid, the listener refuses it. Otherwise `@modelcontextprotocol/node` turns the
 * head into a web-standard request and writes the answer. That package would read the whole body
 * first, so it gets a request without one, and the handler reads the body when the request is
 * authenticated.
 */
import type * as nodePackage from '@modelcontextprotocol/node';
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import type { McpHandlerRequestOptions } from '@modelcontextprotocol/server';
import { Readable } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { logAnswered } from '../log.js';
import { isPlainObject } from '../values.js';
import { parseUrl } from '../platform.js';

import type { Admission } from './admission.js';
import {
  internalError,
  keepOpenForBody,
  methodNotAllowed,
  HTTP_METHODS,
  refuseTo,
} from './httpRefusal.js';
import type { HttpRefusal } from './httpRefusal.js';
import { isEventStream } from './relay.js';
import type { BodySource } from './requestBody.js';

/**
 * Serves one Node request. The third argument is the body, if a framework has read it: the parsed
 * body, the bytes or the text. If it is `undefined` or a function (express's `next`), the listener
 * uses `req.body`. If that is missing too, it reads the body itself.
 */
export type NodeListener = (
  request: IncomingMessage,
  response: ServerResponse,
  parsedBody?: unknown,
) => void;

/** The options of a request whose head has been checked. */
export interface AdmittedOptions extends McpHandlerRequestOptions {
  /** The unread body of a Node request. */
  source?: BodySource;
}

/** The parts of a handler that its Node listener uses. */
export interface NodeListenerParts {
  /** Serves a request whose method, Host and Origin have been checked. */
  serveAdmitted: (request: Request, options: AdmittedOptions) => Promise<Response>;
  admission: Admission;
  onerror: (error: Error) => void;
}

/** One Node request with its response, and the body if a framework has parsed it. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  body: unknown;
}

export function createNodeListener(parts: NodeListenerParts): NodeListener {
  let loading: Promise<NodeAdapter> | undefined;
  const serve = async (exchange: Exchange): Promise<void> => {
    try {
      loading ??= loadNodeAdapter();
      await answer(await loading, parts, exchange);
    } catch (error) {
      parts.onerror(logAnswered('A request failed', error));
      if (exchange.response.headersSent) exchange.response.destroy();
      else refuseTo(exchange.response, internalError);
    }
  };
  return (request, response, parsedBody) => {
    const refusal = refusalOfHead(request, parts.admission);
    if (refusal !== undefined) {
      refuseTo(response, refusal);
      return;
    }
    const body = bodyOfFramework(request, parsedBody);
    // If a middleware listens to the body, it would flow away before the handler reads it.
    if (body === undefined && request.readableFlowing === true) request.pause();
    void serve({ request, response, body });
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
  const target = parseUrl(`http://${host ?? 'localhost'}${url ?? '/'}`);
  return target === undefined ? badTarget : undefined;
}

const badTarget: HttpRefusal = {
  status: 400,
  code: -32_600,
  message: 'Bad Request: the request target is not valid',
};

function bodyOfFramework(
  request: IncomingMessage & { readonly body?: unknown },
  parsedBody: unknown,
): unknown {
  if (parsedBody !== undefined && typeof parsedBody !== 'function') return parsedBody;
  const { body, readableDidRead: isRead } = request;
  if (body === undefined) return undefined;
  // The parsers of express 4 leave an empty object in place of a body that they do not read.
  return !isRead && isPlainObject(body) && Object.keys(body).length === 0 ? undefined : body;
}

/** Serves a request whose head has been checked, and writes the answer. */
async function answer(
  { toNodeHandler }: NodeAdapter,
  { serveAdmitted, onerror }: NodeListenerParts,
  { request, response, body }: Exchange,
): Promise<void> {
  const fetch = async (web: Request, options?: McpHandlerRequestOptions): Promise<Response> => {
    const unread =
      body === undefined
        ? { source: { chunks: nodeChunks(request), isUsed: request.readableEnded } }
        : { parsedBody: body };
    const answered = await serveAdmitted(web, { ...options, ...unread });
    // The rest of a body that is late may never arrive, so the connection closes.
    if (answered.status === 408) response.shouldKeepAlive = false;
    else keepOpenForBody(response);
    if (isEventStream(answered)) flushHeadersSoon(response);
    return answered;
  };
  // The handler limits the body. The adapter would compare only the declared length.
  const options = { onerror, maxRequestBodySize: Number.MAX_SAFE_INTEGER };
  await toNodeHandler({ fetch }, options)(withoutBody(request), response);
}

/** Returns the chunks of a body. If the reader stops early, the response can still be sent. */
function nodeChunks(request: IncomingMessage): AsyncIterable<Uint8Array> {
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  return request.readableEncoding === null ? chunks : encodeChunks(chunks);
}

/** Returns the bytes of a body whose encoding a framework has set. */
async function* encodeChunks(chunks: AsyncIterable<Buffer | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** Returns the head of a request in the form that the adapter accepts. */
function withoutBody(request: IncomingMessage): NodeIncomingMessageLike {
  // The package types absent headers as missing, Node types them as undefined. At run time both are
  // the same.
  const { method = 'POST', url = '/', headers, auth } = request as NodeIncomingMessageLike;
  return Object.assign(new Readable({ read: endAtOnce }), {
    method,
    url,
    headers,
    ...(auth !== undefined && { auth }),
  });
}

function endAtOnce(this: Readable): void {
  this.push(null);
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

/** The part of `@modelcontextprotocol/node` used here. */
type NodeAdapter = Pick<typeof nodePackage, 'toNodeHandler'>;

/**
 * Loads `@modelcontextprotocol/node`. The package is an optional peer, because servers over stdio
 * and on web-standard runtimes do not need it. So only a request or `serveHttp` loads it.
 *
 * @throws {Error} If the package is missing, or requires a newer SDK. The message has the remedy.
 */
export async function loadNodeAdapter(load?: () => Promise<NodeAdapter>): Promise<NodeAdapter> {
  try {
    if (load !== undefined) return await load();
    // Bundlers accept a missing package only if its import stands inside `try`, and esbuild only
    // if `await` stands right before it.
    return await import('@modelcontextprotocol/node');
  } catch (error) {
    // The package imports names that an older `@modelcontextprotocol/server` does not export.
    if (error instanceof SyntaxError) {
      throw new Error(
        "The installed '@modelcontextprotocol/node' requires a newer '@modelcontextprotocol/server'. Update '@modelcontextprotocol/server', or install the '@modelcontextprotocol/node' that fits it: 2.0.0 for 2.0.",
        { cause: error },
      );
    }
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
