/**
 * The questions and answers of a call, read from the previous round and written for the next one. A
 * round looks up an answer only after a resolver has asked, so an answer can never replace a value
 * that the server computes. An answer counts only for exactly the rendering that the client saw, so
 * consent to one wording never applies to another.
 *
 * ```
 * recorded, same rendering ──► settled again from the client's own JSON, kept unchanged
 * asked last round, same rendering, answer arrived ──► settled, recorded
 * anything else ──► open: asked (again), the record is dropped
 * ```
 *
 * Pinned values are kept in the same way, as long as the answers they depend on stay the same. If a
 * pinned value is computed again, earlier answers to questions that depend on it no longer count.
 */
import type { Outcome } from '../author/model.js';
import type { ToolError } from '../errors.js';
import type { PlanNode } from '../plan/plan.js';
import { asciiJson, digest } from '../platform.js';
import type { FailedAttempts } from '../question/asked.js';
import type { RecordedAnswer } from '../question/kind.js';
import type { Pin } from './pin.js';

/** A recorded answer and the digest of the question it answers. */
export interface Entry extends RecordedAnswer {
  readonly q: string;
}

/** The progress of a call, which is carried between rounds. */
export interface Progress {
  /** Recorded answers, by wire key. */
  readonly outcomes: ReadonlyMap<string, Entry>;
  /** The digests of the open questions, by wire key. */
  readonly asked: ReadonlyMap<string, string>;
  /** The open questions that had unusable answers, by wire key. */
  readonly failed: ReadonlyMap<string, FailedAttempts>;
  /** The keys of questions that changed before their answer arrived. */
  readonly reworded: ReadonlySet<string>;
  /** Pinned values, by the key of their resolver. */
  readonly pins: ReadonlyMap<string, Pin>;
}

/** The progress of a new call. */
export const NO_PROGRESS: Progress = {
  outcomes: new Map(),
  asked: new Map(),
  failed: new Map(),
  reworded: new Set(),
  pins: new Map(),
};

export interface LedgerInput {
  readonly before: Progress;
  /** The client's responses, by wire key. */
  readonly responses: Readonly<Record<string, unknown>>;
  /**
   * True if pinned values are kept between rounds. Without a seal, every round computes them again
   * and earlier answers still count. Otherwise no answer that depends on a pinned value would ever
   * count.
   */
  readonly keepsPins: boolean;
  /** Called when a question has changed again before its answer arrived. */
  readonly onMovingQuestion: (key: string) => void;
  /**
   * Returns the decision on exactly this approval. Neither the client's responses nor recorded
   * answers decide on an approval.
   */
  readonly verdictOn?: ((key: string, questionDigest: string) => Verdict | undefined) | undefined;
}

/** The decision of somebody else on an approval. */
export interface Verdict {
  readonly id: string;
  readonly outcome: Outcome<unknown>;
  /** The error of a consumer that does not take the outcome, if it was denied. */
  readonly denial: ToolError | undefined;
}

export class Ledger {
  private readonly outcomes = new Map<string, Entry>();
  private readonly asked = new Map<string, string>();
  private readonly failed = new Map<string, FailedAttempts>();
  private readonly reworded = new Set<string>();
  private readonly pins = new Map<string, Pin>();
  private readonly forgotten = new Set<string>();

  constructor(private readonly input: LedgerInput) {}

  /** True if a legacy call, too, can go on in a later request, because it waits for approvals. */
  get canWait(): boolean {
    return this.input.verdictOn !== undefined;
  }

  /** Returns the recorded answer to this rendering of a question. */
  findRecorded(key: string, questionDigest: string): Entry | undefined {
    const entry = this.input.before.outcomes.get(key);
    return entry?.q === questionDigest && !this.forgotten.has(key) ? entry : undefined;
  }

  /** Returns the client's response to this rendering, if the previous round asked it. */
  response(key: string, questionDigest: string): { readonly value: unknown } | undefined {
    const { before, responses } = this.input;
    if (this.forgotten.has(key) || !Object.hasOwn(responses, key)) return undefined;
    if (before.asked.get(key) === questionDigest) return { value: responses[key] };
    this.noteMoved(key);
    return undefined;
  }

  /**
   * Returns the decision on an approval. It is recorded only because pinned values may depend on
   * it, and a new request has a new id.
   */
  verdict(key: string, questionDigest: string): Verdict | undefined {
    const verdict = this.input.verdictOn?.(key, questionDigest);
    if (verdict === undefined) return undefined;
    this.record(key, { action: verdict.outcome.action, data: verdict.id, q: questionDigest });
    return verdict;
  }

  /** Records an answer for the next round. */
  record(key: string, entry: Entry): void {
    this.outcomes.set(key, entry);
  }

  /** Returns the unusable answers to this rendering in previous rounds. */
  failedAttempts(key: string, questionDigest: string): FailedAttempts | undefined {
    const { asked, failed } = this.input.before;
    const isSame = asked.get(key) === questionDigest && !this.forgotten.has(key);
    return isSame ? failed.get(key) : undefined;
  }

  /** Records that a question is open, and its unusable answers. */
  leaveOpen(key: string, questionDigest: string, failed?: FailedAttempts): void {
    this.asked.set(key, questionDigest);
    if (failed !== undefined) this.failed.set(key, failed);
    if (this.input.before.reworded.has(key)) this.reworded.add(key);
  }

  /** Drops an earlier answer or pin, because it depends on a value that has changed. */
  forget(key: string): void {
    if (this.input.keepsPins) this.forgotten.add(key);
  }

  /** Returns the value that an earlier round pinned. */
  findPin(key: string): Pin | undefined {
    return this.forgotten.has(key) ? undefined : this.input.before.pins.get(key);
  }

  /** Records a pinned value for the next round. */
  pin(key: string, pin: Pin): void {
    this.pins.set(key, pin);
  }

  /** Returns a digest of the answers that a resolver's value depends on. */
  upstreamAnswers({ upstream = [] }: PlanNode): string | Promise<string> {
    const answers = upstream.flatMap((key) => {
      const entry = this.outcomes.get(key);
      return entry === undefined ? [] : [[key, entry.q, entry.action, entry.data ?? null]];
    });
    return digest(asciiJson(answers));
  }

  /** Returns the progress for the next round. */
  next(): Progress {
    const { outcomes, asked, failed, reworded, pins } = this;
    return { outcomes, asked, failed, reworded, pins };
  }

  /**
   * Notes an answer to a question that has changed since it was asked. The first time is tolerated.
   * The second time is reported as a mistake.
   */
  private noteMoved(key: string): void {
    const { before, onMovingQuestion } = this.input;
    if (!before.asked.has(key)) return;
    if (before.reworded.has(key)) onMovingQuestion(key);
    this.reworded.add(key);
  }
}
