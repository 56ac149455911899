/**
 * The entry `mcp-resolve/eslint`. It finds mistakes with questions that the compiler cannot see.
 * Every export listed here is public API.
 *
 * @module mcp-resolve/eslint
 */
export { recommended } from './dev/lint/plugin.js';
