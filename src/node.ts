/**
 * The entry `mcp-resolve/node`: one server factory, served to clients of both protocol eras.
 *
 * Every line below is a promise: removing or renaming one is a breaking change. Nothing else is
 * public, whatever a file in `http/` exports for its neighbours.
 *
 * @module mcp-resolve/node
 */
export { serveHttp } from './http/serveHttp.js';
export type { HttpServerHandle, ServeHttpOptions } from './http/serveHttp.js';
export { serveStdio } from './http/serveStdio.js';
export type { ServeStdioOptions, StdioServerHandle } from './http/serveStdio.js';
export { createDualEraHandler } from './http/dualEraHandler.js';
export type { DualEraHandler } from './http/dualEraHandler.js';
export type { CloseOptions, DualEraHandlerOptions } from './http/handlerOptions.js';
export type { AuthenticateRequest } from './http/admission.js';
export type { NodeListener } from './http/nodeListener.js';
