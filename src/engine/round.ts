/**
 * One round: runs the functions of a plan, each at most once, as soon as what they need is there.
 * Independent ones run at the same time; values, questions and the error are those of a sequential
 * depth-first walk. The round knows no token and no transport.
 *
 * ```
 * waiting ──needs settled──► running ──value─────────────────────► settled ──► its consumers
 *                               │ ────question──► asked ──answer──►   ▲
 *                               │                   └──────► open ──settleOpen()
 *                               └─throws──► failed: later steps of the walk are dropped
 * ```
 *
 * {@link Round.lifeOf} is the life of one node. It is a generator because it yields only what has to
 * be awaited: a synchronous resolver settles at once, and the next node in walk order follows.
 * Nothing recurses from node to node, so a graph may be deeper than the call stack.
 */
import type { CallContext } from '../define/context.js';
import type { Outcome } from '../define/model.js';
import { isQuestion } from '../define/question.js';
import type { QuestionData } from '../define/question.js';
import { runInScope } from '../define/questionScope.js';
import type { QuestionScope } from '../define/questionScope.js';
import { UNBOUND } from '../define/unbound.js';
import { Refusal, ToolError } from '../errors.js';
import { BODY } from '../plan/plan.js';
import type { Fill, Plan, PlanNode } from '../plan/plan.js';
import { isThenable } from '../platform.js';
import type { Asked } from '../question/asked.js';
import type { Disposals } from './disposals.js';
import type { Ledger } from './ledger.js';
import { parsePinned, pinnedJson, pinRejected } from './pin.js';
import { answerStep, timed } from './steps.js';
import type { Answered, Watch } from './steps.js';
import { assertFallback, assertValue, renderDeclared } from './returned.js';

/** The input of a round, besides its plan. */
export interface RoundInput {
  /** The tool's validated arguments. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly ctx: CallContext;
  readonly ledger: Ledger;
  readonly disposals: Disposals;
  /** Called for every step, if anyone listens. */
  readonly watch: Watch | undefined;
}

/** A question that waits for an answer. */
export interface UnansweredQuestion {
  readonly node: PlanNode;
  readonly asked: Asked;
}

/** One run over a plan. */
export class Round {
  /** The values of settled nodes, by index. */
  private readonly values: unknown[] = [];
  /** The outcomes of questions, by index, and of whatever else a consumer took the outcome of. */
  private readonly outcomes = new Map<number, Outcome<unknown>>();
  private readonly open = new Map<number, UnansweredQuestion>();
  /** The number of needs that each node still waits for. */
  private readonly missing: number[];
  /** The nodes that the round waits for. */
  private readonly running = new Set<number>();
  /** The nodes that can start, in the order in which their last need settled. */
  private readonly queue: PlanNode[] = [];
  /** The nodes whose value was pinned in this round, and everything downstream of them. */
  private readonly changed = new Set<number>();
  /** The number of nodes that have had their turn: they have started, or wait for their needs. */
  private reached = 0;
  /** The number of nodes that a failure has not dropped. */
  private kept: number;
  private isGuarding: boolean;
  /** The failure with the lowest sequence number so far. */
  private firstFailure: Failure | undefined;
  private onQuiet: (() => void) | undefined;

  constructor(
    private readonly plan: Plan,
    private readonly input: RoundInput,
  ) {
    this.missing = plan.nodes.map(({ fills }) => fills.length);
    this.kept = plan.nodes.length;
    this.isGuarding = plan.guardNodes > 0;
  }

  /**
   * Runs everything that can run: first the guards, then the rest. Afterwards the round has failed,
   * or has open questions, or has all its values. Call it again after {@link settleOpen}.
   */
  async run(): Promise<void> {
    if (this.isGuarding) {
      await this.untilQuiet();
      if (this.failure !== undefined || this.open.size > 0) return;
      this.isGuarding = false;
    }
    await this.untilQuiet();
  }

  /** Fails the round at once: {@link run} returns, and what still runs can no longer change anything. */
  stop(reason: unknown): void {
    this.fail(-1, reason);
    this.onQuiet?.();
  }

  /** The failure that a sequential walk would have met first. */
  get failure(): { readonly error: unknown } | undefined {
    const { firstFailure, isGuarding, plan } = this;
    if (firstFailure === undefined) return undefined;
    // A refused answer may also fail a parameter of the body, which the walk reaches after the guards.
    return isGuarding && firstFailure.seq >= plan.guardSteps ? undefined : firstFailure;
  }

  /** The questions that wait for an answer, in walk order. */
  openQuestions(): readonly UnansweredQuestion[] {
    return [...this.open.values()].sort((a, b) => a.node.seq - b.node.seq);
  }

  /** Settles an open question. Call {@link run} to go on from there. */
  settleOpen({ node, asked }: UnansweredQuestion, outcome: Outcome<unknown>): void {
    this.open.delete(node.index);
    this.settleAnswer(node, asked, { outcome, fresh: true });
  }

  /** The values of the body's parameters, once the round has all its values. */
  bodyValues(): Record<string, unknown> {
    return this.filled({}, this.plan.params);
  }

  private async untilQuiet(): Promise<void> {
    this.pump();
    if (this.running.size === 0) return;
    await new Promise<void>((resolve) => {
      this.onQuiet = resolve;
    });
  }

  /** Starts what can start: in walk order, and then whatever became ready out of turn. */
  private pump(): void {
    const end = this.isGuarding ? this.plan.guardNodes : this.plan.nodes.length;
    while (this.reached < end) {
      const node = this.nodeAt(this.reached);
      this.reached += 1;
      if (this.missing[node.index] === 0) this.start(node);
    }
    // The queue grows while it is read: what settles at once enables the next.
    for (const node of this.queue) this.start(node);
    this.queue.length = 0;
  }

  private start(node: PlanNode): void {
    if (this.firstFailure !== undefined && node.seq > this.firstFailure.seq) return;
    this.advance(node, this.lifeOf(node));
  }

  /** Drives the life of a node until it settles, fails, or has to wait. */
  private advance(node: PlanNode, life: Steps<void>, arrived?: unknown): void {
    try {
      const { value: wait, done } = life.next(arrived);
      if (done !== true) void this.wait(node, life, wait);
    } catch (error) {
      this.fail(node.seq, error);
    }
  }

  private async wait(node: PlanNode, life: Steps<void>, { promise, onLate }: Wait): Promise<void> {
    const { index, seq } = node;
    this.running.add(index);
    try {
      // A promise of our own, because an author's `then` may call back at once, or twice.
      const value = await new Promise((resolve) => {
        resolve(promise);
      });
      if (this.running.delete(index)) this.advance(node, life, value);
      else onLate?.(value);
    } catch (error) {
      if (this.running.delete(index)) this.fail(seq, error);
    }
    this.pump();
    if (this.running.size === 0) this.onQuiet?.();
  }

  /** The life of a node: restores or computes its value, or asks for it. */
  private *lifeOf(node: PlanNode): Steps<void> {
    const { disposals } = this.input;
    const restored = yield* this.restore(node);
    if (restored !== undefined) {
      this.accept(node, restored.value);
      return;
    }
    const scope: QuestionScope = { madeQuestion: false };
    const returned = yield* arrival(this.call(node, scope), (value) => {
      disposals.addLate(node, value);
    });
    if (isQuestion(returned)) {
      yield* this.ask(node, returned);
      return;
    }
    disposals.add(node, returned);
    assertValue(node, returned, scope);
    this.accept(node, yield* this.pin(node, returned));
  }

  private call(node: PlanNode, scope: QuestionScope): unknown {
    const { ctx, watch } = this.input;
    const values = this.filled(this.argumentsOf(node), node.fills);
    const run = (): unknown =>
      runInScope(scope, () => Reflect.apply(node.resolver.fn, UNBOUND, [values, ctx]));
    return watch === undefined ? run() : timed(watch, node.key, run);
  }

  /** Settles a question with its answer or its fallback, or leaves it open. */
  private *ask(node: PlanNode, question: QuestionData): Steps<void> {
    const { ledger, ctx } = this.input;
    const asked = renderDeclared(node, question);
    const digest = yield* arrival(asked.digest());
    const answered = yield* this.findAnswer(node, asked, digest);
    if (answered !== undefined) {
      this.settleAnswer(node, asked, answered);
      return;
    }
    const canAnswer = asked.capability.isDeclaredIn(ctx.clientCapabilities ?? {});
    if (question.otherwise !== undefined && !canAnswer) {
      yield* this.fallBack(node, asked);
      return;
    }
    ledger.leaveOpen(node.key, digest);
    this.open.set(node.index, { node, asked });
  }

  /** Finds an answer to this very question: a recorded one, or one that came with the request. */
  private *findAnswer(node: PlanNode, asked: Asked, digest: string): Steps<Answered | undefined> {
    const { ledger } = this.input;
    const entry = ledger.recorded(node.key, digest);
    if (entry !== undefined) {
      const outcome = yield* arrival(asked.outcomeFor(entry));
      if (outcome !== undefined) {
        ledger.record(node.key, entry);
        return { outcome, fresh: false };
      }
    }
    const response = ledger.response(node.key, digest);
    if (response === undefined) return undefined;
    const { answer, outcome } = yield* arrival(
      asked.read(response.value, `Resolver '${node.key}' `),
    );
    ledger.record(node.key, { ...answer, q: digest });
    return { outcome, fresh: true };
  }

  /** Settles a question with what the author gave for clients that cannot answer it. */
  private *fallBack(node: PlanNode, asked: Asked): Steps<void> {
    const { disposals, watch } = this.input;
    const { otherwise, kind } = asked.data;
    const scope: QuestionScope = { madeQuestion: false };
    const given: unknown =
      typeof otherwise === 'function'
        ? runInScope(scope, () => Reflect.apply(otherwise, UNBOUND, []) as unknown)
        : otherwise;
    const value = yield* arrival(given, (late) => {
      disposals.addLate(node, late);
    });
    assertFallback(node, value, scope);
    disposals.add(node, value);
    watch?.({ type: 'fellBack', resolver: node.key, kind });
    this.settle(node, asked.fallBackOn(value));
  }

  /** The value that an earlier round pinned, unless it has to be computed again. */
  private *restore(node: PlanNode): Steps<{ readonly value: unknown } | undefined> {
    const { ledger, watch } = this.input;
    const schema = node.resolver.options.pin;
    const pin = ledger.pinned(node.key);
    if (schema === undefined || pin === undefined) return undefined;
    if ((yield* arrival(ledger.upstreamAnswers(node))) !== pin.on) return undefined;
    const parsed = yield* arrival(parsePinned(schema, pin.value));
    if ('problem' in parsed) return undefined;
    ledger.pin(node.key, pin);
    watch?.({ type: 'restored', resolver: node.key, value: parsed.value });
    return parsed;
  }

  /** Pins a value, if its resolver says so. Consumers get what later rounds will restore. */
  private *pin(node: PlanNode, computed: unknown): Steps<unknown> {
    const { ledger } = this.input;
    const schema = node.resolver.options.pin;
    if (schema === undefined) return computed;
    const json = pinnedJson(node, computed);
    const parsed = yield* arrival(parsePinned(schema, json));
    if ('problem' in parsed) throw pinRejected(node, parsed.problem, computed);
    const on = yield* arrival(ledger.upstreamAnswers(node));
    ledger.pin(node.key, { value: json, on });
    this.changed.add(node.index);
    return parsed.value;
  }

  private settleAnswer(node: PlanNode, asked: Asked, answered: Answered): void {
    this.input.watch?.(answerStep(node.key, asked, answered));
    this.settle(node, answered.outcome);
  }

  private settle(node: PlanNode, outcome: Outcome<unknown>): void {
    this.outcomes.set(node.index, outcome);
    if (outcome.action === 'accept') {
      this.accept(node, outcome.data);
      return;
    }
    for (const fill of node.serves) {
      if (fill.wantsOutcome) this.serve(node, fill);
      else this.fail(fill.seq, new Refusal(fill.param, outcome.action));
    }
  }

  private accept(node: PlanNode, value: unknown): void {
    this.values[node.index] = value;
    for (const fill of node.serves) this.serve(node, fill);
  }

  /** Tells one consumer that a node has settled. */
  private serve(node: PlanNode, { consumer, seq }: Fill): void {
    if (consumer === BODY) {
      if (seq < this.plan.guardSteps) this.checkGuard(node, seq);
      return;
    }
    this.forgetDownstream(node, consumer);
    const missing = (this.missing[consumer] ?? 0) - 1;
    this.missing[consumer] = missing;
    if (missing === 0 && consumer < this.reached) this.queue.push(this.nodeAt(consumer));
  }

  /**
   * Forgets what a consumer was answered or pinned to earlier, if it needs a value that has
   * changed.
   */
  private forgetDownstream({ index }: PlanNode, consumer: number): void {
    if (!this.changed.has(index) || this.changed.has(consumer)) return;
    this.changed.add(consumer);
    this.input.ledger.forget(this.nodeAt(consumer).key);
  }

  /** Fails for a guard whose value cannot mean "go on". */
  private checkGuard({ index, key }: PlanNode, seq: number): void {
    const value = this.values[index];
    if (value === undefined || Boolean(value)) return;
    this.fail(seq, new ToolError(`Guard '${key}' refused`));
  }

  private fail(seq: number, error: unknown): void {
    if (this.firstFailure !== undefined && seq >= this.firstFailure.seq) return;
    this.firstFailure = { seq, error };
    // Nodes that the walk would reach later are no longer awaited.
    while (this.kept > 0 && this.nodeAt(this.kept - 1).seq >= seq) {
      this.kept -= 1;
      this.running.delete(this.kept);
    }
  }

  private argumentsOf({ args }: PlanNode): Record<string, unknown> {
    const given = this.input.args;
    const values: Record<string, unknown> = {};
    for (const { param, argument } of args) {
      values[param] = Object.hasOwn(given, argument) ? given[argument] : undefined;
    }
    return values;
  }

  private filled(values: Record<string, unknown>, fills: readonly Fill[]): Record<string, unknown> {
    for (const { param, source, wantsOutcome } of fills) {
      values[param] = wantsOutcome ? this.outcomeOf(source) : this.values[source];
    }
    return values;
  }

  /** The outcome of a node. One that asked nothing has accepted. */
  private outcomeOf(index: number): Outcome<unknown> {
    const outcome = this.outcomes.get(index) ?? {
      action: 'accept',
      data: this.values[index],
      asked: false,
    };
    this.outcomes.set(index, outcome);
    return outcome;
  }

  private nodeAt(index: number): PlanNode {
    const node = this.plan.nodes[index];
    if (node === undefined) throw new RangeError(`The plan has no node ${index}.`);
    return node;
  }
}

/** The end of a round at one step of the walk. */
interface Failure {
  readonly seq: number;
  readonly error: unknown;
}

/** A promise that a node waits for. */
interface Wait {
  readonly promise: PromiseLike<unknown>;
  /** Receives the value if it arrives when the round no longer waits for it. */
  readonly onLate: ((value: unknown) => void) | undefined;
}

/** A function that yields whenever it has to wait. */
type Steps<T> = Generator<Wait, T>;

/** Returns a value that is there; yields to wait for one that is not. */
function* arrival<T>(value: T | PromiseLike<T>, onLate?: (value: unknown) => void): Steps<T> {
  if (!isThenable(value)) return value;
  return (yield { promise: value, onLate }) as T;
}
