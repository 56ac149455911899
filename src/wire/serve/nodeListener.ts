/**
 * The Node face of a handler: what `node:http`, express and fastify call for each request.
 *
 * In: Node's request and response. What can be refused by the head alone is refused before the body
 * is read; everything else is turned into a web-standard request by `@modelcontextprotocol/node`,
 * an optional peer that is loaded with the first request.
 */
import type {
  NodeIncomingMessageLike,
  NodeMcpRequestHandler,
  NodeServerResponseLike,
} from '@modelcontextprotocol/node';
import type { McpHandlerRequestOptions } from '@modelcontextprotocol/server';
import { errorOf } from '../../errors.js';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Admission } from './admission.js';
import { loadNodeAdapter } from './nodeAdapter.js';
import { internalError, methodNotAllowed, METHODS, type Refusal, refuseTo } from './refusal.js';

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
  fetch: (request: Request, options?: McpHandlerRequestOptions) => Promise<Response>;
  admission: Admission;
  maxRequestBodySize: number;
  onerror: (error: Error) => void;
}

/** Creates the Node face of a handler. */
export function createNodeListener(parts: NodeFaceParts): NodeListener {
  const { fetch, admission, maxRequestBodySize, onerror } = parts;
  const load = async (): Promise<NodeMcpRequestHandler> => {
    const { toNodeHandler } = await loadNodeAdapter();
    return toNodeHandler({ fetch }, { onerror, maxRequestBodySize });
  };
  let loading: Promise<NodeMcpRequestHandler> | undefined;
  const serve: NodeListener = (request, response, parsedBody) => {
    loading ??= load();
    loading
      // The package types absent headers as missing, Node as undefined: the same at run time.
      .then((handle) => handle(request as NodeIncomingMessageLike, prompt(response), parsedBody))
      .catch((error: unknown) => {
        onerror(errorOf(error));
        if (response.headersSent) response.destroy();
        else refuseTo(response, internalError);
      });
  };
  return (request, response, parsedBody) => {
    const refusal = refusalOfHead(request, admission);
    if (refusal === undefined) serve(request, response, bodyOf(request, parsedBody));
    else refuseTo(response, refusal);
  };
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

/**
 * The response, with the headers of a stream sent at once. Node keeps them back until the first
 * byte of the body: a quiet stream would look like a server that does not answer.
 */
function prompt(response: ServerResponse): NodeServerResponseLike {
  return {
    writeHead: (status, headers) => {
      response.writeHead(status, headers);
      if (headers?.['content-type']?.startsWith('text/event-stream')) response.flushHeaders();
    },
    write: (chunk) => response.write(chunk),
    end: (chunk) => response.end(chunk),
    on: (event, listener) => response.on(event, listener),
    destroyed: response.destroyed,
  };
}
