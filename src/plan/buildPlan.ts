/**
 * Analyses a graph once, when its tool is defined. It collects the resolvers, names them, checks
 * every need and orders them as a {@link Plan}. The walk uses its own stack, because a graph may be
 * deeper than the call stack.
 */
import { kindOf } from '../author/brand.js';
import type { Source } from '../author/infer.js';
import type { AnyResolver, Filler } from '../author/model.js';
import { isPlainObject } from '../values.js';
import { InvalidGraphError, messageOf } from '../errors.js';
import type { InvalidGraphCode } from '../errors.js';
import { describeMisfit, readNeed } from './readNeed.js';
import type { ReadNeed } from './readNeed.js';
import { BODY, upstreamKeys } from './plan.js';
import type { ArgumentFill, Fill, Plan, PlanNode } from './plan.js';

/** The graph to plan. */
export interface PlanSpec {
  readonly name: string;
  readonly resolve?: Readonly<Record<string, Filler>> | undefined;
  readonly guards?: readonly AnyResolver[] | undefined;
}

/** The parameter name of a guard, in keys, paths and messages. */
const GUARD = 'guard';

/** The words that error messages use for the definition. */
export interface Wording {
  readonly what: 'Tool' | 'Prompt' | 'Resource';
  /** The name of the option that describes the arguments. */
  readonly source: Source;
}

const TOOL: Wording = { what: 'Tool', source: 'inputSchema' };

/** The arguments and options that a graph is checked against. */
export interface PlanContext {
  /** Default: the words for a tool. */
  readonly wording?: Wording;
  /** The names of the tool's arguments, or `undefined` if its schema does not expose them. */
  readonly argumentNames: ReadonlySet<string> | undefined;
  /** Returns the problem with the question that a resolver declares, if there is one. */
  readonly problemWith?: (resolver: AnyResolver) => string | undefined;
  /** Names that a caller may send. A resolved parameter of such a name would hide the argument. */
  readonly sentNames?: ReadonlySet<string>;
}

/**
 * Builds the plan of a graph.
 *
 * @throws {TypeError} If `resolve` or `guards` has the wrong type.
 * @throws {@link InvalidGraphError} If the graph has a cycle, a need that nothing fills, or a bad
 *   name.
 */
export function buildPlan(spec: PlanSpec, context: PlanContext): Plan {
  const { argumentNames, sentNames, wording = TOOL } = context;
  const isArgument = (name: string): boolean =>
    argumentNames?.has(name) === true || sentNames?.has(name) === true;
  assertSpec(spec, wording);
  const builder = new PlanBuilder(spec.name, context);
  const guards = (spec.guards ?? []).map((guard) => builder.addGuard(guard));
  const guardNodes = builder.nodes.length;
  const guardSteps = builder.steps;
  const params = Object.entries(spec.resolve ?? {}).map(([param, filler]) => {
    if (isArgument(param)) throw clashError(spec.name, param, wording);
    return builder.addRoot(param, filler);
  });
  const { nodes } = builder;
  for (const node of nodes) node.serves.sort((a, b) => a.seq - b.seq);
  return { name: spec.name, nodes, guardNodes, guardSteps, guards, params };
}

function assertSpec({ name, resolve, guards }: PlanSpec, { what }: Wording): void {
  if (resolve !== undefined && (!isPlainObject(resolve) || kindOf(resolve) !== undefined)) {
    throw new TypeError(
      `${what} '${name}': \`resolve\` must be an object of resolvers by parameter, such as { cents: refundAmount }.`,
    );
  }
  if (guards !== undefined && !Array.isArray(guards)) {
    throw new TypeError(
      `${what} '${name}': \`guards\` must be an array of resolvers, such as [canRefund].`,
    );
  }
}

/** A resolver whose needs are being visited. */
interface Visit {
  readonly resolver: AnyResolver;
  readonly param: string;
  readonly key: string;
  readonly needs: readonly (readonly [param: string, need: unknown])[];
  readonly args: ArgumentFill[];
  readonly fills: UnplacedFill[];
  next: number;
}

type NeededArgument = Extract<ReadNeed, { readonly from: 'argument' }>;

/** A fill without its consumer, whose index is known only after all its needs are placed. */
type UnplacedFill = Omit<Fill, 'consumer'>;

interface GrowingNode extends PlanNode {
  readonly serves: Fill[];
}

class PlanBuilder {
  readonly nodes: GrowingNode[] = [];
  private readonly done = new Map<AnyResolver, GrowingNode>();
  private readonly open = new Set<AnyResolver>();
  private readonly visits: Visit[] = [];
  private readonly keys = new WireKeys();
  private readonly wording: Wording;
  private seq = 0;

  constructor(
    private readonly name: string,
    private readonly context: PlanContext,
  ) {
    this.wording = context.wording ?? TOOL;
  }

  /** The number of sequence numbers used so far. */
  get steps(): number {
    return this.seq;
  }

  /** Plans a guard. Only the value `true` lets the call go on. */
  addGuard(guard: unknown): Fill {
    const need = readNeed(guard);
    if (need?.from !== 'resolver') return this.addRoot(GUARD, guard);
    const { resolver } = need;
    if (need.wantsOutcome) {
      throw this.error(
        'ERR_GRAPH_NEED',
        `${this.subject()}: a guard cannot be an outcome(), because a refusal would not end the call. Pass the resolver itself.`,
        GUARD,
      );
    }
    if (resolver.options.pin !== undefined) {
      throw this.error(
        'ERR_GRAPH_NEED',
        `${this.subject()}: a guard cannot be pinned, because it must check again in every round. Remove its \`pin\`.`,
        GUARD,
      );
    }
    return this.addRoot(resolver.options.name ?? GUARD, guard);
  }

  /** Plans one parameter of the body and everything it needs. */
  addRoot(param: string, filler: unknown): Fill {
    this.checkName(param);
    const need = readNeed(filler);
    if (need?.from !== 'resolver') throw this.misfit(param, filler);
    if (!this.done.has(need.resolver)) this.enter(param, need.resolver);
    for (let visit = this.visits.at(-1); visit !== undefined; visit = this.visits.at(-1)) {
      this.step(visit);
    }
    return this.place(this.fill(param, need.resolver, need.wantsOutcome), BODY);
  }

  /** Takes one step of the walk: fills the next parameter, enters its resolver, or leaves. */
  private step(visit: Visit): void {
    const entry = visit.needs[visit.next];
    if (entry === undefined) {
      this.leave(visit);
      return;
    }
    const [param, given] = entry;
    const need = readNeed(given);
    if (need === undefined) throw this.misfit(param, given);
    if (need.from === 'argument') {
      visit.args.push(this.argumentFill(param, need));
    } else if (this.done.has(need.resolver)) {
      visit.fills.push(this.fill(param, need.resolver, need.wantsOutcome));
    } else {
      this.enter(param, need.resolver);
      return;
    }
    visit.next += 1;
  }

  private enter(param: string, resolver: AnyResolver): void {
    if (this.open.has(resolver)) throw this.cycle(param, resolver);
    const base = resolver.options.name ?? param;
    this.checkName(base, param);
    const needs = this.needsOf(param, resolver);
    this.open.add(resolver);
    const key = this.keys.take(base);
    this.visits.push({ resolver, param, key, needs, args: [], fills: [], next: 0 });
    for (const [name] of needs) this.checkName(name);
    const problem = this.context.problemWith?.(resolver);
    if (problem !== undefined) throw this.error('ERR_GRAPH_ASKS', `Resolver '${key}' ${problem}`);
  }

  /**
   * Reads the needs of a resolver. They may be getters, so a graph can refer to later definitions.
   */
  private needsOf(param: string, resolver: AnyResolver): [string, unknown][] {
    try {
      return Object.entries(resolver.needs);
    } catch (error) {
      const problem = `The needs of resolver '${param}' cannot be read: ${messageOf(error)}`;
      throw this.error('ERR_GRAPH_NEED', problem, param);
    }
  }

  private leave({ resolver, key, args, fills }: Visit): void {
    const index = this.nodes.length;
    const placed = fills.map((fill) => this.place(fill, index));
    const node = {
      index,
      resolver,
      key,
      args,
      fills: placed,
      serves: [],
      seq: this.seq++,
      ...(resolver.options.pin !== undefined && { upstream: upstreamKeys(this.nodes, placed) }),
    };
    this.nodes.push(node);
    this.done.set(resolver, node);
    this.open.delete(resolver);
    this.visits.pop();
  }

  private fill(param: string, resolver: AnyResolver, wantsOutcome: boolean): UnplacedFill {
    const source = this.done.get(resolver)?.index ?? 0;
    return { param, source, wantsOutcome, seq: this.seq++ };
  }

  private place(fill: UnplacedFill, consumer: number): Fill {
    const placed = { ...fill, consumer };
    this.nodes[fill.source]?.serves.push(placed);
    return placed;
  }

  private checkName(name: string, at = name): void {
    if (name !== '__proto__' && name !== '') return;
    const problem = `'${name}' cannot be the name of a parameter or a resolver. Rename it.`;
    throw this.error('ERR_GRAPH_NAME', problem, at);
  }

  private argumentFill(param: string, need: NeededArgument): ArgumentFill {
    const argument = need.argument ?? param;
    const absent = this.context.argumentNames?.has(argument) === false;
    if (need.isOptional) return { param, argument, optional: true, ...(absent && { absent }) };
    if (absent) {
      const known = [...this.context.argumentNames].map((name) => `'${name}'`).join(', ') || 'none';
      throw this.error(
        'ERR_GRAPH_ARGUMENT',
        `${this.subject()} parameter '${param}' cannot be resolved: '${this.name}' has no argument '${argument}'. Known arguments: ${known}. ` +
          `Add '${argument}' to \`${this.wording.source}\`, or name another argument with arg('name').`,
        param,
      );
    }
    return { param, argument };
  }

  private misfit(param: string, given: unknown): InvalidGraphError {
    const expected =
      this.visits.length > 0 ? IN_A_RESOLVER : param === GUARD ? 'a resolver' : IN_A_DEFINITION;
    return this.error(
      'ERR_GRAPH_NEED',
      `${this.subject()} parameter '${param}' cannot be resolved: expected ${expected}, got ${describeMisfit(given)}`,
      param,
    );
  }

  private cycle(param: string, resolver: AnyResolver): InvalidGraphError {
    const first = this.visits.findIndex((visit) => visit.resolver === resolver);
    const name = this.visits[first]?.key ?? param;
    return this.error(
      'ERR_GRAPH_CYCLE',
      `Resolver '${name}' has a cyclic dependency. Change one of the resolvers on the path so that it does not need the next one.`,
      param,
    );
  }

  /** Returns the owner of the parameters that are being checked, for messages. */
  private subject(): string {
    const visit = this.visits.at(-1);
    return visit === undefined ? `${this.wording.what} '${this.name}'` : `Resolver '${visit.key}'`;
  }

  private error(code: InvalidGraphCode, message: string, ...last: string[]): InvalidGraphError {
    const path = [this.name, ...this.visits.map((visit) => visit.param), ...last];
    return new InvalidGraphError(code, message, path);
  }
}

const IN_A_DEFINITION = 'a resolver or outcome(resolver)';
const IN_A_RESOLVER = "a resolver, outcome(resolver) or an argument of the tool, arg('name')";

function clashError(name: string, param: string, { what, source }: Wording): InvalidGraphError {
  return new InvalidGraphError(
    'ERR_GRAPH_NAME',
    `${what} '${name}': '${param}' is both an argument in \`${source}\` and a resolved parameter. Rename one of them.`,
    [name, param],
  );
}

/**
 * Assigns wire keys, the names of questions in `inputRequests` and in the state. A key depends only
 * on the definition, so any worker can handle a retry. It never depends on function names, because
 * bundlers change them.
 */
class WireKeys {
  private readonly taken = new Set<string>();
  private readonly lastNumber = new Map<string, number>();

  /** Returns the next free key for a base: `base`, then `base#1`, `base#2` … */
  take(base: string): string {
    let key = base;
    let number = this.lastNumber.get(base) ?? 0;
    while (this.taken.has(key)) key = `${base}#${++number}`;
    this.taken.add(key);
    this.lastNumber.set(base, number);
    return key;
  }
}
