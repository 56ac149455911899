/**
 * Serves a server factory over standard input and output, to a client of either era.
 *
 * The SDK decides the era by the client's first message and keeps it for the connection. This file
 * adds the same checks of the factory that the other serving functions have.
 */
import { serveStdio as serveStdioWithSdk } from '@modelcontextprotocol/server/stdio';
import type { ServeStdioOptions, StdioServerHandle } from '@modelcontextprotocol/server/stdio';

import type { ServerFactory } from '../host/sdkInternals.js';
import { checkArguments, checkProducts } from './argumentChecks.js';

export type { ServeStdioOptions, StdioServerHandle };

/**
 * Serves a server factory over stdio, to legacy and modern clients.
 *
 * The connection ends when the client disconnects, or when you call `close()` on the returned
 * handle. Standard output belongs to the protocol, so write logs to standard error.
 *
 * @example
 *
 * ```ts
 * serveStdio(() => buildServer());
 * ```
 *
 * @throws {TypeError} If `factory` is not a function.
 */
export function serveStdio(
  factory: ServerFactory,
  options: ServeStdioOptions = {},
): StdioServerHandle {
  checkArguments(factory, options, 'serveStdio');
  return serveStdioWithSdk(checkProducts(factory), options);
}
