/**
 * `mcp-resolve/engine`: the two steps alone, for authors of frameworks. Plan a graph once, then
 * resolve the arguments of each request. A line here is a promise.
 *
 * @module mcp-resolve/engine
 */
export { planResolvers } from './wire/definition/planResolvers.js';
export { resolveArguments } from './wire/call/resolveArguments.js';
export type { PlanSpec } from './graph/build.js';
export type { ArgumentFill, Fill, Plan, PlanNode } from './graph/plan.js';
export type { Resolution, Resolved, ResolveOptions } from './wire/call/resolveArguments.js';
