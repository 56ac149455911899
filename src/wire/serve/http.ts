/**
 * Serves one server factory over HTTP, with Node's own server, to clients of both eras.
 *
 * A request passes, in this order: Host and Origin (before its body is read), the path, the
 * author's `authenticate`, and then the dual-era handler. `@modelcontextprotocol/node`, which turns
 * Node's requests into web-standard ones, is an optional peer and is loaded on the first call.
 *
 * @module
 */
import type { NodeIncomingMessageLike, NodeServerResponseLike } from '@modelcontextprotocol/node';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';

import { authenticated } from './authenticated.js';
import { checkArguments } from './check.js';
import { createDualEraHandler, type DualEraHandler } from './dualEra.js';
import {
  type HttpServerHandle,
  type HttpSettings,
  httpSettings,
  type ServeHttpOptions,
} from './httpOptions.js';
import { addressOf, listen, shutDown, watchResponses } from './listen.js';
import { loadNodeAdapter, type NodeAdapter } from './nodeAdapter.js';

/**
 * Serves a server factory over HTTP, to 2025 and 2026 clients on the same URL.
 *
 * By default on a free port of the loopback address, for programs of this machine only.
 *
 * @example
 *
 * ```ts
 * const { url, close } = await serveHttp(() => buildServer(), { port: 3000 });
 * ```
 *
 * @throws TypeError when `factory` is not a function or an option cannot be meant.
 * @throws Error when the port is taken, or `@modelcontextprotocol/node` is not installed.
 */
export async function serveHttp(
  factory: McpServerFactory,
  options: ServeHttpOptions = {},
): Promise<HttpServerHandle> {
  checkArguments(factory, options, 'serveHttp');
  const settings = httpSettings(options);
  const handler = createDualEraHandler(factory, settings.handlerOptions);
  const adapter = await loadNodeAdapter();

  const server = createServer();
  const open = watchResponses(server);
  server.on('request', createListener({ adapter, handler, settings }));
  await listen(server, settings);

  let closing: Promise<void> | undefined;
  return {
    ...addressOf(server, settings),
    server,
    close: () => (closing ??= shutDown({ server, handler, open })),
  };
}

interface ListenerParts {
  adapter: NodeAdapter;
  handler: DualEraHandler;
  settings: HttpSettings;
}

/** What happens to each request. */
function createListener({ adapter, handler, settings }: ListenerParts): RequestListener {
  const { path, allowedHosts, allowedOrigins, authenticate, handlerOptions } = settings;
  const { onerror, maxRequestBodySize } = handlerOptions;
  const hostAllowed = allowedHosts ? adapter.hostHeaderValidation(allowedHosts) : () => true;
  const originAllowed = adapter.originValidation(allowedOrigins);
  const guarded = authenticate ? authenticated(handler, authenticate, onerror) : handler;
  const serve = adapter.toNodeHandler(guarded, {
    ...(onerror !== undefined && { onerror }),
    ...(maxRequestBodySize !== undefined && { maxRequestBodySize }),
  });
  return (request, response) => {
    if (!hostAllowed(request, response) || !originAllowed(request, response)) return;
    if (request.url?.split('?', 1)[0] !== path) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not Found\n');
      return;
    }
    // The package types absent headers as missing, Node as undefined: the same at run time.
    serve(request as NodeIncomingMessageLike, prompt(response)).catch(() => response.destroy());
  };
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
