/** An approval as data: what an approver sees, and what the body receives. */

/** A person who approved. */
export interface Approver {
  readonly who: string;
  /** The time of the decision, in milliseconds since the epoch. */
  readonly at: number;
  readonly comment?: string;
}

/** The value of an approval. An interface, so that declarations and hovers show its name. */
export interface Approved {
  /** The id of the request. */
  readonly id: string;
  readonly approvedBy: readonly Approver[];
}

/** The terms that an approver decides on. Invisible characters in the texts are written as codes. */
export interface ApprovalTerms {
  readonly message: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly by: readonly string[];
  readonly requester: string;
  readonly quorum: number;
  readonly about?: string;
}

/** The data of an approval. */
export interface ApprovalData extends ApprovalTerms {
  readonly kind: 'approval';
}
