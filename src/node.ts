/**
 * The entry `mcp-resolve/node`. It serves one server factory to clients of both protocol eras.
 *
 * Every export listed here is public API; removing or renaming one is a breaking change. Other
 * exports of `http/` are internal.
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
