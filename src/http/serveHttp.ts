/**
 * Serves a server factory over HTTP with Node's own server, to clients of both eras.
 *
 * A request to the endpoint's path goes to the Node listener of a dual-era handler. Every other
 * path gets HTTP 404. By default the server listens on loopback and serves only this machine. If
 * other machines can reach it, the author must name its hosts.
 *
 * Node's own limits on the time a request may take to arrive stay in place. None of them applies
 * while a response is open, so a silent connection is never cut. `close()` ends all streams, gives
 * their last bytes a moment to leave, and then destroys the remaining connections.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server as HttpServer, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { McpServerFactory } from '@modelcontextprotocol/server';

import type { ServerFactory } from '../host/sdkInternals.js';
import { checkArguments, checkProducts, checkInteger, describe } from './argumentChecks.js';
import { rejectUnknownOptions } from '../options.js';
import { createHandler } from './dualEraHandler.js';
import { HANDLER_OPTIONS } from './handlerOptions.js';
import type { CloseOptions, DualEraHandlerOptions } from './handlerOptions.js';
import { refuseTo } from './httpRefusal.js';
import type { HttpRefusal } from './httpRefusal.js';
import { loadNodeAdapter } from './nodeListener.js';
import { Users } from './users.js';

/** The options of `serveHttp`. */
export interface ServeHttpOptions extends DualEraHandlerOptions {
  /**
   * The port to listen on. 0 picks any free port.
   *
   * @defaultValue 0
   */
  port?: number;
  /**
   * The address to listen on.
   *
   * @defaultValue '127.0.0.1'
   */
  host?: string;
  /**
   * The path of the endpoint. Every other path gets HTTP 404.
   *
   * @defaultValue '/mcp'
   */
  path?: string;
}

/** A running HTTP server. */
export interface HttpServerHandle {
  /** The address of the endpoint, for clients. */
  readonly url: URL;
  /** The port that the server listens on, even if the option was 0. */
  readonly port: number;
  /** The underlying `node:http` server. */
  readonly server: HttpServer;
  /**
   * Refuses new requests with HTTP 503 while calls in flight finish, then ends every session,
   * stream and connection, and resolves when the port is free again.
   */
  readonly close: (options?: CloseOptions) => Promise<void>;
}

/**
 * Serves a server factory over HTTP, to legacy and modern clients on the same URL.
 *
 * By default it listens on a free port of the loopback address and serves only this machine. Before
 * it listens, it calls the factory once, as for a modern client but without a request, and closes
 * the server that it gets. If the factory throws, so does `serveHttp`.
 *
 * @example
 *
 * ```ts
 * const { url, close } = await serveHttp(() => buildServer(), { port: 3000 });
 * ```
 *
 * @throws {TypeError} If `factory` is not a function or an option has an unusable value.
 * @throws {Error} If the port is taken, or `@modelcontextprotocol/node` is not installed, or the
 *   error of the factory.
 */
export async function serveHttp(
  factory: ServerFactory,
  options: ServeHttpOptions = {},
): Promise<HttpServerHandle> {
  checkArguments(factory, options, 'serveHttp');
  rejectUnknownOptions(options, ['port', 'host', 'path', ...HANDLER_OPTIONS], 'serveHttp()');
  const { endpoint, handlerOptions } = checkHttpOptions(options);
  const checked = checkProducts(factory);
  const users = new Users();
  const handler = createHandler(checked, handlerOptions, { caller: 'serveHttp', users });
  // The handler loads the package with its first request. Load it now, so that a missing package is
  // reported before the port opens.
  await loadNodeAdapter();
  await buildFirst(users.watch(checked));

  const server = createServer();
  // A user may take minutes to answer. Meanwhile the server writes only keep-alives, and an author
  // can turn those off, so silence must not end a connection.
  server.timeout = 0;
  const open = watchResponses(server);
  server.on('request', atPath(endpoint.path, handler.node));
  await listen(server, endpoint);

  let closing: Promise<void> | undefined;
  return {
    ...listeningAddress(server, endpoint),
    server,
    close: async (closeOptions) => {
      // The port stays open until the calls in flight have finished, because the answers to their
      // questions arrive there.
      await handler.close(closeOptions);
      await (closing ??= shutDown(server, open));
    },
  };
}

/**
 * Builds a server and closes it again, so that a wrong definition, option, key or store ends the
 * process before the port opens, and not the first request. Its seal also finds the users of the
 * first requests.
 */
async function buildFirst(factory: McpServerFactory): Promise<void> {
  const server = await factory({ era: 'modern' });
  await server.close();
}

function atPath(path: string, listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.url?.split('?', 1)[0] === path) listener(request, response);
    else refuseTo(response, notFound);
  };
}

const notFound: HttpRefusal = { status: 404, code: -32_000, message: 'Not found' };

interface Endpoint {
  port: number;
  host: string;
  path: string;
}

/** Checks the options and fills in the defaults. */
function checkHttpOptions(options: ServeHttpOptions): {
  endpoint: Endpoint;
  handlerOptions: DualEraHandlerOptions;
} {
  const { port = 0, host = '127.0.0.1', path = '/mcp', ...handlerOptions } = options;
  if (typeof host !== 'string' || host === '') {
    throw new TypeError(
      `serveHttp(): \`host\` must be a host name or an IP address, got ${describe(host)}.`,
    );
  }
  if (typeof path !== 'string' || !/^\/[^?#\s]*$/.test(path)) {
    throw new TypeError(
      `serveHttp(): \`path\` must start with a slash and contain no '?', '#' or whitespace, got ${describe(path)}. Use a path such as '/mcp'.`,
    );
  }
  if (handlerOptions.allowedHosts === undefined && !LOOPBACK.includes(host)) {
    throw new TypeError(
      `serveHttp(): a server on '${host}' can be reached from other machines, so \`allowedHosts\` is required. Name the hosts that it serves, such as allowedHosts: ['mcp.example.com'], or set allowedHosts: 'any' if a proxy in front checks them.`,
    );
  }
  checkInteger(port, 'serveHttp(): `port`', { min: 0, max: 65_535 });
  return { endpoint: { port, host, path }, handlerOptions };
}

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '::1'];

async function listen(server: HttpServer, { port, host }: Endpoint): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new Error(listenFailure(cause, `${inUrl(host)}:${port}`), { cause });
  }
}

function listenFailure(cause: unknown, where: string): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') {
    return `${where} is already in use. Choose another port, or use port 0 for any free port.`;
  }
  return `Cannot listen on ${where}: ${cause instanceof Error ? cause.message : String(cause)}`;
}

/** Returns the address of a listening server, for a client on this machine. */
function listeningAddress(
  server: HttpServer,
  { host, path }: Endpoint,
): { url: URL; port: number } {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { url: new URL(`http://${inUrl(host)}:${address.port}${path}`), port: address.port };
}

/**
 * Returns the host in URL form. A wildcard address is not a destination, so loopback replaces it.
 */
function inUrl(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns the unfinished responses of a server. The set stays up to date. */
function watchResponses(server: HttpServer): ReadonlySet<ServerResponse> {
  const open = new Set<ServerResponse>();
  server.on('request', (_, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
  });
  return open;
}

/** Closes a server whose handler is closed. Resolves when the port is free. */
async function shutDown(server: HttpServer, open: ReadonlySet<ServerResponse>): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const finished = Promise.all([...open].map((response) => once(response, 'close')));
  const timer = new AbortController();
  await Promise.race([
    finished,
    delay(GRACE_MS, undefined, { signal: timer.signal }).catch(() => undefined),
  ]);
  timer.abort();
  server.closeAllConnections();
  await closed;
}

const GRACE_MS = 1000;
