/**
 * One round: runs the functions of a plan, each at most once, as soon as their needs are settled.
 * Independent functions run at the same time. Values, questions and the error are those of a
 * sequential depth-first walk. The round knows nothing about tokens or transports.
 *
 * ```
 * waiting ──needs settled──► running ──value─────────────────────► settled ──► its consumers
 *                               │ ────question──► asked ──answer──►   ▲
 *                               │                   └──────► open ──answerOpen()
 *                               └─throws──► failed: later steps of the walk are dropped
 * ```
 *
 * {@link Round.lifeOf} is the life of one node. It is a generator that yields only to wait for a
 * promise. A synchronous resolver settles at once, and the next node in walk order follows. Nodes
 * never recurse into each other, so a graph may be deeper than the call stack.
 */
import type { Askable, AskedKind, CallContext } from '../author/context.js';
import type { Outcome } from '../author/model.js';
import { isQuestion } from '../author/question.js';
import type { Schema } from '../author/schema.js';
import type { AskOptions, QuestionData } from '../author/question.js';
import { runInScope } from '../author/questionScope.js';
import type { QuestionScope } from '../author/questionScope.js';
import { UNBOUND } from '../author/unbound.js';
import { Refusal, ToolError } from '../errors.js';
import { BODY } from '../plan/plan.js';
import type { Fill, Plan, PlanNode } from '../plan/plan.js';
import { isThenable } from '../values.js';
import { askAgain, unusableError } from '../question/asked.js';
import type { Asked, FailedAttempts } from '../question/asked.js';
import type { Unusable } from '../question/kind.js';
import type { Disposals } from './disposals.js';
import type { Ledger } from './ledger.js';
import { parsePinned, toPinnedJson, pinRejected } from './pin.js';
import { answerStep, runWatched } from './steps.js';
import type { Answered, Watch } from './steps.js';
import { assertFallback, assertValue, renderDeclared } from './returned.js';

/** The input of a round, besides its plan. */
export interface RoundInput {
  /** The tool's validated arguments. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly ctx: CallContext;
  readonly ledger: Ledger;
  readonly disposals: Disposals;
  /** Called for every step, if there is a listener. */
  readonly watch: Watch | undefined;
  /** Called for a question that its resolver does not declare. */
  readonly onUndeclared: (node: PlanNode, kind: AskedKind) => void;
  /** Called for a guard that returned neither true nor false. The call is refused. */
  readonly onGuardValue: (node: PlanNode, value: unknown) => void;
  /** Called for a confirmation that its fallback gave, so that nobody was asked. */
  readonly onUnasked: (node: PlanNode) => void;
}

/** A question that waits for an answer. */
export interface UnansweredQuestion {
  readonly node: PlanNode;
  readonly asked: Asked;
  /** The unusable answers so far. */
  readonly failed: FailedAttempts | undefined;
}

/** One run over a plan. */
export class Round {
  /** The values of settled nodes, by index. */
  private readonly values: unknown[] = [];
  /** The outcomes of questions and of nodes whose outcome a consumer takes, by index. */
  private readonly outcomes = new Map<number, Outcome<unknown>>();
  private readonly open = new Map<number, UnansweredQuestion>();
  /** The number of needs that each node still waits for. */
  private readonly missing: number[];
  /** The nodes that the round waits for. */
  private readonly running = new Set<number>();
  /** The nodes that can start, in the order in which their last need settled. */
  private readonly queue: PlanNode[] = [];
  /** The nodes whose value was pinned in this round, and all nodes that depend on them. */
  private readonly changed = new Set<number>();
  /** The number of nodes that the walk has reached. They have started or wait for their needs. */
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
   * Runs the guards and then the rest, as far as possible. Afterwards the round has failed, has
   * open questions, or has all its values. It returns a promise only if it has to wait. Call it
   * again after {@link answerOpen}.
   */
  run(): Promise<void> | undefined {
    return this.isGuarding ? this.runGuarded() : this.untilQuiet();
  }

  private async runGuarded(): Promise<void> {
    await this.untilQuiet();
    if (this.failure !== undefined || this.open.size > 0) return;
    this.isGuarding = false;
    await this.untilQuiet();
  }

  /**
   * Fails the round at once. {@link run} returns, and running functions can no longer change
   * anything.
   */
  stop(reason: unknown): void {
    this.fail(-1, reason);
    this.onQuiet?.();
  }

  /** The failure that a sequential walk would meet first. */
  get failure(): { readonly error: unknown } | undefined {
    const { firstFailure, isGuarding, plan } = this;
    if (firstFailure === undefined) return undefined;
    // A refusal may also fail a parameter of the body, which the walk reaches after the guards.
    return isGuarding && firstFailure.seq >= plan.guardSteps ? undefined : firstFailure;
  }

  /** Returns the open questions, in walk order. */
  openQuestions(): readonly UnansweredQuestion[] {
    return [...this.open.values()].sort((a, b) => a.node.seq - b.node.seq);
  }

  /**
   * Settles an open question with the client's response, or leaves it open for another attempt.
   * Call {@link run} to continue.
   *
   * @throws {@link ToolError} If the response does not answer the question.
   */
  async answerOpen(open: UnansweredQuestion, response: unknown): Promise<void> {
    const { node, asked } = open;
    const read = await asked.read(response);
    if ('problem' in read) {
      this.leaveOpen(node, asked, nextAttempt(open, read));
      return;
    }
    const { ledger } = this.input;
    if (ledger.canWait) ledger.record(node.key, { ...read.answer, q: await asked.digest() });
    this.open.delete(node.index);
    this.settleAnswer(node, asked, { outcome: read.outcome, fresh: true });
  }

  /** Returns the values of the body's parameters, once the round has all its values. */
  bodyValues(): Record<string, unknown> {
    return this.fill({}, this.plan.params);
  }

  /**
   * Returns the values of the body's parameters that are known while approvals are open, without
   * those of approvals.
   */
  knownValues(): Record<string, unknown> {
    const isKnown = ({ source }: Fill): boolean =>
      this.nodeAt(source).resolver.options.asks !== 'approval' &&
      (Object.hasOwn(this.values, source) || this.outcomes.has(source));
    return this.fill({}, this.plan.params.filter(isKnown));
  }

  private untilQuiet(): Promise<void> | undefined {
    this.pump();
    if (this.running.size === 0) return undefined;
    return new Promise<void>((resolve) => {
      this.onQuiet = resolve;
    });
  }

  /** Starts every node that can start: first in walk order, then those that became ready later. */
  private pump(): void {
    const end = this.isGuarding ? this.plan.guardNodes : this.plan.nodes.length;
    while (this.reached < end) {
      const node = this.nodeAt(this.reached);
      this.reached += 1;
      if (this.missing[node.index] === 0) this.start(node);
    }
    // The queue grows during the loop, because a node that settles at once can enable others.
    for (const node of this.queue) this.start(node);
    this.queue.length = 0;
  }

  private start(node: PlanNode): void {
    if (this.firstFailure !== undefined && node.seq > this.firstFailure.seq) return;
    this.advance(node, this.lifeOf(node));
  }

  /** Runs a node until it settles, fails or has to wait. */
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
      // Wraps the promise, because an author's `then` may call back synchronously or twice.
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

  /** The life of a node: restores its value, computes it or asks for it. */
  private *lifeOf(node: PlanNode): Steps<void> {
    const { disposals } = this.input;
    const { pin } = node.resolver.options;
    const restored = pin && (yield* this.restore(node, pin));
    if (restored !== undefined) {
      this.accept(node, restored.value);
      return;
    }
    const scope: QuestionScope = { madeQuestion: false };
    let returned = this.call(node, scope);
    if (isThenable(returned)) {
      returned = yield* arrival(returned, (value) => {
        disposals.addLate(node, value);
      });
    }
    if (isQuestion(returned)) {
      yield* this.ask(node, returned);
      return;
    }
    disposals.add(node, returned);
    assertValue(node, returned, scope);
    this.accept(node, pin === undefined ? returned : yield* this.pin(node, pin, returned));
  }

  private call(node: PlanNode, scope: QuestionScope): unknown {
    const { ctx, watch } = this.input;
    const values = this.fill(this.argumentsOf(node), node.fills);
    const run = (): unknown => Reflect.apply(node.resolver.fn, UNBOUND, [values, ctx]);
    if (watch === undefined) return runInScope(scope, run);
    return runWatched(watch, node.key, () => runInScope(scope, run));
  }

  /** Settles a question with its answer or its fallback, or leaves it open. */
  private *ask(node: PlanNode, question: QuestionData): Steps<void> {
    const { ledger, ctx, onUndeclared } = this.input;
    const asked = renderDeclared(node, question);
    if (node.resolver.options.asks === undefined) onUndeclared(node, question.kind);
    const digest = yield* arrival(asked.digest());
    const found = yield* this.findAnswer(node, asked, digest);
    if ('outcome' in found) {
      this.settleAnswer(node, asked, found);
      return;
    }
    const canAnswer = asked.capability.isDeclaredIn(ctx.clientCapabilities ?? {});
    if (question.kind !== 'approval' && question.otherwise !== undefined && !canAnswer) {
      yield* this.fallBack(node, asked, question);
      return;
    }
    ledger.leaveOpen(node.key, digest, found.failed);
    this.leaveOpen(node, asked, found.failed);
  }

  /** Leaves a question open. The user sees the last answer, and why it was not usable. */
  private leaveOpen(node: PlanNode, asked: Asked, failed: FailedAttempts | undefined): void {
    const shown = failed === undefined ? asked : askAgain(asked, failed);
    this.open.set(node.index, { node, asked: shown, failed });
  }

  /**
   * Finds an answer to exactly this question, recorded earlier or sent with the request. If there
   * is none, returns the unusable answers so far.
   */
  private *findAnswer(
    node: PlanNode,
    asked: Asked,
    digest: string,
  ): Steps<Answered | { readonly failed: FailedAttempts | undefined }> {
    const { ledger } = this.input;
    if (asked.data.kind === 'approval') {
      const verdict = ledger.verdict(node.key, digest);
      return verdict === undefined
        ? { failed: undefined }
        : { outcome: verdict.outcome, fresh: false, verdict };
    }
    const entry = ledger.findRecorded(node.key, digest);
    if (entry !== undefined) {
      const outcome = yield* arrival(asked.outcomeFor(entry));
      if (!('problem' in outcome)) {
        ledger.record(node.key, entry);
        return { outcome, fresh: false };
      }
    }
    const failed = ledger.failedAttempts(node.key, digest);
    const response = ledger.response(node.key, digest);
    if (response === undefined) return { failed };
    const shown = failed === undefined ? asked : askAgain(asked, failed);
    const read = yield* arrival(shown.read(response.value));
    if ('problem' in read) return { failed: nextAttempt({ node, failed }, read) };
    ledger.record(node.key, { ...read.answer, q: digest });
    return { outcome: read.outcome, fresh: true };
  }

  /** Settles a question with the author's fallback, for a client that does not support it. */
  private *fallBack(
    node: PlanNode,
    asked: Asked,
    { otherwise, kind }: AskOptions<unknown> & { readonly kind: Askable },
  ): Steps<void> {
    const { disposals, watch } = this.input;
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
    if (value === true && isConfirm(asked)) this.input.onUnasked(node);
    this.settle(node, asked, { outcome: asked.fallBackOn(value) });
  }

  /** Returns the value that an earlier round pinned, unless it must be computed again. */
  private *restore(node: PlanNode, schema: Schema): Steps<{ readonly value: unknown } | undefined> {
    const { ledger, watch } = this.input;
    const pin = ledger.findPin(node.key);
    if (pin === undefined) return undefined;
    if ((yield* arrival(ledger.upstreamAnswers(node))) !== pin.on) return undefined;
    const parsed = yield* arrival(parsePinned(schema, pin.value));
    if ('issues' in parsed) return undefined;
    ledger.pin(node.key, pin);
    watch?.({ type: 'restored', resolver: node.key, value: parsed.value });
    return parsed;
  }

  /** Pins a value. Consumers receive the value that later rounds restore. */
  private *pin(node: PlanNode, schema: Schema, computed: unknown): Steps<unknown> {
    const { ledger } = this.input;
    const json = toPinnedJson(node, computed);
    const parsed = yield* arrival(parsePinned(schema, json));
    if ('issues' in parsed) throw pinRejected(node, parsed.issues, computed);
    const on = yield* arrival(ledger.upstreamAnswers(node));
    ledger.pin(node.key, { value: json, on });
    this.changed.add(node.index);
    return parsed.value;
  }

  private settleAnswer(node: PlanNode, asked: Asked, answered: Answered): void {
    this.input.watch?.(answerStep(node.key, asked, answered));
    this.settle(node, asked, answered);
  }

  private settle(
    node: PlanNode,
    { data }: Asked,
    { outcome, verdict }: Pick<Answered, 'outcome' | 'verdict'>,
  ): void {
    this.outcomes.set(node.index, outcome);
    if (outcome.action === 'accept') {
      this.accept(node, outcome.data);
      return;
    }
    const refusalOf = ({ param }: Fill): ToolError =>
      verdict?.denial ?? new Refusal(param, outcome.action, declinedSentence(data));
    for (const fill of node.serves) {
      if (fill.wantsOutcome) this.serve(node, fill);
      else this.fail(fill.seq, refusalOf(fill));
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
    if (this.changed.has(node.index)) this.forgetDownstream(consumer);
    const missing = (this.missing[consumer] ?? 0) - 1;
    this.missing[consumer] = missing;
    if (missing === 0 && consumer < this.reached) this.queue.push(this.nodeAt(consumer));
  }

  /** Drops the earlier answer or pin of a consumer that depends on a changed value. */
  private forgetDownstream(consumer: number): void {
    if (this.changed.has(consumer)) return;
    this.changed.add(consumer);
    this.input.ledger.forget(this.nodeAt(consumer).key);
  }

  /** Fails the round unless a guard's value is exactly `true`. */
  private checkGuard(node: PlanNode, seq: number): void {
    const value = this.values[node.index];
    if (value === true) return;
    if (value !== false) this.input.onGuardValue(node, value);
    const { name } = node.resolver.options;
    const place = this.plan.guards.findIndex((guard) => guard.seq === seq) + 1;
    this.fail(seq, new ToolError(`Guard ${name === undefined ? place : `'${name}'`} refused`));
  }

  private fail(seq: number, error: unknown): void {
    if (this.firstFailure !== undefined && seq >= this.firstFailure.seq) return;
    this.firstFailure = { seq, error };
    // The round no longer waits for nodes that the walk would reach later.
    while (this.kept > 0 && this.nodeAt(this.kept - 1).seq >= seq) {
      this.kept -= 1;
      this.running.delete(this.kept);
    }
  }

  private argumentsOf({ args }: PlanNode): Record<string, unknown> {
    const given = this.input.args;
    const values: Record<string, unknown> = {};
    for (const { param, argument, absent = false } of args) {
      const isGiven = !absent && Object.hasOwn(given, argument);
      values[param] = isGiven ? given[argument] : undefined;
    }
    return values;
  }

  private fill(values: Record<string, unknown>, fills: readonly Fill[]): Record<string, unknown> {
    for (const { param, source, wantsOutcome } of fills) {
      values[param] = wantsOutcome ? this.outcomeOf(source) : this.values[source];
    }
    return values;
  }

  /** Returns the outcome of a node. A node that asked nothing counts as accepted. */
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

/**
 * Counts an unusable answer.
 *
 * @throws {@link ToolError} If the question has no attempt left, or the client made the mistake.
 */
function nextAttempt(
  { node, failed }: Omit<UnansweredQuestion, 'asked'>,
  response: Unusable,
): FailedAttempts {
  const { complaint, typed = failed?.typed } = response;
  const { attempts = 1 } = node.resolver.options;
  const count = (failed?.count ?? 0) + 1;
  if (complaint === undefined || count >= attempts) throw unusableError(node.key, response);
  return { count, complaint, typed };
}

function declinedSentence(data: QuestionData): string | undefined {
  return data.kind === 'form' || data.kind === 'url' ? data.declined : undefined;
}

/** A failure at one step of the walk. */
interface Failure {
  readonly seq: number;
  readonly error: unknown;
}

/** A promise that a node waits for. */
interface Wait {
  readonly promise: PromiseLike<unknown>;
  /** Receives the value if it arrives after the round stopped waiting. */
  readonly onLate: ((value: unknown) => void) | undefined;
}

/** A generator that yields each time it has to wait. */
type Steps<T> = Generator<Wait, T>;

/** Returns a value that is not a promise. For a promise, yields and returns the resolved value. */
function* arrival<T>(value: T | PromiseLike<T>, onLate?: (value: unknown) => void): Steps<T> {
  if (!isThenable(value)) return value;
  return (yield { promise: value, onLate }) as T;
}

function isConfirm({ data }: Asked): boolean {
  return data.kind === 'form' && data.yesOnly === true;
}
