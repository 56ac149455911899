/** A round, as far as the calls of its plan know it: what they take from it, and what they tell it. */
import type { CallContext } from '../define/context.js';

/** What a round has to fill parameters with. */
export interface Supply {
  /** The values of the nodes. */
  readonly given: readonly unknown[];
  argument(name: string): unknown;
  outcomeOf(node: number): unknown;
}

/** What the nodes of a round still need, and which of them are awaited. */
export interface Counts {
  /** Whether it is the turn of others than those who are awaited: of the queue, or of the end. */
  readonly isDue: boolean;
  beginWaiting(node: number): void;
  /** Ends the waiting for a node; gives whether it was awaited. */
  endWaiting(node: number): boolean;
  /** Notes that one need of a node is there; gives whether it was the last. */
  serve(consumer: number): boolean;
  enqueue(node: number): void;
}

/** A round that passes nodes in walk order, and goes on when what they gave arrives. */
export interface Walk extends Supply {
  readonly given: unknown[];
  readonly ctx: CallContext;
  /** The nodes before this one have been passed: they start as soon as their needs are there. */
  passed: number;
  /** There from the first node on that has to be awaited. */
  readonly needs: Counts | undefined;
  /**
   * Whether a value has only to be passed on. Once that is not so, because somebody watches, or a
   * node has failed or is pinned or made a question that is lost, it never is again.
   */
  readonly isUsual: boolean;
  /** Looks at what may not simply be a value; gives whether it is one, and begins what it is not. */
  settlesAtOnce(node: number, returned: unknown, questionsBefore: number): boolean;
  /** Starts a node for which there is no compiled code, or where the round is not usual. */
  startSlowly(node: number): void;
  /** Takes what may not simply be a value. */
  took(node: number, returned: unknown, questionsBefore: number): void;
  threw(node: number, error: unknown, questionsBefore: number): void;
  /** Takes what came later and may not simply be a value, or for which nobody waits any more. */
  arrive(node: number, value: unknown): void;
  broke(node: number, error: unknown): void;
  /** Works off the queue, and ends the round where nothing is awaited. */
  goOn(): void;
}
