/**
 * The entry `mcp-resolve/engine`, for framework authors. Plan a graph once, then resolve the
 * arguments of each request. Every export listed here is public API.
 *
 * @module mcp-resolve/engine
 */
export { planResolvers } from './plan/planResolvers.js';
export { resolveArguments } from './call/resolveArguments.js';
export type { PlanSpec } from './plan/buildPlan.js';
export type { Plan } from './plan/plan.js';
export type { Resolution, Resolved, ResolveOptions } from './call/resolveArguments.js';
