/**
 * How the functions of a plan are called: which function, and where each of its parameters comes
 * from, in flat lists. A round reads them from front to back, so that the processor can read ahead
 * even in plans that are larger than its caches.
 *
 * To store the members of an object by name, one after the other, is more than half of what a graph
 * of thirty would cost. So a plan that has run often gets functions that write theirs as literals
 * and call what they are for, and one that calls all that give their values at once. They are
 * compiled from text; where a runtime does not allow that, nothing changes but the time it takes.
 */
import type { CallContext } from '../define/context.js';
import type { ResolverFn } from '../define/model.js';
import { UNBOUND } from '../define/unbound.js';
import { compile } from './compile.js';
import type { Compiled, Layout, Other, Supply, Values, Walk } from './compile.js';
import type { Fill, PlanNode } from './node.js';
import { isWide, WideObjects } from './wide.js';

/** A plan has run often after so many rounds. */
const OFTEN = 100;
/** A plan with more functions and parameters than this is not compiled: it would take too long. */
const MANY = 1000;

/** The calls of a plan. */
export class Calls implements Layout {
  readonly functions: readonly ResolverFn[];
  readonly needCounts: readonly number[];
  readonly plain: readonly boolean[];
  readonly plainNodes: number;
  readonly consumers: Layout['consumers'];
  readonly params: string[] = [];
  readonly sources: number[] = [];
  readonly ends: number[] = [];
  readonly others: Other[] = [];
  /** The objects of the nodes that have very many parameters. */
  private readonly wide = new Map<number, WideObjects>();
  private rounds = 0;
  private compiled: Compiled | undefined = undefined;

  constructor(
    nodes: readonly PlanNode[],
    body: readonly Fill[],
    { plainNodes, consumers }: Pick<Layout, 'plainNodes' | 'consumers'>,
  ) {
    this.plainNodes = plainNodes;
    this.consumers = consumers;
    this.plain = nodes.map(({ isPlain }) => isPlain);
    this.functions = nodes.map(({ resolver }) => resolver.fn);
    this.needCounts = nodes.map(({ fills }) => fills.length);
    for (const { args, fills } of nodes) {
      for (const { param, argument } of args) this.add(param, this.other({ argument }));
      this.addAll(fills);
    }
    this.addAll(body);
  }

  /** Begins a round: gives a list for the values of its nodes. */
  beginRound(): unknown[] {
    return this.compiled === undefined ? this.beginEarlyRound() : this.compiled.blank();
  }

  /** How many needs each node has: a list of one's own, to count down in. */
  counts(): number[] {
    return this.compiled === undefined ? this.needCounts.slice() : this.compiled.counts();
  }

  /** Calls the function of a node. */
  call(node: number, supply: Supply, ctx: CallContext): unknown {
    const call = this.compiled?.calls[node];
    if (call === undefined) return this.callSlowly(node, supply, ctx);
    return call(supply.given, supply, ctx);
  }

  /** Passes all plain nodes at the front, if there is compiled code for it; gives whether there is. */
  pass(walk: Walk): boolean {
    this.compiled?.pass(walk);
    return this.compiled !== undefined;
  }

  /** Starts a node of a usual round, if there is compiled code for it; gives whether there is. */
  start(node: number, walk: Walk): boolean {
    const start = this.compiled?.starts[node];
    start?.(walk);
    return start !== undefined;
  }

  /** Follows a promise in a usual round, if there is compiled code for it; gives whether there is. */
  follow(node: number, walk: Walk, promise: Promise<unknown>): boolean {
    const follow = this.compiled?.follows[node];
    follow?.(walk, promise);
    return follow !== undefined;
  }

  /** What the body is called with. */
  bodyValues(supply: Supply): Values {
    if (this.compiled !== undefined) return this.compiled.bodyValues(supply.given, supply);
    return this.collect(this.functions.length, supply);
  }

  private beginEarlyRound(): unknown[] {
    this.rounds += 1;
    const isSmall = this.functions.length + this.params.length <= MANY;
    if (this.rounds === OFTEN && isSmall) this.compiled = compile(this);
    // Filled, because V8 would take it for a list of integers, and copy it for the first value that is none.
    return new Array<unknown>(this.functions.length).fill(undefined);
  }

  private callSlowly(node: number, supply: Supply, ctx: CallContext): unknown {
    return this.functions[node]?.call(UNBOUND, this.collect(node, supply), ctx);
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

  private collect(node: number, supply: Supply): Values {
    const { params, sources } = this;
    const { given } = supply;
    const start = this.startOf(node);
    const end = this.ends[node] ?? 0;
    const values = isWide(end - start) ? this.wideObject(node, start, end) : {};
    for (let at = start; at < end; at += 1) {
      const source = sources[at] ?? 0;
      values[params[at] ?? ''] = source < 0 ? this.fromOther(source, supply) : given[source];
    }
    return values;
  }

  private wideObject(node: number, start: number, end: number): Values {
    let objects = this.wide.get(node);
    if (objects === undefined) {
      objects = new WideObjects(this.params.slice(start, end));
      this.wide.set(node, objects);
    }
    return objects.make();
  }

  private startOf(node: number): number {
    return node === 0 ? 0 : (this.ends[node - 1] ?? 0);
  }

  private fromOther(source: number, supply: Supply): unknown {
    const other = this.others[-source - 1];
    if (other === undefined) return undefined;
    return 'argument' in other
      ? supply.argument(other.argument)
      : supply.outcomeOf(other.outcomeOf);
  }
}
