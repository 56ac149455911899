/** A round, as far as the calls of its plan know it: what they take from it, and what they tell it. */
import type { CallContext } from '../define/context.js';

/** What a round has to fill parameters with. */
export interface Supply {
  /** The values of the nodes. */
  readonly given: readonly unknown[];
  argument(name: string): unknown;
  outcomeOf(node: number): unknown;
}

/** A round that passes nodes in walk order, as long as each gives a value at once. */
export interface Walk extends Supply {
  readonly given: unknown[];
  readonly ctx: CallContext;
  /** How many nodes have been passed, that which is being called included. */
  passed: number;
  /** Looks at what may not simply be a value; gives whether it is one, and begins what it is not. */
  settlesAtOnce(node: number, returned: unknown, questionsBefore: number): boolean;
}
