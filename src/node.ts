/**
 * The entry `mcp-resolve/node`: one server factory, served to clients of both protocol eras.
 *
 * Every line below is a promise: removing or renaming one is a breaking change. Nothing else is
 * public, whatever a file in `wire/serve/` exports for its neighbours.
 *
 * @module mcp-resolve/node
 */
export { serveHttp } from './wire/serve/http.js';
export type { HttpServerHandle, ServeHttpOptions } from './wire/serve/httpOptions.js';
export { serveStdio } from './wire/serve/stdio.js';
export type { ServeStdioOptions, StdioServerHandle } from './wire/serve/stdio.js';
export { createDualEraHandler } from './wire/serve/dualEra.js';
export type { DualEraHandler } from './wire/serve/dualEra.js';
export type { CloseOptions, DualEraHandlerOptions } from './wire/serve/handlerOptions.js';
export type { AuthenticateRequest } from './wire/serve/authenticate.js';
export type { NodeListener } from './wire/serve/nodeListener.js';
