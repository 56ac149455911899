/**
 * Finds the chain of resolvers that can take the most rounds of questions. A question waits for the
 * answers that its resolver needs. All open questions are sent together. Guards finish before
 * anything else starts, so their chain is added.
 */
import type { Plan, PlanNode } from '../../plan/plan.js';

/**
 * Returns the longest chain of nodes that ask, in the order in which they ask. `roundsOf` returns
 * the number of rounds that the questions of a node can take, or 0 if it does not ask.
 */
export function longestChain(
  { nodes, guardNodes }: Plan,
  roundsOf: (node: PlanNode) => number,
): readonly PlanNode[] {
  const links: (Link | undefined)[] = [];
  for (const node of nodes) {
    // The questions of guards are answered before the other resolvers start.
    const phase = node.index < guardNodes ? 0 : guardNodes;
    const before = node.fills
      .filter(({ source }) => source >= phase)
      .reduce<Link | undefined>((longest, { source }) => longer(longest, links[source]), undefined);
    const rounds = roundsOf(node);
    links.push(rounds === 0 ? before : { node, before, length: lengthOf(before) + rounds });
  }
  const guards = links.slice(0, guardNodes).reduce(longer, undefined);
  const others = links.slice(guardNodes).reduce(longer, undefined);
  return [...nodesOf(guards), ...nodesOf(others)];
}

/** The last node of a chain, linked to the nodes before it. */
interface Link {
  readonly node: PlanNode;
  readonly before: Link | undefined;
  /** The number of rounds that the chain can take. */
  readonly length: number;
}

function longer(one: Link | undefined, other: Link | undefined): Link | undefined {
  return lengthOf(other) > lengthOf(one) ? other : one;
}

function lengthOf(link: Link | undefined): number {
  return link?.length ?? 0;
}

function nodesOf(end: Link | undefined): PlanNode[] {
  const nodes: PlanNode[] = [];
  for (let link = end; link !== undefined; link = link.before) nodes.push(link.node);
  return nodes.reverse();
}
