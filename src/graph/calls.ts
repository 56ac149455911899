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
import { KIND } from '../define/brand.js';
import type { CallContext } from '../define/context.js';
import type { ResolverFn } from '../define/model.js';
import { anyQuestionMade, MEMBERS_LOOKED_AT, questionsMade } from '../define/question.js';
import { UNBOUND } from '../define/unbound.js';
import { fromText } from './fromText.js';
import type { Fill, PlanNode } from './node.js';
import { isWide, WideObjects } from './wide.js';

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
  /** How many nodes have been passed, that which is being called included. */
  passed: number;
  /** Looks at what may not simply be a value; gives whether it is one, and begins what it is not. */
  settlesAtOnce(node: number, returned: unknown, questionsBefore: number): boolean;
}

type Values = Record<string, unknown>;

/** What is compiled for a plan. */
interface Compiled {
  readonly calls: readonly ((
    given: Supply['given'],
    supply: Supply,
    ctx: CallContext,
  ) => unknown)[];
  /** Calls the plain functions at the front, one after the other. */
  readonly pass: (walk: Walk, given: unknown[], ctx: CallContext) => void;
  readonly bodyValues: (given: Supply['given'], supply: Supply) => Values;
  readonly looks: readonly ((value: object | null) => boolean)[];
  readonly blank: () => unknown[];
  readonly counts: () => number[];
}

/** What compiled code has besides the functions that it calls. */
const TOOLS = {
  unbound: UNBOUND,
  questionsMade,
  anyQuestionMade,
  kind: KIND,
  prototypeOf: Object.getPrototypeOf,
  plain: Object.prototype,
};

type MakeCompiled = (functions: readonly ResolverFn[], tools: typeof TOOLS) => Compiled;

/**
 * Tells of an object whether it may be more than a value: a promise, an object of ours, or a list
 * or an object with a question inside. Each node gets a copy: V8 knows there what its objects are
 * like.
 */
const LOOK = `value=>{
if(value===null)return false;
if(value.then!==undefined||value[kind]!==undefined)return true;
if(!anyQuestionMade())return false;
if(prototypeOf(value)!==plain)return true;
let members=0;
for(const name in value){
const member=value[name];
if(typeof member==="object"&&member!==null)return true;
members+=1;
if(members===${MEMBERS_LOOKED_AT})return false}
return false}`;

/** What fills a parameter, if it is not the bare value of a node. */
type Other = { readonly argument: string } | { readonly outcomeOf: number };

/** A plan has run often after so many rounds. */
const OFTEN = 100;
/** A plan with more functions and parameters than this is not compiled: it would take too long. */
const MANY = 1000;

/** The calls of a plan. */
export class Calls {
  private readonly functions: readonly ResolverFn[];
  private readonly needCounts: readonly number[];
  private readonly params: string[] = [];
  /** For each parameter the node that fills it, or below zero what else does. */
  private readonly sources: number[] = [];
  /** Where the parameters of each node end; those of the body come last. */
  private readonly ends: number[] = [];
  private readonly others: Other[] = [];
  /** The objects of the nodes that have very many parameters. */
  private readonly wide = new Map<number, WideObjects>();
  private rounds = 0;
  private compiled: Compiled | undefined = undefined;

  constructor(
    nodes: readonly PlanNode[],
    body: readonly Fill[],
    private readonly plainNodes: number,
  ) {
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
  pass(walk: Walk, ctx: CallContext): boolean {
    if (this.compiled === undefined) return false;
    this.compiled.pass(walk, walk.given, ctx);
    return true;
  }

  /** Whether what a node gave may be more than a value. */
  mustLookAt(node: number, value: object | null): boolean {
    return this.compiled?.looks[node]?.(value) ?? true;
  }

  /** What the body is called with. */
  bodyValues(supply: Supply): Values {
    if (this.compiled !== undefined) return this.compiled.bodyValues(supply.given, supply);
    return this.collect(this.functions.length, supply);
  }

  private beginEarlyRound(): unknown[] {
    this.rounds += 1;
    const isSmall = this.functions.length + this.params.length <= MANY;
    if (this.rounds === OFTEN && isSmall) this.compiled = this.compile();
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

  private compile(): Compiled | undefined {
    const { functions } = this;
    const names = functions.map((_, node) => `f${node}`);
    const looks = functions.map((_, node) => `look${node}=${LOOK}`);
    const calls = names.map((_, node) => `(given,supply,ctx)=>${this.callText(node)}`);
    const text = `const [${names.join()}]=functions;
const{unbound,questionsMade,anyQuestionMade,kind,prototypeOf,plain}=tools;
${looks.map((look) => `const ${look};`).join('')}
return{calls:[${calls.join()}],
pass(supply,given,ctx){const before=questionsMade();let value;${this.passText()}},
bodyValues:(given,supply)=>(${this.literal(functions.length)}),
looks:[${names.map((_, node) => `look${node}`).join()}],
blank:()=>[${names.map(() => 'undefined').join()}],
counts:()=>[${this.needCounts.join()}]}`;
    const make = fromText(text, 'functions', 'tools') as MakeCompiled | undefined;
    return make?.(functions, TOOLS);
  }

  private callText(node: number): string {
    return `f${node}.call(unbound,${this.literal(node)},ctx)`;
  }

  /** What is neither an object nor a function is a value, unless a question was made on the way. */
  private passText(): string {
    const steps = this.functions.slice(0, this.plainNodes).map((_, node) => {
      const isMore = `typeof value==="object"?look${node}(value):typeof value==="function"`;
      return `supply.passed=${node + 1};value=${this.callText(node)};
if(((${isMore})||questionsMade()!==before)&&!supply.settlesAtOnce(${node},value,before))return;
given[${node}]=value;`;
    });
    return steps.join('');
  }

  private literal(node: number): string {
    const members: string[] = [];
    for (let at = this.startOf(node); at < (this.ends[node] ?? 0); at += 1) {
      members.push(`${JSON.stringify(this.params[at])}:${this.expression(this.sources[at] ?? 0)}`);
    }
    return `{${members.join()}}`;
  }

  private expression(source: number): string {
    if (source >= 0) return `given[${source}]`;
    const other = this.others[-source - 1];
    if (other === undefined) return 'undefined';
    return 'argument' in other
      ? `supply.argument(${JSON.stringify(other.argument)})`
      : `supply.outcomeOf(${other.outcomeOf})`;
  }
}
