/**
 * How the functions of a plan are called: which function, and where each of its parameters comes
 * from, in flat lists. A round reads them from front to back, so that the processor can read ahead
 * even in plans that are larger than its caches.
 */
import type { ResolverFn } from '../define/model.js';
import type { Fill, PlanNode } from './node.js';

/** What fills a parameter, if it is not the bare value of a node. */
export type Other = { readonly argument: string } | { readonly outcomeOf: number };

/** The calls of a plan, in lists. */
export class CallLists {
  readonly functions: readonly ResolverFn[];
  readonly needCounts: readonly number[];
  /** The names of all parameters, node by node; those of the body come last. */
  readonly params: string[] = [];
  /** For each parameter the node that fills it, or below zero what else does. */
  readonly sources: number[] = [];
  /** Where the parameters of each node end. */
  private readonly ends: number[] = [];
  private readonly others: Other[] = [];

  /** The first `plainNodes` are plain. */
  constructor(
    nodes: readonly PlanNode[],
    body: readonly Fill[],
    readonly plainNodes: number,
  ) {
    this.functions = nodes.map(({ resolver }) => resolver.fn);
    this.needCounts = nodes.map(({ fills }) => fills.length);
    for (const { args, fills } of nodes) {
      for (const { param, argument } of args) this.add(param, this.other({ argument }));
      this.addAll(fills);
    }
    this.addAll(body);
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
