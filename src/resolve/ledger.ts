/**
 * What was asked and answered. A ledger is consulted only after a resolver has asked in this round,
 * so that no record can ever stand in for a value that the server computes; and only an answer to
 * this very rendering counts, so that consent to one wording is never taken for another.
 *
 * ```
 * recorded, same rendering ──► settled again from the client's own JSON, carried on unchanged
 * asked last round, same rendering, answer arrived ──► settled, recorded
 * anything else ──► open: asked (again), what was recorded is dropped
 * ```
 */
import type { Outcome } from '../define/model.js';
import { ToolError } from '../errors.js';
import { andThen } from '../platform.js';
import type { MaybePromise } from '../platform.js';
import type { Asked } from '../question/asked.js';
import type { Answer } from '../question/kind.js';

/** A recorded answer and the digest of the question it answers. */
export interface Entry extends Answer {
  readonly q: string;
}

/** How far a call has come: what travels between rounds. */
export interface Progress {
  /** Recorded answers, by wire key. */
  readonly outcomes: ReadonlyMap<string, Entry>;
  /** The digests of the questions that are out, by wire key. */
  readonly asked: ReadonlyMap<string, string>;
  /** The keys whose question had changed when its answer came. */
  readonly reworded: ReadonlySet<string>;
}

/** A call that has just begun. */
export const NO_PROGRESS: Progress = { outcomes: new Map(), asked: new Map(), reworded: new Set() };

/** Knows what a question that was asked in this round has come to. */
export interface Ledger {
  /** How the question ended, or `undefined` while it is open. */
  consult(key: string, asked: Asked): MaybePromise<Outcome<unknown> | undefined>;
}

/** The ledger of an era in which nothing is carried between rounds: every question is open. */
export const BLANK_LEDGER: Ledger = { consult: () => undefined };

/** The ledger of one round of a call that takes several. */
export class RoundLedger implements Ledger {
  private readonly outcomes = new Map<string, Entry>();
  private readonly asked = new Map<string, string>();
  private readonly reworded = new Set<string>();

  constructor(
    private readonly before: Progress,
    private readonly responses: Readonly<Record<string, unknown>>,
    private readonly onMovingQuestion: (key: string) => void,
  ) {}

  consult(key: string, asked: Asked): MaybePromise<Outcome<unknown> | undefined> {
    return andThen(asked.digest(), (q) =>
      andThen(this.recorded(key, asked, q), (outcome) => outcome ?? this.fresh(key, asked, q)),
    );
  }

  /** What to carry into the next round. */
  next(): Progress {
    return { outcomes: this.outcomes, asked: this.asked, reworded: this.reworded };
  }

  private recorded(
    key: string,
    asked: Asked,
    q: string,
  ): MaybePromise<Outcome<unknown> | undefined> {
    const entry = this.before.outcomes.get(key);
    if (entry?.q !== q) return undefined;
    return andThen(asked.settle(entry), (outcome) => {
      if (outcome !== undefined) this.outcomes.set(key, entry);
      return outcome;
    });
  }

  private fresh(key: string, asked: Asked, q: string): MaybePromise<Outcome<unknown> | undefined> {
    const arrived = Object.hasOwn(this.responses, key);
    if (!arrived || this.before.asked.get(key) !== q) {
      if (arrived) this.noteMoved(key);
      this.leaveOpen(key, q);
      return undefined;
    }
    return andThen(readResponse(asked, this.responses[key], `Resolver '${key}' `), (read) => {
      this.outcomes.set(key, { ...read.answer, q });
      return read.outcome;
    });
  }

  private leaveOpen(key: string, q: string): void {
    this.asked.set(key, q);
    if (this.before.reworded.has(key)) this.reworded.add(key);
  }

  /** An answer came for a question that has changed meanwhile. Once can happen; twice is a mistake. */
  private noteMoved(key: string): void {
    if (!this.before.asked.has(key)) return;
    if (this.before.reworded.has(key)) this.onMovingQuestion(key);
    this.reworded.add(key);
  }
}

/** A response, read: the answer to record, and how the question ended. */
export interface ReadResponse {
  readonly answer: Answer;
  readonly outcome: Outcome<unknown>;
}

/**
 * Reads a client's response to a question. What is wrong with it is told without the words of any
 * validator; `subject` begins the sentence.
 *
 * @throws {@link ToolError} If it does not answer the question.
 */
export function readResponse(
  asked: Asked,
  response: unknown,
  subject: string,
): MaybePromise<ReadResponse> {
  const answer = asked.receive(response);
  if ('problem' in answer) throw new ToolError(sentence(subject, answer.problem));
  return andThen(asked.settle(answer), (outcome) => {
    if (outcome === undefined) throw new ToolError(sentence(subject, asked.misfit));
    return { answer, outcome };
  });
}

function sentence(subject: string, rest: string): string {
  return subject === '' ? rest.charAt(0).toUpperCase() + rest.slice(1) : subject + rest;
}
