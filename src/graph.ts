/**
 * The entry `mcp-resolve/graph`. It explains a definition before its first call, as data, text or
 * pictures. Every export listed here is public API.
 *
 * @module mcp-resolve/graph
 */
export { explain } from './dev/graph/explain.js';
export type { ExplainOptions } from './dev/graph/explain.js';
export type { ExplainFormat } from './dev/graph/format.js';
export type {
  ExplainedArgument,
  ExplainedCapability,
  ExplainedNeed,
  ExplainedParameter,
  ExplainedQuestion,
  ExplainedResolver,
  ExplainedUse,
  Explanation,
} from './dev/graph/explanation.js';
