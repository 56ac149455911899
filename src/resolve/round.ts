/**
 * One round: runs the functions of a plan, each at most once, as soon as what they need is there.
 * Independent ones run at the same time; values, questions and the error are those of a sequential
 * depth-first walk. Knows no token and no transport.
 *
 * ```
 * waiting ──needs there──► running ──value──────────────────────► settled ──► its consumers
 *                             │ ──question──► asking ──answered──►   ▲
 *                             │                 └──────open ─────────┘ settleOpen()
 *                             └─throws──► failed: what the walk would do later is dropped
 * ```
 *
 * No recursion and no promise per node: a count of missing needs per node, and a queue.
 */
import { kindOf } from '../define/brand.js';
import type { Kind } from '../define/brand.js';
import type { CallContext } from '../define/context.js';
import type { Outcome } from '../define/model.js';
import { countFrom, questionsMade } from '../define/question.js';
import type { QuestionData } from '../define/question.js';
import { ToolError } from '../errors.js';
import type { Calls } from '../graph/calls.js';
import { BODY, isPinned } from '../graph/node.js';
import type { Fill, PlanNode } from '../graph/node.js';
import type { Plan } from '../graph/plan.js';
import type { Walk } from '../graph/walk.js';
import { isThenable } from '../platform.js';
import type { MaybePromise } from '../platform.js';
import { Asking } from './asking.js';
import type { Asker, Continuation, OpenQuestion } from './asking.js';
import { assertNoneInside, assertValue, failLost } from './asks.js';
import { Needs } from './needs.js';
import { Pinning } from './pinning.js';
import type { Pinner } from './pinning.js';
import type { RoundInput } from './roundInput.js';
import { watchedCalls } from './watch.js';

/** What ended the round before its time. */
export interface Failure {
  readonly error: unknown;
}

/** Later than any step of a walk. V8 keeps it without a box, which it would need for Infinity. */
const NEVER = 0x3fff_ffff;

/** In the place of the values of a round that has ended. */
const ENDED: unknown[] = [];

/** One run over a plan. */
export class Round implements Walk, Asker, Pinner {
  /** What is counted, once a node has to be awaited. */
  private needs: Needs | undefined = undefined;
  /** The values that consumers get; `undefined` where somebody refused. */
  given: unknown[];
  readonly ctx: CallContext;
  passed = 0;
  private readonly calls: Pick<Calls, 'call'>;
  /** What is asked, once anything is. */
  private asking: Asking | undefined = undefined;
  /** What is pinned, once anything is. */
  private pinning: Pinning | undefined = undefined;
  /** The nodes whose functions made a question, before they first waited for anything. */
  private madeQuestions: Set<number> | undefined = undefined;
  private guarding: boolean;
  private over = false;
  private failedAt = NEVER;
  /** The nodes that a failure has not overtaken: all before this one. */
  private reach: number;
  private error: unknown;

  constructor(
    private readonly plan: Plan,
    private readonly input: RoundInput,
  ) {
    this.given = plan.calls.beginRound();
    this.calls = input.watch === undefined ? plan.calls : watchedCalls(plan, input.watch);
    this.guarding = plan.guardNodes > 0;
    this.reach = plan.nodes.length;
    this.ctx = input.ctx;
  }

  /**
   * Runs all that can run; gives whether that is through. If it is not, {@link RoundInput.onQuiet}
   * is told later. Then the round has failed, or has open questions, or is complete.
   */
  run(): boolean {
    return this.advance();
  }

  /** The failure that a sequential walk would have met first. */
  get failure(): Failure | undefined {
    // What refused a guard may fail a parameter of the body as well: not before the guards are through.
    const reached = this.guarding ? this.plan.guardSteps : NEVER;
    return this.failedAt < reached ? { error: this.error } : undefined;
  }

  /** Whether all values of a round that is quiet are there. */
  get isComplete(): boolean {
    return !this.over && this.failedAt === NEVER && !this.isAsking;
  }

  /** The questions that nobody has answered yet, in walk order. */
  openQuestions(): readonly OpenQuestion[] {
    return this.asking?.openQuestions() ?? [];
  }

  /** Ends an open question; {@link run} then goes on from there. */
  settleOpen(question: OpenQuestion, outcome: Outcome<unknown>): void {
    this.asking?.settleOpen(question, outcome);
  }

  /** Stops waiting: nothing that still runs can change the round any more. */
  stop(): void {
    this.over = true;
    this.input.onQuiet();
  }

  /** Ends a round that is complete: gives the values of the body's parameters. */
  finish(): Record<string, unknown> {
    const { calls } = this.plan;
    const values = calls.bodyValues(this);
    calls.endRound(this.given);
    // The list may be another call's from now on.
    this.given = ENDED;
    return values;
  }

  private get isAsking(): boolean {
    return this.asking?.isOpen === true;
  }

  private askingNow(): Asking {
    return (this.asking ??= new Asking(this, this.input));
  }

  private pinningNow(): Pinning {
    return (this.pinning ??= new Pinning(this, this.plan, this.input));
  }

  /** Starts what can start; gives whether nothing is left that could change the round. */
  private advance(): boolean {
    for (;;) {
      this.pass();
      if (this.needs !== undefined) this.workOff(this.needs);
      if (this.needs?.awaitsAny === true) return false;
      if (!this.guarding || this.failure !== undefined || this.isAsking) break;
      this.guarding = false;
    }
    if (this.failure !== undefined) this.over = true;
    return true;
  }

  private workOff(needs: Needs): void {
    const { nodes } = this.plan;
    for (let next = needs.dequeue(); next !== undefined; next = needs.dequeue()) {
      const node = nodes[next];
      if (node !== undefined) this.start(node);
    }
  }

  /** Passes the nodes in walk order: where nothing has to be awaited, one pass does it all. */
  private pass(): void {
    const { plan } = this;
    const end = this.guarding ? plan.guardNodes : plan.nodes.length;
    if (this.needs === undefined) this.passStraight(Math.min(end, plan.plainNodes));
    if (this.passed < end) this.passCounting(end);
  }

  private passCounting(end: number): void {
    const { plan } = this;
    const needs = (this.needs ??= new Needs(plan, this.passed));
    while (this.passed < end) {
      const node = this.nodeAt(this.passed);
      this.passed += 1;
      if (needs.areThere(node.index)) this.start(node);
    }
  }

  /** Passes plain nodes, as long as each gives a value at once. */
  private passStraight(end: number): void {
    const before = questionsMade();
    try {
      if (!this.passCompiled(end)) this.passStepwise(end, before);
    } catch (error) {
      countFrom(before);
      this.fail(this.nodeAt(this.passed - 1).seq, error);
    }
  }

  /** Passes all at once, by code that a plan has which ran often; gives whether there is such. */
  private passCompiled(end: number): boolean {
    const { plan, passed, guarding, calls } = this;
    if (calls !== plan.calls || passed > 0 || guarding || end === 0) return false;
    return plan.calls.pass(this);
  }

  private passStepwise(end: number, before: number): void {
    const { given, calls, ctx } = this;
    while (this.passed < end) {
      const index = this.passed;
      this.passed += 1;
      const returned = calls.call(index, this, ctx);
      const isPrimitive = typeof returned !== 'object' && typeof returned !== 'function';
      const isValue = isPrimitive && questionsMade() === before;
      if (!isValue && !this.settlesAtOnce(index, returned, before)) return;
      given[index] = returned;
      if (this.guarding && !this.passesGuards(index)) return;
    }
  }

  /** Looks at what is not simply a value; gives whether it is one. If it is not, the node has begun. */
  settlesAtOnce(index: number, returned: unknown, questionsBefore: number): boolean {
    const node = this.nodeAt(index);
    const asked = this.notesQuestions(index, questionsBefore);
    if (!asked && !isThenable(returned) && kindOf(returned) === undefined) {
      assertNoneInside(node, returned);
      return true;
    }
    this.needs = new Needs(this.plan, index);
    this.take(node, returned);
    return false;
  }

  private start(node: PlanNode): void {
    if (this.over || node.seq > this.failedAt) return;
    try {
      this.restoreOrCompute(node);
    } catch (error) {
      this.fail(node.seq, error);
    }
  }

  private restoreOrCompute(node: PlanNode): void {
    if (isPinned(node)) this.pinningNow().restore(node);
    else this.compute(node);
  }

  compute(node: PlanNode): void {
    this.take(node, this.call(node.index));
  }

  /** Takes what a function returned. */
  private take(node: PlanNode, returned: unknown): void {
    if (isGenuine(returned)) this.waitFor(node, returned);
    else if (isThenable(returned)) this.waitFor(node, following(returned));
    else this.returned(node, returned);
  }

  /** Goes on with what a function gave when it arrives. */
  private waitFor(node: PlanNode, promise: Promise<unknown>): void {
    this.needs?.beginWaiting(node.index);
    promise.then(
      (value) => {
        this.arrive(node, value);
      },
      (error: unknown) => {
        this.broke(node, error);
      },
    );
  }

  /** Goes on with what a function gave in the end. */
  private arrive(node: PlanNode, value: unknown): void {
    const { needs } = this;
    if (needs === undefined || !this.endsWaiting(node)) {
      this.disposeLate(node, value);
      return;
    }
    try {
      if (this.isSettledBy(node, value)) {
        this.given[node.index] = value;
        this.startConsumers(node.index, needs);
      } else this.returned(node, value);
    } catch (error) {
      this.fail(node.seq, error);
    }
    // Every node of this stage has been passed, so that only the queue is left.
    if (needs.isAnyQueued) this.workOff(needs);
    if (!needs.awaitsAny) this.advanceAndTell();
  }

  /** Opens the next stage, and tells that the round is quiet if there is nothing left to start. */
  private advanceAndTell(): void {
    if (this.advance()) this.input.onQuiet();
  }

  /** Whether a value only has to be passed on, which is the case for most. */
  private isSettledBy(node: PlanNode, value: unknown): boolean {
    if (!node.isPlain || this.guarding || this.pinning !== undefined) return false;
    if (this.madeQuestions !== undefined) return false;
    const mayBeMore =
      typeof value === 'object'
        ? this.plan.calls.mustLookAt(node.index, value)
        : typeof value === 'function';
    if (!mayBeMore) return true;
    if (kindOf(value) !== undefined) return false;
    assertNoneInside(node, value);
    return true;
  }

  private call(index: number): unknown {
    const before = questionsMade();
    try {
      return this.calls.call(index, this, this.ctx);
    } finally {
      // Also where it throws: otherwise whoever called this call would be blamed for them.
      if (questionsMade() !== before) this.notesQuestions(index, before);
    }
  }

  /** Notes whether a function has made questions since so many had been made. */
  private notesQuestions(index: number, before: number): boolean {
    if (questionsMade() === before) return false;
    this.madeQuestions = (this.madeQuestions ?? new Set()).add(index);
    countFrom(before);
    return true;
  }

  /** Goes on with what is there, now or when it arrives. */
  follow<T>(
    node: PlanNode,
    value: MaybePromise<T> | PromiseLike<T>,
    { next, late }: Continuation<T>,
  ): void {
    if (!isThenable(value)) {
      next(value);
      return;
    }
    this.needs?.beginWaiting(node.index);
    (isGenuine(value) ? value : following(value)).then(
      (arrived) => {
        if (this.endsWaiting(node)) this.resume(node, arrived, next);
        else late?.(arrived);
      },
      (error: unknown) => {
        this.broke(node, error);
      },
    );
  }

  private resume<T>(node: PlanNode, value: T, next: (value: T) => void): void {
    try {
      next(value);
    } catch (error) {
      this.fail(node.seq, error);
    }
    this.advanceAndTell();
  }

  private broke(node: PlanNode, error: unknown): void {
    if (!this.endsWaiting(node)) return;
    this.fail(node.seq, error);
    this.advanceAndTell();
  }

  /** Ends the waiting for a node; gives whether anybody still waits for it. */
  private endsWaiting({ index }: PlanNode): boolean {
    return !this.over && this.needs?.endWaiting(index) === true;
  }

  private returned(node: PlanNode, value: unknown): void {
    const kind = kindOf(value);
    if (kind === 'question') this.askingNow().ask(node, value as QuestionData);
    else this.computed(node, value, kind);
  }

  private computed(node: PlanNode, value: unknown, kind: Kind | undefined): void {
    if (!node.isPlain) this.input.disposals.add(node, value);
    if (kind !== undefined) assertValue(node, kind);
    if (typeof value === 'object') assertNoneInside(node, value);
    if (this.madeQuestions?.has(node.index) === true) failLost(node);
    if (isPinned(node)) this.pinningNow().pin(node, value);
    else this.settleValue(node, value);
  }

  disposeLate(node: PlanNode, value: unknown): void {
    if (!node.isPlain) this.input.disposals.addLate(node, value);
  }

  settleValue(node: PlanNode, value: unknown): void {
    this.given[node.index] = value;
    for (const fill of node.serves) this.serve(node, fill);
  }

  serve(node: PlanNode, fill: Fill): void {
    if (fill.consumer === BODY) {
      this.checkGuard(node, fill);
      return;
    }
    this.pinning?.noteConsumer(node, fill.consumer);
    if (this.needs !== undefined) this.serveWith(this.needs, fill.consumer);
  }

  /** Starts them at once: only an arrival calls this, so there is nothing to recurse into. */
  private startConsumers(index: number, needs: Needs): void {
    const { plan, passed } = this;
    for (const consumer of plan.consumers[index] ?? []) {
      if (needs.serve(consumer) && consumer < passed) this.start(this.nodeAt(consumer));
    }
  }

  /** What has not been passed yet starts when it is: after the guards, or in its turn. */
  private serveWith(needs: Needs, consumer: number): void {
    if (needs.serve(consumer) && consumer < this.passed) needs.enqueue(consumer);
  }

  private passesGuards(index: number): boolean {
    const node = this.nodeAt(index);
    for (const fill of node.serves) this.checkGuard(node, fill);
    return this.failedAt === NEVER;
  }

  /**
   * A guard's value is dropped, but nobody who gives `false`, `null`, `0` or an empty text there
   * means "go on". `undefined` does: it is what a guard gives that throws where it refuses.
   */
  private checkGuard({ index, key }: PlanNode, { consumer, seq }: Fill): void {
    if (consumer !== BODY || seq >= this.plan.guardSteps) return;
    if (this.asking?.isRefused(index) === true) return;
    const value = this.given[index];
    if (value === undefined || Boolean(value)) return;
    this.fail(seq, new ToolError(`Guard '${key}' refused`));
  }

  private nodeAt(index: number): PlanNode {
    const node = this.plan.nodes[index];
    if (node === undefined) throw new RangeError(`there is no node ${index}`);
    return node;
  }

  fail(seq: number, error: unknown): void {
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
      this.needs?.endWaiting(node.index);
      this.reach -= 1;
    }
  }

  /** An argument of the call; what is inherited is none. */
  argument(name: string): unknown {
    const { args } = this.input;
    return Object.hasOwn(args, name) ? args[name] : undefined;
  }

  outcomeOf(source: number): Outcome<unknown> {
    return this.askingNow().outcomeOf(source);
  }
}

/**
 * Whether it is a promise that settles once and later, as nothing but the engine's own does for
 * sure.
 */
function isGenuine<T>(value: PromiseLike<T>): value is Promise<T>;
function isGenuine(value: unknown): value is Promise<unknown>;
function isGenuine(value: unknown): boolean {
  // In this order: a proxy without a then is a value, whatever else it does.
  const thenable = value as PromiseLike<unknown> | null | undefined;
  return thenable?.then === Promise.prototype.then && value instanceof Promise;
}

/** A promise that follows an author's own, whose `then` may call back at once, or twice. */
function following<T>(value: PromiseLike<T>): Promise<T> {
  return new Promise((resolve) => {
    resolve(value);
  });
}
