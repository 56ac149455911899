/**
 * One resolver in a plan, and the parameters that it fills and has filled. One sequence number
 * counts everything that a sequential walk does in turn, fills and runs alike: of two failures the
 * one with the lower number is the one that the walk would have met.
 */
import type { AnyResolver } from '../define/model.js';

/** A parameter that is filled from another node. */
export interface Fill {
  readonly param: string;
  /** The node that fills it. */
  readonly source: number;
  /** Whether the consumer takes the outcome, rather than the bare value. */
  readonly wantsOutcome: boolean;
  /** When a sequential walk would fill it. */
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
  /** Whether its value is neither pinned nor disposed of. */
  readonly isPlain: boolean;
  /** The name of its question on the wire; unique in the plan. */
  readonly key: string;
  readonly args: readonly ArgumentFill[];
  readonly fills: readonly Fill[];
  /** The fills that this node serves, in walk order. */
  readonly serves: readonly Fill[];
  /** When a sequential walk would run its function. */
  readonly seq: number;
  /** The keys of all that it needs, over however many steps; only for one that is pinned. */
  readonly upstream?: readonly string[];
}

/** The consumer that is not a node: the body, which takes what all guards and parameters give. */
export const BODY = -1;

/** Whether the value of a resolver is neither pinned nor disposed of. */
export function isPlain({ options }: AnyResolver): boolean {
  return options.pin === undefined && options.dispose === undefined;
}

/** Whether the value of a node is pinned. */
export function isPinned({ resolver }: PlanNode): boolean {
  return resolver.options.pin !== undefined;
}
