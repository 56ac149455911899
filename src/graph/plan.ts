/**
 * A plan: a graph of resolvers, checked and laid out flat for running. Nodes stand in the order in
 * which a sequential depth-first walk would run their functions, so every node comes after what it
 * needs.
 */
import { CallLists } from './callLists.js';
import { Calls } from './calls.js';
import { BODY } from './node.js';
import type { Fill, PlanNode } from './node.js';

/** What is planned, and the checked order of its graph. */
interface Order {
  /** The name of the tool, the prompt or the resource. */
  readonly name: string;
  readonly nodes: readonly PlanNode[];
  /** The first so many nodes are the guards and what they need: they finish before the others start. */
  readonly guardNodes: number;
  /** The first so many sequence numbers are theirs. */
  readonly guardSteps: number;
  /** The parameters of the body. */
  readonly params: readonly Fill[];
}

/** An order, laid out for running. */
export interface Plan extends Order {
  /** The first so many nodes are plain. */
  readonly plainNodes: number;
  /** The nodes that each node serves, in walk order. */
  readonly consumers: readonly (readonly number[])[];
  readonly calls: Calls;
}

/** Lays an order out. */
export function layOut({ name, nodes, guardNodes, guardSteps, params }: Order): Plan {
  const consumers = nodes.map(consumersOf);
  const firstSpecial = nodes.findIndex((node) => !node.isPlain);
  const plainNodes = firstSpecial === -1 ? nodes.length : firstSpecial;
  const calls = new Calls(new CallLists(nodes, params, plainNodes));
  return { name, nodes, guardNodes, guardSteps, params, consumers, plainNodes, calls };
}

const NOBODY: readonly number[] = [];

function consumersOf({ serves }: PlanNode): readonly number[] {
  const consumers = serves.map(({ consumer }) => consumer).filter((consumer) => consumer !== BODY);
  return consumers.length === 0 ? NOBODY : consumers;
}
