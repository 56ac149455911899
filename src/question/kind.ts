/**
 * A kind of question: everything that is known about it in one place, one file per kind. The rest
 * of the library handles questions through this interface alone.
 */
import type { Outcome } from '../define/model.js';
import type { Capability } from './capability.js';

/** A question as it goes over the wire. */
export interface Rendered {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params?: Readonly<Record<string, unknown>>;
  /** The parameters for a client of the 2025 era, where they differ. */
  readonly pushedParams?: () => Readonly<Record<string, unknown>>;
  /** The ASCII JSON of `params`, which the digest of the question is taken of. */
  readonly text: string;
}

/** An answer as it is recorded: the client's own JSON, never a value derived from it. */
export interface RecordedAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly data?: unknown;
}

/** The outcome that an answer means; `undefined` if it does not fit its question. */
export type AnswerOutcome = Outcome<unknown> | undefined;

/** Why a response cannot be taken, as the end of the sentence "Resolver 'x' …". */
export interface Unusable {
  readonly problem: string;
}

/** What to say of a response that is none of the three that a person can give. */
export const NOT_ELICITATION = 'received a non-elicitation response';

/** How a kind of question is asked, and how its answers are read. */
export interface QuestionKind<Q> {
  readonly render: (question: Q) => Rendered;
  readonly capability: (question: Q) => Capability;
  /** Takes a client's response apart. */
  readonly receive: (response: unknown) => RecordedAnswer | Unusable;
  /** What an answer means for this very question; `undefined` if it does not fit. */
  readonly outcomeFor: (
    question: Q,
    answer: RecordedAnswer,
  ) => AnswerOutcome | Promise<AnswerOutcome>;
  /** What to say of a response that does not fit. */
  readonly misfit: string;
}
