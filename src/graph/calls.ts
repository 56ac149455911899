/**
 * The calls of a plan, from its lists or by compiled code.
 *
 * To store the members of an object by name, one after the other, is more than half of what a graph
 * of thirty would cost. So a plan that has run often is compiled; where a runtime does not allow
 * that, nothing changes but the time it takes.
 */
import { kindOf } from '../define/brand.js';
import type { CallContext } from '../define/context.js';
import { anyQuestionMade } from '../define/question.js';
import { UNBOUND } from '../define/unbound.js';
import type { CallLists } from './callLists.js';
import { compile } from './compile.js';
import type { Compiled, Values } from './compile.js';
import type { Supply, Walk } from './walk.js';
import { isWide, WideObjects } from './wide.js';

/** A plan has run often after so many rounds. */
const OFTEN = 100;

/** A plan with more functions and parameters than this is large, and takes too long to compile. */
const MANY = 1000;

/** The calls of a plan. */
export class Calls {
  /** The objects of the nodes that have very many parameters. */
  private readonly wide = new Map<number, WideObjects>();
  private readonly isLarge: boolean;
  /**
   * The emptied list of a round that has ended, for the next one of a large plan: a new list of as
   * many comes as pages that the system has to clear.
   */
  private spare: unknown[] | undefined = undefined;
  private rounds = 0;
  private compiled: Compiled | undefined = undefined;

  constructor(private readonly lists: CallLists) {
    this.isLarge = lists.functions.length + lists.params.length > MANY;
  }

  /** Begins a round: gives a list for the values of its nodes. */
  beginRound(): unknown[] {
    return this.compiled === undefined ? this.beginEarlyRound() : this.compiled.blank();
  }

  /** Takes back the list of a round that is complete; its values go with it. */
  endRound(given: unknown[]): void {
    if (this.isLarge) this.spare = given.fill(undefined);
  }

  /** How many needs each node has: a list of one's own, to count down in. */
  counts(): number[] {
    return this.compiled === undefined ? this.lists.needCounts.slice() : this.compiled.counts();
  }

  /** Calls the function of a node. */
  call(node: number, supply: Supply, ctx: CallContext): unknown {
    const call = this.compiled?.calls[node];
    return call === undefined ? this.callSlowly(node, supply, ctx) : call(supply, ctx);
  }

  /** Passes all plain nodes at the front, if there is compiled code for it; gives whether there is. */
  pass(walk: Walk): boolean {
    this.compiled?.pass(walk);
    return this.compiled !== undefined;
  }

  /** Whether what arrived from a node may be more than a value. A promise cannot arrive. */
  mustLookAt(node: number, value: object | null): boolean {
    // Where nobody asks nothing is hidden inside; one look for all nodes is faster then than one for each.
    if (!anyQuestionMade()) return kindOf(value) !== undefined;
    return this.compiled?.looks[node]?.(value) ?? true;
  }

  /** What the body is called with. */
  bodyValues(supply: Supply): Values {
    if (this.compiled !== undefined) return this.compiled.bodyValues(supply);
    return this.collect(this.lists.functions.length, supply);
  }

  private beginEarlyRound(): unknown[] {
    this.rounds += 1;
    if (this.rounds === OFTEN && !this.isLarge) this.compiled = compile(this.lists);
    const { spare } = this;
    this.spare = undefined;
    // Filled, because V8 would take it for a list of integers, and copy it for the first value that is none.
    return spare ?? new Array<unknown>(this.lists.functions.length).fill(undefined);
  }

  private callSlowly(node: number, supply: Supply, ctx: CallContext): unknown {
    return this.lists.functions[node]?.call(UNBOUND, this.collect(node, supply), ctx);
  }

  private collect(node: number, supply: Supply): Values {
    const { params, sources } = this.lists;
    const { given } = supply;
    const start = this.lists.startOf(node);
    const end = this.lists.endOf(node);
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
      objects = new WideObjects(this.lists.params.slice(start, end));
      this.wide.set(node, objects);
    }
    return objects.make();
  }

  private fromOther(source: number, supply: Supply): unknown {
    const other = this.lists.otherAt(source);
    if (other === undefined) return undefined;
    return 'argument' in other
      ? supply.argument(other.argument)
      : supply.outcomeOf(other.outcomeOf);
  }
}
