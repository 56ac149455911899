/**
 * Creates a plan in which test values replace some resolvers. Resolvers that only the replaced ones
 * need are left out and do not run. Keys and sequence numbers stay the same, so questions keep
 * their names and the first failure does not change.
 */
import type { AnyResolver } from '../../author/model.js';
import { BODY, upstreamKeys } from '../../plan/plan.js';
import type { Fill, Plan, PlanNode } from '../../plan/plan.js';
import type { Override } from './override.js';

/**
 * Applies overrides to a plan.
 *
 * @throws {TypeError} If the plan does not use an overridden resolver, or one is overridden twice.
 */
export function overridePlan(plan: Plan, overrides: readonly Override[]): Plan {
  if (overrides.length === 0) return plan;
  const stand = standIns(plan, overrides);
  const kept = keptNodes(plan, stand);
  const placeOf = new Map(kept.map((node, place) => [node.index, place]));
  const moved = (fill: Fill): Fill => ({
    ...fill,
    source: placeOf.get(fill.source) ?? BODY,
    consumer: placeOf.get(fill.consumer) ?? BODY,
  });
  const isWanted = ({ consumer }: Fill): boolean =>
    consumer === BODY || (placeOf.has(consumer) && !stand.has(consumer));
  const nodes: PlanNode[] = [];
  for (const { upstream, ...node } of kept) {
    const standIn = stand.get(node.index);
    const fills = standIn === undefined ? node.fills.map(moved) : [];
    nodes.push({
      ...node,
      index: nodes.length,
      resolver: standIn ?? node.resolver,
      args: standIn === undefined ? node.args : [],
      fills,
      serves: node.serves.filter(isWanted).map(moved),
      ...(upstream !== undefined && { upstream: upstreamKeys(nodes, fills) }),
    });
  }
  const guardNodes = kept.filter(({ index }) => index < plan.guardNodes).length;
  const [guards, params] = [plan.guards.map(moved), plan.params.map(moved)];
  return { ...plan, nodes, guardNodes, guards, params };
}

/** Returns the replacements of the overridden nodes, by index. */
function standIns(plan: Plan, overrides: readonly Override[]): Map<number, AnyResolver> {
  const stand = new Map<number, AnyResolver>();
  for (const [place, { resolver, give }] of overrides.entries()) {
    const node = plan.nodes.find((one) => one.resolver === resolver);
    if (node === undefined) throw new TypeError(notUsed(plan, resolver, place));
    if (stand.has(node.index)) {
      throw new TypeError(
        `\`overrides\` replaces resolver '${node.key}' of '${plan.name}' twice. Remove one of the two overrides.`,
      );
    }
    const { name, pin } = resolver.options;
    stand.set(node.index, {
      ...resolver,
      needs: {},
      fn: (_values, ctx) => give(ctx),
      options: { ...(name !== undefined && { name }), ...(pin !== undefined && { pin }) },
    });
  }
  return stand;
}

/**
 * Returns the nodes that the body and the guards still need. Walks backwards, because consumers
 * come after their needs.
 */
function keptNodes({ nodes }: Plan, stand: ReadonlyMap<number, unknown>): readonly PlanNode[] {
  const needed = new Set<number>([BODY]);
  for (const { index, serves } of [...nodes].reverse()) {
    const isNeeded = serves.some(({ consumer }) => needed.has(consumer) && !stand.has(consumer));
    if (isNeeded) needed.add(index);
  }
  return nodes.filter(({ index }) => needed.has(index));
}

function notUsed({ name, nodes }: Plan, resolver: AnyResolver, place: number): string {
  const called = resolver.options.name === undefined ? '' : ` ('${resolver.options.name}')`;
  const used = nodes.map(({ key }) => `'${key}'`).join(', ') || 'none';
  return `\`overrides[${place}]\` replaces a resolver${called} that '${name}' does not use. It uses ${used}. Overrides match by identity, so import the same resolver object that the definition uses.`;
}
