/**
 * The interface of a kind of question. Each kind has one file, and the rest of the library uses
 * questions only through this interface.
 */
import type { Outcome } from '../author/model.js';
import type { Capability } from './capability.js';

/** A question in its wire form. */
export interface Rendered {
  /** The method of the request to the client. No request is sent for an approval. */
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list' | 'approval';
  readonly params?: Readonly<Record<string, unknown>>;
  /** Returns the parameters for a legacy client, if they differ. */
  readonly pushedParams?: () => Readonly<Record<string, unknown>>;
  /** The ASCII JSON of `params`, which the digest of the question is computed from. */
  readonly text: string;
}

/**
 * A recorded answer: the client's own JSON, never a value derived from it. For a form it includes
 * what the form showed in fields that the client omitted.
 */
export interface RecordedAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly data?: unknown;
}

/** The reason for rejecting a response. */
export interface Unusable {
  /** The end of the sentence "Resolver 'x' …", which the model may read. */
  readonly problem: string;
  /**
   * The explanation for the user, who can correct the answer. It may quote the answer. It is
   * `undefined` if the client made the mistake.
   */
  readonly complaint?: string;
  /** The fields as the user left them, as far as the form can show them again. */
  readonly typed?: Readonly<Record<string, unknown>>;
}

/** The outcome of an answer, or the problem if it does not fit its question. */
export type AnswerOutcome = Outcome<unknown> | Unusable;

/** The problem with a response that is not accept, decline or cancel. */
export const NOT_ELICITATION = 'received a non-elicitation response';

/** The functions that ask one kind of question and read its answers. */
export interface QuestionKind<Q> {
  readonly render: (question: Q) => Rendered;
  readonly capability: (question: Q) => Capability;
  /** Reads the answer from a client's response. */
  readonly receive: (question: Q, response: unknown) => RecordedAnswer | Unusable;
  /** Returns the outcome of an answer to this question. */
  readonly outcomeFor: (
    question: Q,
    answer: RecordedAnswer,
  ) => AnswerOutcome | Promise<AnswerOutcome>;
}
