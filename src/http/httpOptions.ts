/**
 * The options of `serveHttp`, checked and completed.
 *
 * In: what the author wrote. Out: every setting with its default, or a `TypeError` with a sentence.
 * The defaults are for a server on the author's own machine: loopback only, and only pages of that
 * machine may reach it. A server that others can reach has to name the hosts it answers for.
 */
import type { Server as HttpServer } from 'node:http';

import { checkWholeNumber, describe } from './argumentChecks.js';
import type { CloseOptions, DualEraHandlerOptions } from './handlerOptions.js';

/** The options of `serveHttp`. */
export interface ServeHttpOptions extends DualEraHandlerOptions {
  /**
   * The port to listen on; 0 takes any free one.
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
   * The path of the endpoint; every other path is answered with 404.
   *
   * @defaultValue '/mcp'
   */
  path?: string;
}

/** A running HTTP server. */
export interface HttpServerHandle {
  /** The address of the endpoint, for clients. */
  readonly url: URL;
  /** The port it listens on, also when 0 was asked for. */
  readonly port: number;
  /** The server of `node:http` underneath. */
  readonly server: HttpServer;
  /**
   * Refuses new requests with HTTP 503 while calls in flight finish, then ends every session,
   * stream and connection, and resolves when the port is free again.
   */
  readonly close: (options?: CloseOptions) => Promise<void>;
}

/** The settings `serveHttp` works with. */
export interface HttpSettings {
  port: number;
  host: string;
  path: string;
  handlerOptions: DualEraHandlerOptions;
}

/**
 * Completes the options with their defaults.
 *
 * @throws {TypeError} If one of them cannot be meant.
 */
export function httpSettings(options: ServeHttpOptions): HttpSettings {
  const { port = 0, host = '127.0.0.1', path = '/mcp', ...handlerOptions } = options;
  if (typeof host !== 'string' || host === '') {
    throw new TypeError(`The option 'host' must be an address, not ${describe(host)}.`);
  }
  if (typeof path !== 'string' || !/^\/[^?#\s]*$/.test(path)) {
    throw new TypeError(
      `The option 'path' must start with a slash, like '/mcp', not ${describe(path)}.`,
    );
  }
  if (handlerOptions.allowedHosts === undefined && !LOOPBACK.includes(host)) {
    throw new TypeError(
      `A server on '${host}' can be reached from other machines: name the hosts it answers for, like allowedHosts: ['mcp.example.com'], or allowedHosts: 'any' when a proxy in front checks them.`,
    );
  }
  return {
    port: checkWholeNumber(port, 'port', { min: 0, max: 65_535 }),
    host,
    path,
    handlerOptions,
  };
}

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '::1'];
