/**
 * The entry `mcp-resolve/node`: one server factory, served to clients of both protocol eras.
 *
 * Every line below is a promise: removing or renaming one is a breaking change. Nothing else is
 * public, whatever a file in `http/` exports for its neighbours.
 *
 * @module mcp-resolve/node
 */
export { serveHttp } from './http/http.js';
export type { HttpServerHandle, ServeHttpOptions } from './http/httpOptions.js';
export { serveStdio } from './http/stdio.js';
export type { ServeStdioOptions, StdioServerHandle } from './http/stdio.js';
export { createDualEraHandler } from './http/dualEra.js';
export type { DualEraHandler } from './http/dualEra.js';
export type { CloseOptions, DualEraHandlerOptions } from './http/handlerOptions.js';
export type { AuthenticateRequest } from './http/authenticate.js';
export type { NodeListener } from './http/nodeListener.js';
