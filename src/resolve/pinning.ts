/**
 * The pinned values of one round: restored from an earlier one, or computed and carried on. What
 * was answered below a value that is computed anew was answered on top of another one, and does not
 * count.
 */
import type { PlanNode } from '../graph/node.js';
import type { Plan } from '../graph/plan.js';
import { andThen } from '../platform.js';
import type { Asker } from './asking.js';
import { pinned } from './pin.js';
import type { RoundInput } from './roundInput.js';

/** The round that pins. */
export interface Pinner extends Pick<Asker, 'follow' | 'settleValue'> {
  /** Runs the function of a node. */
  compute(node: PlanNode): void;
}

/** What is pinned in one round. */
export class Pinning {
  /** The nodes whose value was pinned in this round, and those that stand on one. */
  private readonly fresh = new Set<number>();

  constructor(
    private readonly pinner: Pinner,
    private readonly plan: Plan,
    private readonly input: RoundInput,
  ) {}

  /** Gives a node the value of an earlier round, or has it computed: what it needs has run by now. */
  restore(node: PlanNode): void {
    this.pinner.follow(node, this.input.ledger.restore(node), {
      next: (restored) => {
        if (restored === undefined) {
          this.pinner.compute(node);
          return;
        }
        this.input.watch?.({ type: 'restored', resolver: node.key, value: restored.value });
        this.pinner.settleValue(node, restored.value);
      },
    });
  }

  /** Carries a value on; consumers get it as they will in later rounds. */
  pin(node: PlanNode, computed: unknown): void {
    const carried = andThen(pinned(node, computed), ({ json, value }) =>
      andThen(this.input.ledger.pin(node, json), () => value),
    );
    this.pinner.follow(node, carried, {
      next: (value) => {
        this.fresh.add(node.index);
        this.pinner.settleValue(node, value);
      },
    });
  }

  /** Notes who needs a node: what stands on a fresh value is fresh. */
  noteConsumer({ index }: PlanNode, consumer: number): void {
    const node = this.plan.nodes[consumer];
    if (node === undefined || !this.fresh.has(index) || this.fresh.has(consumer)) return;
    this.fresh.add(consumer);
    this.input.ledger.forget(node.key);
  }
}
