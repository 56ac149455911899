/**
 * A plan: the resolvers of one definition, checked and put in order. Nodes stand in the order in
 * which a sequential depth-first walk would run them, so every node comes after what it needs.
 *
 * One sequence number counts everything that such a walk does in turn: filling a parameter, running
 * a function. Of two failures, the walk would have met the one with the lower number.
 */
import type { AnyResolver } from '../define/model.js';

/** A parameter that is filled from another node. */
export interface Fill {
  readonly param: string;
  /** The node that fills it. */
  readonly source: number;
  /** True if the consumer takes the outcome instead of the bare value. */
  readonly wantsOutcome: boolean;
  /** The step at which a sequential walk would fill it. */
  readonly seq: number;
  /** The node whose parameter it is, or `BODY`. */
  readonly consumer: number;
}

/** A parameter that is filled from an argument of the tool. */
export interface ArgumentFill {
  readonly param: string;
  readonly argument: string;
}

/** One resolver in a plan. */
export interface PlanNode {
  readonly index: number;
  readonly resolver: AnyResolver;
  /** The name of its question on the wire; unique in the plan. */
  readonly key: string;
  readonly args: readonly ArgumentFill[];
  readonly fills: readonly Fill[];
  /** The fills that this node serves, in walk order. */
  readonly serves: readonly Fill[];
  /** The step at which a sequential walk would run its function. */
  readonly seq: number;
  /** The keys of everything it needs, directly or not. Only a pinned node has them. */
  readonly upstream?: readonly string[];
}

/** A graph of resolvers, ready to run. */
export interface Plan {
  /** The name of the tool, the prompt or the resource. */
  readonly name: string;
  readonly nodes: readonly PlanNode[];
  /** The first so many nodes are the guards and what they need. They finish before the others start. */
  readonly guardNodes: number;
  /** The first so many sequence numbers are those of the guards. */
  readonly guardSteps: number;
  /** The parameters of the body. */
  readonly params: readonly Fill[];
}

/** The consumer that is not a node: the body. Guards and parameters serve it. */
export const BODY = -1;

/** Returns the keys of all nodes that some fills depend on, directly or not, in walk order. */
export function upstreamKeys(nodes: readonly PlanNode[], fills: readonly Fill[]): string[] {
  const found = new Set<number>();
  const todo = fills.map(({ source }) => source);
  for (const index of todo) {
    if (found.has(index)) continue;
    found.add(index);
    for (const { source } of nodes[index]?.fills ?? []) todo.push(source);
  }
  return [...found].sort((a, b) => a - b).map((index) => nodes[index]?.key ?? '');
}
