/**
 * The events of a call, which `install` passes to `onEvent`. All events of one logical call carry
 * the same id, across all its rounds. Values, answers and the contents of questions are omitted by
 * default, because logs outlive calls.
 */
import type { Askable, AskedKind } from './context.js';
import type { End } from './model.js';

/** The properties of every event about a call. */
export interface EventBase {
  /** The id of the call, the same in every round. */
  readonly callId: string;
  /** The name of the definition that is called. */
  readonly definition: string;
  /** The time of the event, in milliseconds since the epoch, with fractions. */
  readonly at: number;
}

/** The properties of every event about one resolver. */
export interface ResolverEvent extends EventBase {
  /** The wire key of the resolver. */
  readonly resolver: string;
}

/** A round began: the first round of a call, or one that resumes it. */
export interface StartedEvent extends EventBase {
  readonly type: 'started';
  /** The method of the request. */
  readonly method: string;
  readonly resumed: boolean;
}

/** A resolver's function ran. */
export interface RanEvent extends ResolverEvent {
  readonly type: 'ran';
  /** The duration in milliseconds. The function started that long before `at`. */
  readonly durationMs: number;
  /** The kind of result. */
  readonly gave: 'value' | 'question' | 'error';
  /** The value. Set only with `eventValues: true`. */
  readonly value?: unknown;
}

/** A pinned value was restored, and the resolver's function was skipped. */
export interface RestoredEvent extends ResolverEvent {
  readonly type: 'restored';
  /** The value. Set only with `eventValues: true`. */
  readonly value?: unknown;
}

/** A question is sent to the client, or waits for an approver. */
export interface AskedEvent extends ResolverEvent {
  readonly type: 'asked';
  readonly kind: AskedKind;
  /** The id of the request, for an approval. */
  readonly approvalId?: string;
  /** The content of the question. Set only with `eventValues: true`. */
  readonly question?: unknown;
}

/** A question was answered. */
export interface AnsweredEvent extends ResolverEvent {
  readonly type: 'answered';
  readonly kind: AskedKind;
  /** The source of the answer, according to the client. An approver decides at a desk. */
  readonly by: 'person' | 'model' | 'client' | 'approver';
  /** The id of the request, for an approval. */
  readonly approvalId?: string;
  /** True if the answer came with this request, false if an earlier round recorded it. */
  readonly fresh: boolean;
  /**
   * The milliseconds from the question to its answer. Set for a fresh answer of the client, if the
   * time of the question is known. The clocks of two processes can differ.
   */
  readonly afterMs?: number;
  /** The answer. Set only with `eventValues: true`. */
  readonly value?: unknown;
}

/** The user declined or cancelled a question, or an approver denied a request. */
export interface DeclinedEvent extends ResolverEvent {
  readonly type: 'declined';
  readonly action: 'decline' | 'cancel';
  readonly fresh: boolean;
  /** The milliseconds from the question to its answer, as in {@link AnsweredEvent}. */
  readonly afterMs?: number;
  /** Set for an approval. */
  readonly kind?: 'approval';
  readonly by?: 'approver';
  /** The id of the request, for an approval. */
  readonly approvalId?: string;
}

/** The client does not support the question, so `otherwise` supplied the value. */
export interface FellBackEvent extends ResolverEvent {
  readonly type: 'fellBack';
  readonly kind: Askable;
}

/** A round ended. */
export interface CompletedEvent extends EventBase {
  readonly type: 'completed';
  /** The way the round ended. `asked` ends the round but not the call. */
  readonly end: End;
  /** True if an earlier request recorded the result and nothing ran. */
  readonly replayed: boolean;
  readonly durationMs: number;
}

/** A request state was rejected before the library knew its call. */
export interface RejectedEvent {
  readonly type: 'rejected';
  readonly at: number;
  /** A short reason, as in the server's log. */
  readonly reason: string;
  readonly method: string;
}

/** Any event. */
export type CallEvent =
  | StartedEvent
  | RanEvent
  | RestoredEvent
  | AskedEvent
  | AnsweredEvent
  | DeclinedEvent
  | FellBackEvent
  | CompletedEvent
  | RejectedEvent;
