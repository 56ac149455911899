/**
 * The options of `serveHttp`, checked and completed.
 *
 * In: what the author wrote. Out: every setting with its default, or a `TypeError` with a sentence.
 * The defaults are for a server on the author's own machine: loopback only, and only pages of that
 * machine may reach it. A server that others can reach has to name the hosts it answers for.
 *
 * @module
 */
import {
  type AuthInfo,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
} from '@modelcontextprotocol/server';
import type { Server as HttpServer } from 'node:http';

import { checkWholeNumber, describe } from './check.js';
import type { DualEraHandlerOptions } from './dualEra.js';

/**
 * Decides who is asking. It gets a copy of the request and returns the validated token; `undefined`
 * refuses the request with HTTP 401, a `Response` refuses it with that answer. The gate made by the
 * SDK's `requireBearerAuth` fits as it is.
 */
export type AuthenticateRequest = (
  request: Request,
) => AuthInfo | Response | undefined | Promise<AuthInfo | Response | undefined>;

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
  /**
   * The host names, without port, that requests may be addressed to: what protects a local server
   * from web pages that make their own name point to it. `'any'` leaves the check to a proxy in
   * front. Required when `host` is not a loopback address.
   *
   * @defaultValue localhost, 127.0.0.1 and [::1]
   */
  allowedHosts?: readonly string[] | 'any';
  /**
   * The host names, without scheme and port, of web pages that may send requests. Programs that are
   * no browser send no Origin and are not affected.
   *
   * @defaultValue the names in `allowedHosts`
   */
  allowedOrigins?: readonly string[];
  /** Who may use the server, and as whom. Without it everybody may, as nobody in particular. */
  authenticate?: AuthenticateRequest;
}

/** A running HTTP server. */
export interface HttpServerHandle {
  /** The address of the endpoint, for clients. */
  readonly url: URL;
  /** The port it listens on, also when 0 was asked for. */
  readonly port: number;
  /** The server of `node:http` underneath. */
  readonly server: HttpServer;
  /** Ends every session, stream and connection, and resolves when the port is free again. */
  close(): Promise<void>;
}

/** The settings `serveHttp` works with. */
export interface HttpSettings {
  port: number;
  host: string;
  path: string;
  /** Undefined: any host. */
  allowedHosts: string[] | undefined;
  allowedOrigins: string[];
  authenticate: AuthenticateRequest | undefined;
  handlerOptions: DualEraHandlerOptions;
}

/**
 * Completes the options with their defaults.
 *
 * @throws TypeError when one of them cannot be meant.
 */
export function httpSettings(options: ServeHttpOptions): HttpSettings {
  const { port = 0, host = '127.0.0.1', path = '/mcp', ...more } = options;
  const { allowedHosts, allowedOrigins, authenticate, ...handlerOptions } = more;
  if (typeof host !== 'string' || host === '') {
    throw new TypeError(`The option 'host' must be an address, not ${describe(host)}.`);
  }
  if (typeof path !== 'string' || !/^\/[^?#\s]*$/.test(path)) {
    throw new TypeError(
      `The option 'path' must start with a slash, like '/mcp', not ${describe(path)}.`,
    );
  }
  if (authenticate !== undefined && typeof authenticate !== 'function') {
    throw new TypeError(
      `The option 'authenticate' must be a function, not ${describe(authenticate)}.`,
    );
  }
  const hosts = hostsOf(allowedHosts, host);
  return {
    port: checkWholeNumber(port, 'port', { min: 0, max: 65_535 }),
    host,
    path,
    allowedHosts: hosts,
    allowedOrigins: allowedOrigins
      ? names(allowedOrigins, 'allowedOrigins')
      : (hosts ?? localhostAllowedOrigins()),
    authenticate,
    handlerOptions,
  };
}

function hostsOf(
  allowedHosts: ServeHttpOptions['allowedHosts'],
  host: string,
): string[] | undefined {
  if (allowedHosts === 'any') return undefined;
  if (allowedHosts !== undefined) return names(allowedHosts, 'allowedHosts');
  if (['127.0.0.1', 'localhost', '::1'].includes(host)) return localhostAllowedHostnames();
  throw new TypeError(
    `A server on '${host}' can be reached from other machines: name the hosts it answers for, like allowedHosts: ['mcp.example.com'], or allowedHosts: 'any' when a proxy in front checks them.`,
  );
}

/** The names as the SDK compares them; an entry with scheme or port would silently never match. */
function names(list: readonly string[], option: string): string[] {
  if (!Array.isArray(list)) {
    throw new TypeError(`The option '${option}' must be a list of names, not ${describe(list)}.`);
  }
  return list.map((name: unknown) => {
    if (typeof name === 'string' && HOSTNAME.test(name)) return name.toLowerCase();
    throw new TypeError(
      `The option '${option}' takes host names without scheme and port, like 'example.com' or '[::1]', not ${describe(name)}.`,
    );
  });
}

// A name, an IPv6 address in brackets, or all origins of a scheme other than http(s).
const HOSTNAME = /^([^\s:/[\]]+|\[[0-9a-f:.]+\]|(?!https?:)[a-z][a-z0-9+.-]*:\/\/\*)$/i;
