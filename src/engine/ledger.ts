/**
 * What was asked and answered in a call, read from the round before and written for the next one. A
 * round looks into its ledger only after a resolver has asked, so no record can ever stand in for a
 * value that the server computes. Only an answer to this very rendering counts, so consent to one
 * wording is never taken for another.
 *
 * ```
 * recorded, same rendering ──► settled again from the client's own JSON, carried on unchanged
 * asked last round, same rendering, answer arrived ──► settled, recorded
 * anything else ──► open: asked (again), the record is dropped
 * ```
 *
 * Pinned values are carried on in the same way, as long as the answers that they were computed on
 * are the same. If one is computed again, no earlier answer to a question on top of it counts.
 */
import type { PlanNode } from '../plan/plan.js';
import { asciiJson, digest } from '../platform.js';
import type { RecordedAnswer } from '../question/kind.js';
import type { Pin } from './pin.js';

/** A recorded answer and the digest of the question it answers. */
export interface Entry extends RecordedAnswer {
  readonly q: string;
}

/** The progress of a call: what travels between rounds. */
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

/** The progress of a call that has just begun. */
export const NO_PROGRESS: Progress = {
  outcomes: new Map(),
  asked: new Map(),
  reworded: new Set(),
  pins: new Map(),
};

/** What a ledger is opened with. */
export interface LedgerInput {
  readonly before: Progress;
  /** The client's responses, by wire key. */
  readonly responses: Readonly<Record<string, unknown>>;
  /**
   * True if pinned values are carried on. Without a seal they are not: every round computes them,
   * and an answer counts for what it reads, as it does without pins. Otherwise it never would.
   */
  readonly keepsPins: boolean;
  /** Called when a question has changed after every answer. */
  readonly onMovingQuestion: (key: string) => void;
}

/** The ledger of one round. */
export class Ledger {
  private readonly outcomes = new Map<string, Entry>();
  private readonly asked = new Map<string, string>();
  private readonly reworded = new Set<string>();
  private readonly pins = new Map<string, Pin>();
  private readonly forgotten = new Set<string>();

  constructor(private readonly input: LedgerInput) {}

  /** The recorded answer to this rendering of a question. */
  recorded(key: string, questionDigest: string): Entry | undefined {
    const entry = this.input.before.outcomes.get(key);
    return entry?.q === questionDigest && !this.forgotten.has(key) ? entry : undefined;
  }

  /** The client's response to this rendering, if it was asked in the round before. */
  response(key: string, questionDigest: string): { readonly value: unknown } | undefined {
    const { before, responses } = this.input;
    if (this.forgotten.has(key) || !Object.hasOwn(responses, key)) return undefined;
    if (before.asked.get(key) === questionDigest) return { value: responses[key] };
    this.noteMoved(key);
    return undefined;
  }

  /** Carries an answer into the next round. */
  record(key: string, entry: Entry): void {
    this.outcomes.set(key, entry);
  }

  /** Notes that a question goes out. */
  leaveOpen(key: string, questionDigest: string): void {
    this.asked.set(key, questionDigest);
    if (this.input.before.reworded.has(key)) this.reworded.add(key);
  }

  /** Forgets an earlier answer or pin: it depends on a value that is no longer the same. */
  forget(key: string): void {
    if (this.input.keepsPins) this.forgotten.add(key);
  }

  /** The value that an earlier round pinned. */
  pinned(key: string): Pin | undefined {
    return this.forgotten.has(key) ? undefined : this.input.before.pins.get(key);
  }

  /** Carries a pinned value into the next round. */
  pin(key: string, pin: Pin): void {
    this.pins.set(key, pin);
  }

  /** A digest of the answers that a resolver's value rests on. */
  upstreamAnswers({ upstream = [] }: PlanNode): string | Promise<string> {
    const answers = upstream.flatMap((key) => {
      const entry = this.outcomes.get(key);
      return entry === undefined ? [] : [[key, entry.q, entry.action, entry.data ?? null]];
    });
    return digest(asciiJson(answers));
  }

  /** The progress to carry into the next round. */
  next(): Progress {
    const { outcomes, asked, reworded, pins } = this;
    return { outcomes, asked, reworded, pins };
  }

  /** Notes an answer to a question that has changed meanwhile. Once can happen; twice is a mistake. */
  private noteMoved(key: string): void {
    const { before, onMovingQuestion } = this.input;
    if (!before.asked.has(key)) return;
    if (before.reworded.has(key)) onMovingQuestion(key);
    this.reworded.add(key);
  }
}
