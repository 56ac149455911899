/**
 * The Node face of a handler: what `node:http`, express and fastify call for each request.
 *
 * In: Node's request and response. What can be refused by the head alone is refused before the body
 * is read; everything else is turned into a web-standard request by `@modelcontextprotocol/node`,
 * an optional peer that is loaded with the first request. Where nobody else wants the body, it is
 * read and parsed here and goes past the adapter.
 */
import type { McpHandlerRequestOptions } from '@modelcontextprotocol/server';
import { errorOf } from '../errors.js';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Admission } from './admission.js';
import type { AuthenticateRequest } from './authenticate.js';
import { loadNodeAdapter, type NodeAdapter } from './nodeAdapter.js';
import { forAdapter, hasJsonBody, readNodeBody } from './nodeBody.js';
import { promptResponse } from './nodeResponse.js';
import { internalError, methodNotAllowed, METHODS, type Refusal, refuseTo } from './httpRefusal.js';

/**
 * Serves one request of Node. The third argument is the parsed body, where a framework has read it;
 * a function there, which is express's `next`, is ignored, and so is `undefined`: then `req.body`
 * counts, where a body parser left one, and otherwise the body is read.
 */
export type NodeListener = (
  request: IncomingMessage,
  response: ServerResponse,
  parsedBody?: unknown,
) => void;

/** What stands behind the face. */
export interface NodeFaceParts {
  /** Serves a request that was not refused by its head. */
  serveAdmitted: (request: Request, options?: McpHandlerRequestOptions) => Promise<Response>;
  admission: Admission;
  /** Gets the request with its body, which then is not read beforehand. */
  authenticate: AuthenticateRequest | undefined;
  maxRequestBodySize: number;
  onerror: (error: Error) => void;
}

/** Creates the Node face of a handler. */
export function createNodeListener(parts: NodeFaceParts): NodeListener {
  const { admission, onerror } = parts;
  let loading: Promise<NodeAdapter> | undefined;
  return (request, response, parsedBody) => {
    const refusal = refusalOfHead(request, admission);
    if (refusal !== undefined) {
      refuseTo(response, refusal);
      return;
    }
    loading ??= loadNodeAdapter();
    loading
      .then((adapter) =>
        serve(adapter, parts, { request, response, body: bodyOf(request, parsedBody) }),
      )
      .catch((error: unknown) => {
        onerror(errorOf(error));
        if (response.headersSent) response.destroy();
        else refuseTo(response, internalError);
      });
  };
}

/** A request of Node, with the body that a framework has read. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  body: unknown;
}

async function serve(
  { toNodeHandler }: NodeAdapter,
  { serveAdmitted, authenticate, maxRequestBodySize, onerror }: NodeFaceParts,
  { request, response, body }: Exchange,
): Promise<void> {
  const options = { onerror, maxRequestBodySize };
  if (body !== undefined || authenticate !== undefined || !hasJsonBody(request)) {
    const handle = toNodeHandler({ fetch: serveAdmitted }, options);
    await handle(forAdapter(request), promptResponse(response), body);
    return;
  }
  const { message, ...read } = await readNodeBody(request, maxRequestBodySize);
  const fetch: typeof serveAdmitted = (web, others) =>
    serveAdmitted(web, Object.assign({}, others, read));
  await toNodeHandler({ fetch }, options)(message, promptResponse(response));
}

function refusalOfHead(
  { method, url, headers }: IncomingMessage,
  admission: Admission,
): Refusal | undefined {
  // A web-standard Request cannot even be made for some methods, like TRACE.
  if (method === undefined || !METHODS.includes(method)) return methodNotAllowed;
  // HTTP/2 has a pseudo-header in place of Host.
  const host = headers.host ?? [headers[':authority']].flat()[0];
  const refusal = admission({ host, origin: headers.origin });
  if (refusal !== undefined) return refusal;
  return URL.canParse(`http://${host ?? 'localhost'}${url ?? '/'}`) ? undefined : badTarget;
}

const badTarget: Refusal = {
  status: 400,
  code: -32_600,
  message: 'Bad Request: the request target is not valid',
};

function bodyOf(request: IncomingMessage, parsedBody: unknown): unknown {
  if (parsedBody !== undefined && typeof parsedBody !== 'function') return parsedBody;
  return 'body' in request ? request.body : undefined;
}
