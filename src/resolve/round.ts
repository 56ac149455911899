/**
 * One round: runs the functions of a plan, each at most once, as soon as what they need is there.
 * Independent ones run at the same time; values, questions and the error are those of a sequential
 * depth-first walk. Knows no token and no transport.
 *
 * ```
 * waiting ──needs there──► running ──value──────────────────────► settled ──► its consumers
 *                             │ ──question──► ledger ──answered──►   ▲
 *                             │                 └──────open ─────────┘ settleOpen()
 *                             └─throws──► failed: what the walk would do later is dropped
 * ```
 *
 * No recursion and no promise per node: a count of missing needs per node, and a queue.
 */
import type { CallContext } from '../define/context.js';
import { kindOf } from '../define/brand.js';
import type { Kind } from '../define/brand.js';
import type { Outcome } from '../define/model.js';
import { countFrom, isQuestion, questionsMade } from '../define/question.js';
import type { QuestionData } from '../define/question.js';
import { messageOf, ToolError } from '../errors.js';
import { BODY } from '../graph/plan.js';
import type { Fill, Plan, PlanNode } from '../graph/plan.js';
import { andThen, isThenable } from '../platform.js';
import type { MaybePromise } from '../platform.js';
import { ask } from '../question/asked.js';
import type { Asked } from '../question/asked.js';
import {
  assertDeclared,
  assertNoneInside,
  assertNoQuestion,
  assertValue,
  failLost,
} from './asks.js';
import type { Disposals } from './disposal.js';
import type { Consulted, Ledger } from './ledger.js';
import { Needs } from './needs.js';
import { pinned } from './pin.js';
import { UNBOUND } from './unbound.js';
import { answerStep, watched } from './watch.js';
import type { Watch } from './watch.js';

/** A question that nobody has answered yet. */
export interface OpenQuestion {
  readonly node: PlanNode;
  readonly asked: Asked;
}

/** What ended the round before its time. */
export interface Failure {
  readonly error: unknown;
}

/** What a round works with, besides its plan. */
export interface RoundInput {
  /** The tool's validated arguments. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly ctx: CallContext;
  readonly ledger: Ledger;
  readonly disposals: Disposals;
  /** Told of every step, where somebody listens. */
  readonly watch?: Watch | undefined;
}

/** How to go on with a value. */
interface Continuation<T> {
  readonly next: (value: T) => void;
  /** Takes it where nobody waits for it any more. */
  readonly late?: (value: T) => void;
}

/** One run over a plan. */
export class Round {
  private readonly needs: Needs;
  /** The values that consumers get; `undefined` where somebody refused. */
  private readonly given: unknown[];
  /** How questions ended, and what else a consumer wanted the outcome of. */
  private outcomes: Map<number, Outcome<unknown>> | undefined;
  /** The nodes before this one have been passed: they start as soon as their needs are there. */
  private passed = 0;
  /** The passed nodes whose needs have come since, in that order, and how many were taken from it. */
  private readonly queue: PlanNode[] = [];
  private taken = 0;
  /** The questions that nobody has answered yet. */
  private open: Map<PlanNode, Asked> | undefined;
  /** The nodes whose value was pinned in this round, and those that stand on one. */
  private onFreshPin: Set<number> | undefined;
  /** The nodes whose functions made a question, before they first waited for anything. */
  private madeQuestions: Set<PlanNode> | undefined;
  private guarding: boolean;
  private over = false;
  private failedAt = Infinity;
  /** The nodes that a failure has not overtaken: all before this one. */
  private reach: number;
  private error: unknown;
  private onQuiet: (() => void) | undefined;

  constructor(
    private readonly plan: Plan,
    private readonly input: RoundInput,
  ) {
    this.needs = new Needs(plan);
    // Filled, because V8 would take it for a list of integers, and copy it for the first value that is none.
    this.given = new Array<unknown>(plan.nodes.length).fill(undefined);
    this.guarding = plan.guardNodes > 0;
    this.reach = plan.nodes.length;
  }

  /** Runs all that can run. Afterwards the round has failed, or has open questions, or is complete. */
  run(): MaybePromise<void> {
    if (this.advance()) return undefined;
    return new Promise((resolve) => {
      this.onQuiet = resolve;
    });
  }

  /** The failure that a sequential walk would have met first. */
  get failure(): Failure | undefined {
    // What refused a guard may fail a parameter of the body as well: not before the guards are through.
    const reached = this.guarding ? this.plan.guardSteps : Infinity;
    return this.failedAt < reached ? { error: this.error } : undefined;
  }

  /** The questions that nobody has answered yet, in walk order. */
  openQuestions(): readonly OpenQuestion[] {
    if (this.open === undefined) return [];
    const open = [...this.open].map(([node, asked]) => ({ node, asked }));
    return open.sort((a, b) => a.node.seq - b.node.seq);
  }

  /** Ends an open question; {@link run} then goes on from there. */
  settleOpen({ node, asked }: OpenQuestion, outcome: Outcome<unknown>): void {
    this.open?.delete(node);
    this.settleAnswer(node, asked, { outcome, fresh: true });
  }

  /** Stops waiting: nothing that still runs can change the round any more. */
  stop(): void {
    this.over = true;
    this.onQuiet?.();
  }

  /** As the listener of a signal, it stops. */
  handleEvent(): void {
    this.stop();
  }

  /** The values of the body's parameters, once the round is complete. */
  values(): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const fill of this.plan.params) values[fill.param] = this.valueFor(fill);
    return values;
  }

  private get isAsking(): boolean {
    return this.open !== undefined && this.open.size > 0;
  }

  /** Starts what can start; gives whether nothing is left that could change the round. */
  private advance(): boolean {
    for (;;) {
      this.pass();
      this.workOff();
      if (this.needs.awaitsAny) return false;
      if (!this.guarding || this.failure !== undefined || this.isAsking) break;
      this.guarding = false;
    }
    if (this.failure !== undefined) this.over = true;
    return true;
  }

  /** The queue grows while it is worked off; taking from its front would cost more than the work. */
  private workOff(): void {
    const { queue } = this;
    for (let node = queue[this.taken]; node !== undefined; node = queue[this.taken]) {
      this.taken += 1;
      this.start(node);
    }
  }

  /** Passes the nodes in walk order: where nothing has to be awaited, one pass does it all. */
  private pass(): void {
    const { nodes, guardNodes } = this.plan;
    const end = this.guarding ? guardNodes : nodes.length;
    if (!this.needs.areCounted) this.passStraight(end);
    while (this.passed < end) {
      const node = nodes[this.passed];
      this.passed += 1;
      if (node !== undefined && this.needs.areThere(node)) this.start(node);
    }
  }

  /** Passes nodes up to the first whose value is not there at once. */
  private passStraight(end: number): void {
    const { nodes } = this.plan;
    for (let node = nodes[this.passed]; node !== undefined; node = nodes[this.passed]) {
      if (this.passed >= end || node.seq > this.failedAt) return;
      this.passed += 1;
      try {
        if (!node.isPlain) {
          this.needs.countFrom(node);
          this.restoreOrCompute(node);
          return;
        }
        const returned = this.call(node);
        if (!isValue(returned) || this.madeQuestions !== undefined) {
          this.needs.countFrom(node);
          this.take(node, returned);
          return;
        }
        if (typeof returned === 'object') assertNoneInside(node, returned);
        this.given[node.index] = returned;
        if (this.guarding) for (const fill of node.serves) this.checkGuard(node, fill);
      } catch (error) {
        this.needs.countFrom(node);
        this.fail(node.seq, error);
        return;
      }
    }
  }

  private start(node: PlanNode): void {
    if (node.seq > this.failedAt) return;
    this.needs.begin(node);
    try {
      this.restoreOrCompute(node);
    } catch (error) {
      this.fail(node.seq, error);
    }
  }

  private restoreOrCompute(node: PlanNode): void {
    if (node.isPlain || node.resolver.options.pin === undefined) this.take(node, this.call(node));
    else this.restore(node);
  }

  /** Takes what a function returned. */
  private take(node: PlanNode, returned: unknown): void {
    // What is there already, which is most of what resolvers give, needs nothing to follow it.
    if (!isThenable(returned)) {
      this.returned(node, returned);
      return;
    }
    this.needs.beginWaiting(node);
    // Most promises are those of functions: they are followed without a closure for each step.
    genuine(returned).then(
      (value) => {
        if (this.isAwaited(node)) this.resume(node, value);
        else this.disposeLate(node, value);
      },
      (error: unknown) => {
        this.broke(node, error);
      },
    );
  }

  private call(node: PlanNode): unknown {
    const before = questionsMade();
    const returned =
      this.input.watch === undefined
        ? this.callUnseen(node)
        : this.callWatched(node, this.input.watch);
    if (questionsMade() !== before) {
      this.madeQuestions = (this.madeQuestions ?? new Set()).add(node);
      countFrom(before);
    }
    return returned;
  }

  private callUnseen(node: PlanNode): unknown {
    return node.resolver.fn.call(UNBOUND, this.valuesFor(node), this.input.ctx);
  }

  private callWatched(node: PlanNode, watch: Watch): unknown {
    return watched(watch, node.key, () => this.callUnseen(node));
  }

  /** Only the function of a pinned resolver is skipped: what it needs has run by now. */
  private restore(node: PlanNode): void {
    this.follow(node, this.input.ledger.restore(node), {
      next: (restored) => {
        if (restored === undefined) {
          this.take(node, this.call(node));
          return;
        }
        this.input.watch?.({ type: 'restored', resolver: node.key, value: restored.value });
        this.settleValue(node, restored.value);
      },
    });
  }

  /** Goes on with what is there, now or when it arrives. */
  private follow<T>(
    node: PlanNode,
    value: MaybePromise<T> | PromiseLike<T>,
    { next, late }: Continuation<T>,
  ): void {
    if (!isThenable(value)) {
      next(value);
      return;
    }
    this.needs.beginWaiting(node);
    genuine(value).then(
      (arrived) => {
        if (this.isAwaited(node)) this.resume(node, arrived, next);
        else late?.(arrived);
      },
      (error: unknown) => {
        this.broke(node, error);
      },
    );
  }

  /** Goes on with what was awaited: what a function returned, if nothing else is said. */
  private resume<T>(node: PlanNode, value: T, next?: (value: T) => void): void {
    this.needs.endWaiting(node);
    try {
      if (next === undefined) this.returned(node, value);
      else next(value);
    } catch (error) {
      this.fail(node.seq, error);
    }
    if (this.advance()) this.onQuiet?.();
  }

  private broke(node: PlanNode, error: unknown): void {
    if (!this.isAwaited(node)) return;
    this.needs.endWaiting(node);
    this.fail(node.seq, error);
    if (this.advance()) this.onQuiet?.();
  }

  private isAwaited(node: PlanNode): boolean {
    return !this.over && this.needs.isAwaited(node);
  }

  private returned(node: PlanNode, value: unknown): void {
    const kind = kindOf(value);
    if (kind === 'question') this.ask(node, value as QuestionData);
    else this.computed(node, value, kind);
  }

  private ask(node: PlanNode, question: QuestionData): void {
    assertDeclared(node, question);
    const asked = render(node, question);
    this.follow(node, this.input.ledger.consult(node.key, asked), {
      next: (answered) => {
        if (answered !== undefined) this.settleAnswer(node, asked, answered);
        else if (this.mustFallBack(asked)) this.fallBack(node, asked);
        else this.leaveOpen(node, asked);
      },
    });
  }

  private computed(node: PlanNode, value: unknown, kind: Kind | undefined): void {
    if (!node.isPlain) this.input.disposals.add(node, value);
    if (kind !== undefined) assertValue(node, kind);
    if (typeof value === 'object') assertNoneInside(node, value);
    if (this.madeQuestions?.has(node) === true) failLost(node);
    if (node.isPlain || node.resolver.options.pin === undefined) {
      this.settleValue(node, value);
      return;
    }
    this.follow(node, this.pin(node, value), {
      next: (data) => {
        this.onFreshPin = (this.onFreshPin ?? new Set()).add(node.index);
        this.settleValue(node, data);
      },
    });
  }

  /** Carries a value on; gives it as consumers get it, in this round and in later ones. */
  private pin(node: PlanNode, value: unknown): MaybePromise<unknown> {
    return andThen(pinned(node, value), (pin) =>
      andThen(this.input.ledger.pin(node, pin.json), () => pin.value),
    );
  }

  private leaveOpen(node: PlanNode, asked: Asked): void {
    this.input.ledger.leaveOpen(node.key);
    this.open = (this.open ?? new Map<PlanNode, Asked>()).set(node, asked);
  }

  private mustFallBack({ data, capability }: Asked): boolean {
    if (data.otherwise === undefined) return false;
    return !capability.isDeclaredIn(this.input.ctx.clientCapabilities ?? {});
  }

  /** Takes what the author gave for clients that cannot be asked. */
  private fallBack(node: PlanNode, asked: Asked): void {
    const { otherwise } = asked.data;
    const given: unknown =
      typeof otherwise === 'function' ? Reflect.apply(otherwise, UNBOUND, []) : otherwise;
    const next = (value: unknown): void => {
      assertNoQuestion(node, value);
      assertNoneInside(node, value);
      this.input.disposals.add(node, value);
      this.input.watch?.({ type: 'fellBack', resolver: node.key, kind: asked.data.kind });
      this.settle(node, asked.fallBackOn(value));
    };
    const late = (value: unknown): void => {
      this.disposeLate(node, value);
    };
    this.follow(node, given, { next, late });
  }

  private disposeLate(node: PlanNode, value: unknown): void {
    if (!isQuestion(value)) this.input.disposals.addLate(node, value);
  }

  private settleAnswer(node: PlanNode, asked: Asked, answered: Consulted): void {
    this.input.watch?.(answerStep(node.key, asked, answered));
    this.settle(node, answered.outcome);
  }

  private settle(node: PlanNode, outcome: Outcome<unknown>): void {
    this.outcomes = (this.outcomes ?? new Map<number, Outcome<unknown>>()).set(node.index, outcome);
    if (outcome.action === 'accept') {
      this.settleValue(node, outcome.data);
      return;
    }
    for (const fill of node.serves) {
      if (fill.wantsOutcome) this.serve(node, fill);
      else this.fail(fill.seq, refusal(fill.param, outcome.action));
    }
  }

  private settleValue(node: PlanNode, value: unknown): void {
    this.given[node.index] = value;
    for (const fill of node.serves) this.serve(node, fill);
  }

  private serve(node: PlanNode, fill: Fill): void {
    if (fill.consumer === BODY) {
      this.checkGuard(node, fill);
      return;
    }
    if (this.onFreshPin?.has(node.index) === true) this.standOnFreshPin(fill.consumer);
    const consumer = this.needs.serve(fill.consumer) ? this.plan.nodes[fill.consumer] : undefined;
    // What has not been passed yet starts when it is: after the guards, or in its turn.
    if (consumer !== undefined && fill.consumer < this.passed) this.queue.push(consumer);
  }

  /** What was answered on top of another value than the one just pinned does not count. */
  private standOnFreshPin(consumer: number): void {
    const node = this.plan.nodes[consumer];
    if (node === undefined || this.onFreshPin?.has(consumer) === true) return;
    this.onFreshPin?.add(consumer);
    this.input.ledger.forget(node.key);
  }

  /**
   * A guard's value is dropped, but nobody who gives `false`, `null`, `0` or an empty text there
   * means "go on". `undefined` does: it is what a guard gives that throws where it refuses.
   */
  private checkGuard({ index, key }: PlanNode, { consumer, seq }: Fill): void {
    if (consumer !== BODY || seq >= this.plan.guardSteps) return;
    if ((this.outcomes?.get(index)?.action ?? 'accept') !== 'accept') return;
    const value = this.given[index];
    if (value === undefined || Boolean(value)) return;
    this.fail(seq, new ToolError(`Guard '${key}' refused`));
  }

  private fail(seq: number, error: unknown): void {
    if (seq >= this.failedAt) return;
    this.failedAt = seq;
    this.error = error;
    // What the walk would do later is no longer awaited. Each node is passed once, however many fail.
    const { nodes } = this.plan;
    for (
      let node = nodes[this.reach - 1];
      node !== undefined && node.seq >= seq;
      node = nodes[this.reach - 1]
    ) {
      this.needs.endWaiting(node);
      this.reach -= 1;
    }
  }

  private valuesFor(node: PlanNode): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    const { args } = this.input;
    for (const { param, argument } of node.args) {
      values[param] = Object.hasOwn(args, argument) ? args[argument] : undefined;
    }
    for (const fill of node.fills) values[fill.param] = this.valueFor(fill);
    return values;
  }

  private valueFor({ source, wantsOutcome }: Fill): unknown {
    return wantsOutcome ? this.outcomeOf(source) : this.given[source];
  }

  private outcomeOf(source: number): Outcome<unknown> {
    const known = this.outcomes?.get(source);
    if (known !== undefined) return known;
    const outcome = { action: 'accept', data: this.given[source], asked: false } as const;
    this.outcomes = (this.outcomes ?? new Map<number, Outcome<unknown>>()).set(source, outcome);
    return outcome;
  }
}

function render({ key }: PlanNode, question: QuestionData): Asked {
  try {
    return ask(question);
  } catch (error) {
    const what =
      question.kind === 'form' ? 'a schema that no form can show' : 'what cannot be sent';
    throw new ToolError(`Resolver '${key}' asks with ${what}: ${messageOf(error)}`);
  }
}

/** Whether it is what consumers get: no promise, and nothing of ours. */
function isValue(returned: unknown): boolean {
  if (typeof returned !== 'object' && typeof returned !== 'function') return true;
  return !isThenable(returned) && kindOf(returned) === undefined;
}

/** A promise that settles once and later; an author's own may have a `then` that does neither. */
function genuine<T>(value: PromiseLike<T>): Promise<T> {
  if (value instanceof Promise && value.then === Promise.prototype.then) return value as Promise<T>;
  return new Promise((resolve) => {
    resolve(value);
  });
}

/** The end of a call by a person who declined or cancelled. */
export class Refusal extends ToolError {}

/** Whether a person's no is what was thrown; what cannot be looked at is something else. */
export function isRefusal(thrown: unknown): thrown is Refusal {
  try {
    return thrown instanceof Refusal;
  } catch {
    return false;
  }
}

function refusal(param: string, action: 'decline' | 'cancel'): Refusal {
  return new Refusal(
    `Resolver for parameter '${param}' could not resolve: elicitation was ${action}`,
  );
}
