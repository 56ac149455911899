/**
 * How the functions of a plan are called: which function, and where each of its parameters comes
 * from, in flat lists. A round reads them from front to back, so that the processor can read ahead
 * even in plans that are larger than its caches.
 */
import type { ResolverFn } from '../define/model.js';
import type { Fill, PlanNode } from './node.js';

/** What fills a parameter, if it is not the bare value of a node. */
export type Other = { readonly argument: string } | { readonly outcomeOf: number };

/** An order of nodes, whose calls are laid out. */
interface Order {
  readonly nodes: readonly PlanNode[];
  /** The first so many nodes are the guards and what they need. */
  readonly guardNodes: number;
  /** The parameters of the body. */
  readonly params: readonly Fill[];
}

/** The calls of a plan, in lists. */
export class CallLists {
  readonly functions: readonly ResolverFn[];
  readonly needCounts: readonly number[];
  /** Whether the value of each node is only passed on: it is not pinned, disposed of, or a guard's. */
  readonly isPassedOn: readonly boolean[];
  /** The names of all parameters, node by node; those of the body come last. */
  readonly params: string[] = [];
  /** For each parameter the node that fills it, or below zero what else does. */
  readonly sources: number[] = [];
  /** Where the parameters of each node end. */
  private readonly ends: number[] = [];
  private readonly others: Other[] = [];

  constructor({ nodes, guardNodes, params }: Order) {
    this.functions = nodes.map(({ resolver }) => resolver.fn);
    this.needCounts = nodes.map(({ fills }) => fills.length);
    this.isPassedOn = nodes.map(({ isPlain, index }) => isPlain && index >= guardNodes);
    for (const { args, fills } of nodes) {
      for (const { param, argument } of args) this.add(param, this.other({ argument }));
      this.addAll(fills);
    }
    this.addAll(params);
  }

  /** Where the parameters of a node begin, or those of the body, which comes after all nodes. */
  startOf(node: number): number {
    return node === 0 ? 0 : this.endOf(node - 1);
  }

  /** Where the parameters of a node end. */
  endOf(node: number): number {
    return this.ends[node] ?? 0;
  }

  /** What a source below zero stands for. */
  otherAt(source: number): Other | undefined {
    return this.others[-source - 1];
  }

  private addAll(fills: readonly Fill[]): void {
    for (const { param, source, wantsOutcome } of fills) {
      this.add(param, wantsOutcome ? this.other({ outcomeOf: source }) : source);
    }
    this.ends.push(this.params.length);
  }

  private add(param: string, source: number): void {
    this.params.push(param);
    this.sources.push(source);
  }

  private other(other: Other): number {
    return -this.others.push(other);
  }
}
