/**
 * What happens in a call, for those who watch: `onEvent` of `install`. All events of one logical
 * call carry its id, over however many rounds. Values, answers and texts of questions are left out
 * unless they are asked for, because logs outlive calls.
 */
import type { Askable } from './context.js';
import type { End } from './model.js';

/** What every event says. */
export interface EventBase {
  /** The call; the same in every round. */
  readonly callId: string;
  /** What is called. */
  readonly definition: string;
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number;
}

/** What every event about one resolver says. */
export interface ResolverEvent extends EventBase {
  /** Its wire key. */
  readonly resolver: string;
}

/** A round began: the first one, or one that goes on with a call. */
export interface StartedEvent extends EventBase {
  readonly type: 'started';
  /** The method of the request. */
  readonly method: string;
  readonly resumed: boolean;
}

/** A resolver's function ran. */
export interface RanEvent extends ResolverEvent {
  readonly type: 'ran';
  /** How long it took; it began so many milliseconds before `at`. */
  readonly durationMs: number;
  /** What came of it. */
  readonly gave: 'value' | 'question' | 'error';
  /** The value, only with `eventValues: true`. */
  readonly value?: unknown;
}

/** A resolver's function was skipped: its pinned value was restored. */
export interface RestoredEvent extends ResolverEvent {
  readonly type: 'restored';
  /** The value, only with `eventValues: true`. */
  readonly value?: unknown;
}

/** A question goes out. */
export interface AskedEvent extends ResolverEvent {
  readonly type: 'asked';
  readonly kind: Askable;
  /** What it says, only with `eventValues: true`. */
  readonly question?: unknown;
}

/** A question has an answer. */
export interface AnsweredEvent extends ResolverEvent {
  readonly type: 'answered';
  readonly kind: Askable;
  /** Who gave it, as far as the client can be believed. */
  readonly by: 'person' | 'model' | 'client';
  /** Whether it came with this request, rather than from an earlier round. */
  readonly fresh: boolean;
  /** The answer, only with `eventValues: true`. */
  readonly value?: unknown;
}

/** A person declined or cancelled. */
export interface DeclinedEvent extends ResolverEvent {
  readonly type: 'declined';
  readonly action: 'decline' | 'cancel';
  readonly fresh: boolean;
}

/** The client could not be asked, and `otherwise` stood in. */
export interface FellBackEvent extends ResolverEvent {
  readonly type: 'fellBack';
  readonly kind: Askable;
}

/** The round ended. */
export interface CompletedEvent extends EventBase {
  readonly type: 'completed';
  /** How: `asked` ends a round and not the call. */
  readonly end: End;
  /** Whether the answer was recorded by an earlier request, and nothing ran. */
  readonly replayed: boolean;
  readonly durationMs: number;
}

/** A request state was rejected, before anything was known about its call. */
export interface RejectedEvent {
  readonly type: 'rejected';
  readonly at: number;
  /** A few fixed words. */
  readonly reason: string;
  readonly method: string;
}

/** Anything that happens in a call. */
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
