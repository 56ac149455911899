/**
 * Serves one server factory over HTTP, with Node's own server, to clients of both eras.
 *
 * A request to the path of the endpoint goes to the Node face of a dual-era handler; every other
 * path is not found. Node's own limits on the time a request may take to arrive stay as they are;
 * none of them counts while a response is open, and a socket that only waits is never cut.
 */
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { createServer, type RequestListener } from 'node:http';

import { checkArguments, checkKnownOptions } from './argumentChecks.js';
import { HANDLER_OPTIONS } from './handlerOptions.js';
import { createDualEraHandler } from './dualEraHandler.js';
import { type HttpServerHandle, httpSettings, type ServeHttpOptions } from './httpOptions.js';
import { addressOf, listen, shutDown, watchResponses } from './listen.js';
import { loadNodeAdapter } from './nodeAdapter.js';
import { notFound, refuseTo } from './httpRefusal.js';

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
 * @throws {TypeError} If `factory` is not a function or an option cannot be meant.
 * @throws {Error} If the port is taken, or `@modelcontextprotocol/node` is not installed.
 */
export async function serveHttp(
  factory: McpServerFactory,
  options: ServeHttpOptions = {},
): Promise<HttpServerHandle> {
  checkArguments(factory, options, 'serveHttp');
  checkKnownOptions(options, ['port', 'host', 'path', ...HANDLER_OPTIONS], 'serveHttp');
  const settings = httpSettings(options);
  const handler = createDualEraHandler(factory, settings.handlerOptions);
  // The handler loads it with its first request; here it is better missed before the port opens.
  await loadNodeAdapter();

  const server = createServer();
  // A person may take minutes to answer, and nothing is written meanwhile but keep-alives, which
  // an author can turn off: no time of silence may end a connection.
  server.timeout = 0;
  const open = watchResponses(server);
  server.on('request', atPath(settings.path, handler.node));
  await listen(server, settings);

  let closing: Promise<void> | undefined;
  return {
    ...addressOf(server, settings),
    server,
    close: async (closeOptions) => {
      // The port stays open until the calls in flight have finished: their answers come in there.
      await handler.close(closeOptions);
      await (closing ??= shutDown(server, open));
    },
  };
}

function atPath(path: string, listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.url?.split('?', 1)[0] === path) listener(request, response);
    else refuseTo(response, notFound);
  };
}
