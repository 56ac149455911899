/**
 * The entry `mcp-resolve/graph`: a definition explained before its first call, as data, as text and
 * as pictures. A line here is a promise.
 *
 * @module mcp-resolve/graph
 */
export { explain } from './workbench/graph/explain.js';
export type { ExplainOptions } from './workbench/graph/explain.js';
export { explainText } from './workbench/graph/text.js';
export type { ExplainTextOptions } from './workbench/graph/text.js';
export { explainMermaid } from './workbench/graph/mermaid.js';
export { explainSvg } from './workbench/graph/svg.js';
export type {
  ExplainedArgument,
  ExplainedCapability,
  ExplainedNeed,
  ExplainedParameter,
  ExplainedQuestion,
  ExplainedResolver,
  ExplainedUse,
  Explanation,
} from './workbench/graph/explanation.js';
