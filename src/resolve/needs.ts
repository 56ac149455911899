/**
 * What the nodes of a round still need, and which of them are awaited.
 *
 * Nothing is counted before a node has to be awaited: as long as each settles at once, the next one
 * in walk order has all it needs, and most rounds end like that.
 */
import { BODY } from '../graph/plan.js';
import type { Plan, PlanNode } from '../graph/plan.js';

/** In the place of a count: the node has begun, and it is or is not awaited. */
const AWAITED = -1;
const BEGUN = -2;

/** The counts of one round. */
export class Needs {
  private left: number[] | undefined;
  private waiting = 0;

  constructor(private readonly plan: Plan) {}

  get areCounted(): boolean {
    return this.left !== undefined;
  }

  /** Whether any node is awaited. */
  get awaitsAny(): boolean {
    return this.waiting > 0;
  }

  /** Begins to count, at the first node that may have to be awaited: all before it have settled. */
  countFrom({ index }: PlanNode): void {
    if (this.left !== undefined) return;
    const { nodes, needCounts } = this.plan;
    const left = needCounts.slice();
    for (let before = 0; before < index; before += 1) {
      left[before] = BEGUN;
      for (const { consumer } of nodes[before]?.serves ?? []) {
        if (consumer !== BODY) left[consumer] = (left[consumer] ?? 0) - 1;
      }
    }
    left[index] = BEGUN;
    this.left = left;
  }

  /** Whether a node that has not begun has all it needs. */
  areThere({ index }: PlanNode): boolean {
    return this.left?.[index] === 0;
  }

  begin({ index }: PlanNode): void {
    if (this.left !== undefined) this.left[index] = BEGUN;
  }

  beginWaiting({ index }: PlanNode): void {
    if (this.left !== undefined) this.left[index] = AWAITED;
    this.waiting += 1;
  }

  /** Does nothing for a node that is not awaited. */
  endWaiting({ index }: PlanNode): void {
    if (this.left?.[index] !== AWAITED) return;
    this.left[index] = BEGUN;
    this.waiting -= 1;
  }

  isAwaited({ index }: PlanNode): boolean {
    return this.left?.[index] === AWAITED;
  }

  /** Notes that one need of a node is there; gives whether it was the last. */
  serve(consumer: number): boolean {
    if (this.left === undefined) return false;
    const left = (this.left[consumer] ?? 0) - 1;
    this.left[consumer] = left;
    return left === 0;
  }
}
