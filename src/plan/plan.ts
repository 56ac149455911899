/**
 * A plan: the resolvers of one definition, checked and ordered. The nodes have the order in which a
 * sequential depth-first walk would run them, so every node comes after its needs.
 *
 * The steps of that walk, filling a parameter or running a function, share one sequence of numbers.
 * Of two failures, the walk would have met the one with the lower number.
 */
import type { AnyResolver } from '../author/model.js';

/** A parameter that another node fills. */
export interface Fill {
  readonly param: string;
  /** The node that fills it. */
  readonly source: number;
  /** True if the consumer takes the outcome instead of the bare value. */
  readonly wantsOutcome: boolean;
  /** The step at which a sequential walk would fill it. */
  readonly seq: number;
  /** The node that has the parameter, or `BODY`. */
  readonly consumer: number;
}

/** A parameter that an argument of the tool fills. */
export interface ArgumentFill {
  readonly param: string;
  readonly argument: string;
  /** Set if a tool may lack the argument. */
  readonly optional?: true;
  /** Set if this tool lacks it. The parameter is `undefined`, whatever the client sends. */
  readonly absent?: true;
}

/** One resolver in a plan. */
export interface PlanNode {
  readonly index: number;
  readonly resolver: AnyResolver;
  /** The wire key of its question, unique in the plan. */
  readonly key: string;
  readonly args: readonly ArgumentFill[];
  readonly fills: readonly Fill[];
  /** The fills that take this node's value, in walk order. */
  readonly serves: readonly Fill[];
  /** The step at which a sequential walk would run its function. */
  readonly seq: number;
  /** The keys of its direct and indirect needs. Set only for a pinned node. */
  readonly upstream?: readonly string[];
}

/** A graph of resolvers, ready to run. */
export interface Plan {
  /** The name of the tool, prompt or resource. */
  readonly name: string;
  readonly nodes: readonly PlanNode[];
  /**
   * The number of nodes that guards need, including the guards. They come first and finish before
   * the others start.
   */
  readonly guardNodes: number;
  /** The number of sequence numbers that belong to guards. They come first. */
  readonly guardSteps: number;
  /** The guards, in their order. */
  readonly guards: readonly Fill[];
  /** The parameters of the body. */
  readonly params: readonly Fill[];
}

/** The index of the body as a consumer. Guards and parameters serve it. */
export const BODY = -1;

/**
 * Returns the keys of all nodes that the fills depend on, directly or indirectly, in walk order.
 */
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
