/**
 * The questions of one round: what resolvers return to ask becomes an outcome, from the answers
 * that came with the request, from the author's fallback, or later from whom it is asked.
 *
 * ```
 * question ──answered before──────────────────► outcome ──► value, or a refusal
 *     │ ──client cannot be asked──► fallback ──►   ▲
 *     └──open──► openQuestions() ──► settleOpen() ─┘
 * ```
 */
import type { Outcome } from '../define/model.js';
import { countFrom, questionsMade } from '../define/question.js';
import type { QuestionData } from '../define/question.js';
import { UNBOUND } from '../define/unbound.js';
import { messageOf, ToolError } from '../errors.js';
import type { Fill, PlanNode } from '../graph/node.js';
import type { MaybePromise } from '../platform.js';
import { ask } from '../question/asked.js';
import type { Asked } from '../question/asked.js';
import { assertDeclared, assertNoneInside, assertNoQuestion } from './asks.js';
import type { Consulted } from './ledger.js';
import type { RoundInput } from './roundInput.js';
import { answerStep } from './watch.js';

/** A question that nobody has answered yet. */
export interface OpenQuestion {
  readonly node: PlanNode;
  readonly asked: Asked;
}

/** How to go on with a value. */
export interface Continuation<T> {
  readonly next: (value: T) => void;
  /** Takes it where nobody waits for it any more. */
  readonly late?: (value: T) => void;
}

/** The round that asks. */
export interface Asker {
  /** The values that consumers get. */
  readonly given: readonly unknown[];
  /** Goes on with what is there, now or when it arrives. */
  follow<T>(
    node: PlanNode,
    value: MaybePromise<T> | PromiseLike<T>,
    continuation: Continuation<T>,
  ): void;
  /** Gives all consumers the value of a node. */
  settleValue(node: PlanNode, value: unknown): void;
  /** Tells one consumer that a node has settled. */
  serve(node: PlanNode, fill: Fill): void;
  /** Fails at a step of the walk. */
  fail(seq: number, error: unknown): void;
  /** Disposes of what came too late. */
  disposeLate(node: PlanNode, value: unknown): void;
}

/** What is asked in one round, and how it ended. */
export class Asking {
  private readonly open = new Map<PlanNode, Asked>();
  /** How questions ended, and what else a consumer wanted the outcome of. */
  private readonly outcomes = new Map<number, Outcome<unknown>>();

  constructor(
    private readonly asker: Asker,
    private readonly input: RoundInput,
  ) {}

  /** Whether any question is open. */
  get isOpen(): boolean {
    return this.open.size > 0;
  }

  /** The questions that nobody has answered yet, in walk order. */
  openQuestions(): readonly OpenQuestion[] {
    const open = [...this.open].map(([node, asked]) => ({ node, asked }));
    return open.sort((a, b) => a.node.seq - b.node.seq);
  }

  /** Ends an open question. */
  settleOpen({ node, asked }: OpenQuestion, outcome: Outcome<unknown>): void {
    this.open.delete(node);
    this.settleAnswer(node, asked, { outcome, fresh: true });
  }

  /** Whether a question was asked in a node, and somebody refused it. */
  isRefused(node: number): boolean {
    return (this.outcomes.get(node)?.action ?? 'accept') !== 'accept';
  }

  /** The outcome of a node; one that asked nothing has accepted. */
  outcomeOf(node: number): Outcome<unknown> {
    const known = this.outcomes.get(node);
    if (known !== undefined) return known;
    const outcome = { action: 'accept', data: this.asker.given[node], asked: false } as const;
    this.outcomes.set(node, outcome);
    return outcome;
  }

  /** Asks what a resolver returned, if it is not answered already. */
  ask(node: PlanNode, question: QuestionData): void {
    assertDeclared(node, question);
    const asked = render(node, question);
    this.asker.follow(node, this.input.ledger.consult(node.key, asked), {
      next: (answered) => {
        if (answered !== undefined) this.settleAnswer(node, asked, answered);
        else if (this.mustFallBack(asked)) this.fallBack(node, asked);
        else this.leaveOpen(node, asked);
      },
    });
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
      typeof otherwise === 'function' ? unblamed(otherwise as () => unknown) : otherwise;
    const next = (value: unknown): void => {
      assertNoQuestion(node, value);
      assertNoneInside(node, value);
      this.input.disposals.add(node, value);
      this.input.watch?.({ type: 'fellBack', resolver: node.key, kind: asked.data.kind });
      this.settle(node, asked.fallBackOn(value));
    };
    const late = (value: unknown): void => {
      this.asker.disposeLate(node, value);
    };
    this.asker.follow(node, given, { next, late });
  }

  private settleAnswer(node: PlanNode, asked: Asked, answered: Consulted): void {
    this.input.watch?.(answerStep(node.key, asked, answered));
    this.settle(node, answered.outcome);
  }

  private settle(node: PlanNode, outcome: Outcome<unknown>): void {
    this.outcomes.set(node.index, outcome);
    if (outcome.action === 'accept') {
      this.asker.settleValue(node, outcome.data);
      return;
    }
    for (const fill of node.serves) {
      if (fill.wantsOutcome) this.asker.serve(node, fill);
      else this.asker.fail(fill.seq, refusal(fill.param, outcome.action));
    }
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

/** Calls a fallback; what it gives is looked at, and so it is not blamed for making a question. */
function unblamed(otherwise: () => unknown): unknown {
  const before = questionsMade();
  try {
    return Reflect.apply(otherwise, UNBOUND, []);
  } finally {
    countFrom(before);
  }
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
