/** Graphs that only wait. Their duration shows whether independent resolvers run concurrently. */
import { setTimeout as wait } from 'node:timers/promises';
import { resolver, type AnyResolver, type Need } from 'mcp-resolve';
import { planResolvers, resolveArguments } from 'mcp-resolve/engine';

import { seeded } from '../measure/statistics.js';
import { CONTEXT } from './context.js';

/** A graph that waits, and the waits on its critical path. */
export interface Waiting {
  readonly run: () => Promise<unknown>;
  readonly critical: readonly number[];
}

/** Creates a resolver that waits after its needs have settled. */
function waiter(ms: number, needs: Readonly<Record<string, Need>>): AnyResolver {
  return resolver(needs, () => wait(ms, ms));
}

function waiting(top: AnyResolver, critical: readonly number[]): Waiting {
  const plan = planResolvers({ name: 'wait', resolve: { top } }, []);
  const options = { ctx: CONTEXT, protocolVersion: '2026-07-28', clientCapabilities: {} };
  return { critical, run: () => resolveArguments(plan, {}, options) };
}

/** Creates this many independent resolvers, and one that needs all of them. */
export function sideBySide(count: number, ms: number): Waiting {
  const parts = Array.from({ length: count }, (_, index): [string, AnyResolver] => [
    `part${index}`,
    waiter(ms, {}),
  ]);
  const top = resolver(Object.fromEntries(parts), () => count);
  return waiting(top, [ms]);
}

interface Node {
  readonly made: AnyResolver;
  /** The waits on the longest path to this node. */
  readonly path: readonly number[];
}

const total = (path: readonly number[]): number => path.reduce((sum, ms) => sum + ms, 0);
const longest = (nodes: readonly Node[]): readonly number[] =>
  nodes.reduce<readonly number[]>(
    (best, { path }) => (total(path) > total(best) ? path : best),
    [],
  );

/** Creates this many resolvers. Each needs up to three of those before it. */
export function randomGraph(count: number, seed: number): Waiting {
  const random = seeded(seed);
  const nodes: Node[] = [];
  for (let index = 0; index < count; index += 1) {
    const needed = nodes.filter(() => random() < 2 / Math.max(1, index)).slice(-3);
    const ms = 2 + Math.floor(random() * 14);
    nodes.push({ made: waiter(ms, needsOf(needed)), path: [...longest(needed), ms] });
  }
  return waiting(
    resolver(needsOf(nodes), () => count),
    longest(nodes),
  );
}

const needsOf = (nodes: readonly Node[]): Record<string, Need> =>
  Object.fromEntries(nodes.map(({ made }, index) => [`need${index}`, made]));

/** Waits one after the other, without a graph. */
export async function waitFor(path: readonly number[]): Promise<void> {
  for (const ms of path) await wait(ms);
}
