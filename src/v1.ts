/**
 * The entry `mcp-resolve/v1`: installs definitions on servers of `@modelcontextprotocol/sdk` 1.x.
 * Every export listed here is public API.
 *
 * @module mcp-resolve/v1
 */
export { install } from './host/installV1.js';
export type { InstallV1Options } from './host/serverV1.js';
