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
  private readonly missing: number[];
  private readonly outcomes: (Outcome<unknown> | undefined)[];
  private readonly queue: PlanNode[] = [];
  /** What runs and is awaited. */
  private readonly running = new Set<PlanNode>();
  private readonly open = new Map<PlanNode, Asked>();
  /** The nodes whose value was pinned in this round, and those that stand on one. */
  private readonly onFreshPin = new Set<number>();
  /** The nodes whose functions made a question, before they first waited for anything. */
  private readonly madeQuestions = new Set<PlanNode>();
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
    this.missing = plan.nodes.map((node) => node.fills.length);
    this.outcomes = new Array<undefined>(plan.nodes.length);
    this.guarding = plan.guardNodes > 0;
    this.reach = plan.nodes.length;
    this.enqueueFree(0, this.guarding ? plan.guardNodes : plan.nodes.length);
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
    const open = [...this.open].map(([node, asked]) => ({ node, asked }));
    return open.sort((a, b) => a.node.seq - b.node.seq);
  }

  /** Ends an open question; {@link run} then goes on from there. */
  settleOpen({ node, asked }: OpenQuestion, outcome: Outcome<unknown>): void {
    this.open.delete(node);
    this.settleAnswer(node, asked, { outcome, fresh: true });
  }

  /** Stops waiting: nothing that still runs can change the round any more. */
  stop(): void {
    this.over = true;
    this.onQuiet?.();
  }

  /** The values of the body's parameters, once the round is complete. */
  values(): Record<string, unknown> {
    return Object.fromEntries(this.plan.params.map((fill) => [fill.param, this.valueFor(fill)]));
  }

  /** Works off the queue; gives whether nothing is left that could change the round. */
  private advance(): boolean {
    for (;;) {
      // The queue grows while it is worked off; taking from its front would cost more than the work.
      for (const node of this.queue) this.start(node);
      this.queue.length = 0;
      if (this.running.size > 0) return false;
      if (!this.guarding || this.failure !== undefined || this.open.size > 0) break;
      this.guarding = false;
      this.enqueueFree(this.plan.guardNodes, this.plan.nodes.length);
    }
    if (this.failure !== undefined) this.over = true;
    return true;
  }

  private enqueueFree(from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      if (this.missing[index] === 0) this.enqueue(index);
    }
  }

  private enqueue(index: number): void {
    const node = this.plan.nodes[index];
    if (node !== undefined) this.queue.push(node);
  }

  private start(node: PlanNode): void {
    if (node.seq > this.failedAt) return;
    try {
      if (node.resolver.options.pin === undefined) this.compute(node);
      else this.restore(node);
    } catch (error) {
      this.fail(node.seq, error);
    }
  }

  private compute(node: PlanNode): void {
    const returned = this.call(node);
    // What is there already, which is most of what resolvers give, needs nothing to follow it.
    if (!isThenable(returned)) {
      this.returned(node, returned);
      return;
    }
    const next = (value: unknown): void => {
      this.returned(node, value);
    };
    this.follow(node, returned, { next, late: this.disposeLate(node) });
  }

  private call(node: PlanNode): unknown {
    const { ctx, watch } = this.input;
    const { fn } = node.resolver;
    const values = this.valuesFor(node);
    const before = questionsMade();
    const returned =
      watch === undefined
        ? fn.call(UNBOUND, values, ctx)
        : watched(watch, node.key, () => fn.call(UNBOUND, values, ctx));
    if (questionsMade() !== before) {
      this.madeQuestions.add(node);
      countFrom(before);
    }
    return returned;
  }

  /** Only the function of a pinned resolver is skipped: what it needs has run by now. */
  private restore(node: PlanNode): void {
    this.follow(node, this.input.ledger.restore(node), {
      next: (restored) => {
        if (restored === undefined) {
          this.compute(node);
          return;
        }
        this.input.watch?.({ type: 'restored', resolver: node.key, value: restored.value });
        this.settle(node, { action: 'accept', data: restored.value, asked: false });
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
    this.running.add(node);
    genuine(value).then(
      (arrived) => {
        if (!this.isAwaited(node)) late?.(arrived);
        this.arrive(node, () => {
          next(arrived);
        });
      },
      (error: unknown) => {
        this.arrive(node, () => {
          this.fail(node.seq, error);
        });
      },
    );
  }

  private isAwaited(node: PlanNode): boolean {
    return this.running.has(node) && !this.over;
  }

  private arrive(node: PlanNode, goOn: () => void): void {
    if (!this.isAwaited(node)) return;
    this.running.delete(node);
    try {
      goOn();
    } catch (error) {
      this.fail(node.seq, error);
    }
    if (this.advance()) this.onQuiet?.();
  }

  private returned(node: PlanNode, value: unknown): void {
    if (!isQuestion(value)) {
      this.computed(node, value);
      return;
    }
    assertDeclared(node, value);
    const asked = render(node, value);
    this.follow(node, this.input.ledger.consult(node.key, asked), {
      next: (answered) => {
        if (answered !== undefined) this.settleAnswer(node, asked, answered);
        else if (this.mustFallBack(asked)) this.fallBack(node, asked);
        else this.leaveOpen(node, asked);
      },
    });
  }

  private computed(node: PlanNode, value: unknown): void {
    this.input.disposals.add(node, value);
    assertNoneInside(node, value);
    assertValue(node, value);
    if (this.madeQuestions.has(node)) failLost(node);
    if (node.resolver.options.pin === undefined) {
      this.settle(node, { action: 'accept', data: value, asked: false });
      return;
    }
    this.follow(node, this.pin(node, value), {
      next: (data) => {
        this.onFreshPin.add(node.index);
        this.settle(node, { action: 'accept', data, asked: false });
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
    this.open.set(node, asked);
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
    this.follow(node, given, { next, late: this.disposeLate(node) });
  }

  private disposeLate(node: PlanNode): (value: unknown) => void {
    return (value) => {
      if (!isQuestion(value)) this.input.disposals.addLate(node, value);
    };
  }

  private settleAnswer(node: PlanNode, asked: Asked, answered: Consulted): void {
    this.input.watch?.(answerStep(node.key, asked, answered));
    this.settle(node, answered.outcome);
  }

  private settle(node: PlanNode, outcome: Outcome<unknown>): void {
    this.outcomes[node.index] = outcome;
    for (const fill of node.serves) {
      if (outcome.action !== 'accept' && !fill.wantsOutcome) {
        this.fail(fill.seq, refusal(fill.param, outcome.action));
      } else if (fill.consumer === BODY) {
        this.checkGuard(node, fill);
      } else {
        if (this.onFreshPin.has(node.index)) this.standOnFreshPin(fill.consumer);
        this.countDown(fill.consumer);
      }
    }
  }

  /** What was answered on top of another value than the one just pinned does not count. */
  private standOnFreshPin(consumer: number): void {
    const node = this.plan.nodes[consumer];
    if (node === undefined || this.onFreshPin.has(consumer)) return;
    this.onFreshPin.add(consumer);
    this.input.ledger.forget(node.key);
  }

  /**
   * A guard's value is dropped, but nobody who gives `false`, `null`, `0` or an empty text there
   * means "go on". `undefined` does: it is what a guard gives that throws where it refuses.
   */
  private checkGuard(node: PlanNode, { seq }: Fill): void {
    const outcome = this.outcomes[node.index];
    if (seq >= this.plan.guardSteps || outcome?.action !== 'accept') return;
    if (outcome.data === undefined || Boolean(outcome.data)) return;
    this.fail(seq, new ToolError(`Guard '${node.key}' refused`));
  }

  private countDown(consumer: number): void {
    const left = (this.missing[consumer] ?? 0) - 1;
    this.missing[consumer] = left;
    // What is free of needs while guards run starts after them, all at once.
    const held = this.guarding && consumer >= this.plan.guardNodes;
    if (left === 0 && !held) this.enqueue(consumer);
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
      this.running.delete(node);
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

  private valueFor(fill: Fill): unknown {
    const outcome = this.outcomes[fill.source];
    if (fill.wantsOutcome) return outcome;
    return outcome?.action === 'accept' ? outcome.data : undefined;
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
