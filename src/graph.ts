/**
 * The entry `mcp-resolve/graph`. It explains a definition before its first call, as data, text or
 * pictures. Every export listed here is public API.
 *
 * @module mcp-resolve/graph
 */
export { explain } from './dev/graph/explain.js';
export type { ExplainOptions } from './dev/graph/explain.js';
export { explainText } from './dev/graph/text.js';
export type { ExplainTextOptions } from './dev/graph/text.js';
export { explainMermaid } from './dev/graph/mermaid.js';
export { explainSvg } from './dev/graph/svg.js';
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
