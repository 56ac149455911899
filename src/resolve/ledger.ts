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
 *
 * Pinned values are carried on in the same way, as long as the answers are the same that they were
 * computed on. Where one is computed anew, no earlier answer to a question on top of it counts.
 */
import type { Outcome } from '../define/model.js';
import { ToolError } from '../errors.js';
import type { PlanNode } from '../graph/node.js';
import { andThen, asciiJson, digest } from '../platform.js';
import type { MaybePromise } from '../platform.js';
import type { Asked } from '../question/asked.js';
import type { Answer } from '../question/kind.js';
import { unpinned } from './pin.js';
import type { Pin } from './pin.js';

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
  /** Pinned values, by the key of their resolver. */
  readonly pins: ReadonlyMap<string, Pin>;
}

/** A call that has just begun. */
export const NO_PROGRESS: Progress = {
  outcomes: new Map(),
  asked: new Map(),
  reworded: new Set(),
  pins: new Map(),
};

/** How a question ended. */
export interface Consulted {
  readonly outcome: Outcome<unknown>;
  /** Whether the answer came with this request. */
  readonly fresh: boolean;
}

/** Knows what a question that was asked in this round has come to. */
export interface Ledger {
  /** How the question ended, or `undefined` while nobody has answered it. */
  consult(key: string, asked: Asked): MaybePromise<Consulted | undefined>;
  /** Notes that a question which was just consulted goes out. */
  leaveOpen(key: string): void;
  /**
   * Forgets what was answered or pinned before: it stands on a value that is no longer the same.
   */
  forget(key: string): void;
  /** The value that a resolver was pinned to, as consumers get it. */
  restore(node: PlanNode): MaybePromise<{ readonly value: unknown } | undefined>;
  /** Carries a value on, as JSON. */
  pin(node: PlanNode, json: unknown): MaybePromise<void>;
}

/** The ledger of an era in which nothing is carried between rounds: every question is open. */
export const BLANK_LEDGER: Ledger = {
  consult: () => undefined,
  leaveOpen: () => undefined,
  forget: () => undefined,
  restore: () => undefined,
  pin: () => undefined,
};

/** How a ledger is kept. */
export interface LedgerOptions {
  /**
   * Whether values are carried on. Where they are not, for want of a seal, every round computes
   * them, and an answer counts for what it reads, as it does without pins: otherwise it never
   * would.
   */
  readonly keepsPins: boolean;
  readonly onMovingQuestion: (key: string) => void;
}

/** What a round notes, for itself and for the next one. */
interface Notes {
  readonly outcomes: Map<string, Entry>;
  readonly asked: Map<string, string>;
  readonly reworded: Set<string>;
  readonly pins: Map<string, Pin>;
  /** The digests of the questions of this round. */
  readonly digests: Map<string, string>;
  readonly forgotten: Set<string>;
}

/** The ledger of one round of a call that takes several. */
export class RoundLedger implements Ledger {
  // Most rounds ask nothing and pin nothing: what is noted is made with the first note.
  private notes: Notes | undefined;

  constructor(
    private readonly before: Progress,
    private readonly responses: Readonly<Record<string, unknown>>,
    private readonly options: LedgerOptions,
  ) {}

  private get noted(): Notes {
    return (this.notes ??= {
      outcomes: new Map(),
      asked: new Map(),
      reworded: new Set(),
      pins: new Map(),
      digests: new Map(),
      forgotten: new Set(),
    });
  }

  consult(key: string, asked: Asked): MaybePromise<Consulted | undefined> {
    return andThen(asked.digest(), (q) => {
      this.noted.digests.set(key, q);
      if (this.noted.forgotten.has(key)) return undefined;
      return andThen(
        this.recorded(key, asked, q),
        (outcome) => outcome ?? this.fresh(key, asked, q),
      );
    });
  }

  leaveOpen(key: string): void {
    this.noted.asked.set(key, this.noted.digests.get(key) ?? '');
    if (this.before.reworded.has(key)) this.noted.reworded.add(key);
  }

  forget(key: string): void {
    if (this.options.keepsPins) this.noted.forgotten.add(key);
  }

  restore(node: PlanNode): MaybePromise<{ readonly value: unknown } | undefined> {
    const pin = this.before.pins.get(node.key);
    if (pin === undefined || this.noted.forgotten.has(node.key)) return undefined;
    return andThen(this.answersUpstreamOf(node), (on) => {
      if (on !== pin.on) return undefined;
      return andThen(unpinned(node, pin), (restored) => {
        if (restored !== undefined) this.noted.pins.set(node.key, pin);
        return restored;
      });
    });
  }

  pin(node: PlanNode, json: unknown): MaybePromise<void> {
    return andThen(this.answersUpstreamOf(node), (on) => {
      this.noted.pins.set(node.key, { value: json, on });
    });
  }

  /** What to carry into the next round. */
  next(): Progress {
    const { outcomes, asked, reworded, pins } = this.noted;
    return { outcomes, asked, reworded, pins };
  }

  /** A digest of the answers that a resolver's value rests on. */
  private answersUpstreamOf({ upstream = [] }: PlanNode): MaybePromise<string> {
    const answers = upstream.flatMap((key) => {
      const entry = this.noted.outcomes.get(key);
      return entry === undefined ? [] : [[key, entry.q, entry.action, entry.data ?? null]];
    });
    return digest(asciiJson(answers));
  }

  private recorded(key: string, asked: Asked, q: string): MaybePromise<Consulted | undefined> {
    const entry = this.before.outcomes.get(key);
    if (entry?.q !== q) return undefined;
    return andThen(asked.settle(entry), (outcome) => {
      if (outcome === undefined) return undefined;
      this.noted.outcomes.set(key, entry);
      return { outcome, fresh: false };
    });
  }

  private fresh(key: string, asked: Asked, q: string): MaybePromise<Consulted | undefined> {
    const arrived = Object.hasOwn(this.responses, key);
    if (!arrived || this.before.asked.get(key) !== q) {
      if (arrived) this.noteMoved(key);
      return undefined;
    }
    return andThen(readResponse(asked, this.responses[key], `Resolver '${key}' `), (read) => {
      const { action, data } = read.answer;
      this.noted.outcomes.set(key, { action, data, q });
      return { outcome: read.outcome, fresh: true };
    });
  }

  /** An answer came for a question that has changed meanwhile. Once can happen; twice is a mistake. */
  private noteMoved(key: string): void {
    if (!this.before.asked.has(key)) return;
    if (this.before.reworded.has(key)) this.options.onMovingQuestion(key);
    this.noted.reworded.add(key);
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
