/** The events of a desk. They contain no texts and no persons, because logs outlive requests. */
import type { End } from '../author/model.js';
import type { NotCounted, RequestState } from './parkedCall.js';

/** The properties of every event of a desk. */
export interface DeskEventBase {
  /** The id of the request. */
  readonly id: string;
  /** The name of the tool, if the request is known. */
  readonly tool?: string;
  /** The time of the event, in milliseconds since the epoch. */
  readonly at: number;
}

/** A request was made. */
export interface RequestedEvent extends DeskEventBase {
  readonly type: 'requested';
}

/** The function `notify` threw, or took too long. The next call that waits tries again. */
export interface NotifyFailedEvent extends DeskEventBase {
  readonly type: 'notifyFailed';
}

/** A person decided. */
export interface DecidedEvent extends DeskEventBase {
  readonly type: 'decided';
  readonly verdict: 'approve' | 'deny';
  readonly counted: boolean;
  readonly state: RequestState;
  readonly why?: NotCounted;
}

/** A newer request replaced this one. */
export interface ReplacedEvent extends DeskEventBase {
  readonly type: 'replaced';
  /** The id of the newer request. */
  readonly by: string;
}

/** The request was withdrawn. */
export interface WithdrawnEvent extends DeskEventBase {
  readonly type: 'withdrawn';
}

/** The body of the approved call started. */
export interface UsedEvent extends DeskEventBase {
  readonly type: 'used';
}

/** The body of the approved call ended. */
export interface EndedEvent extends DeskEventBase {
  readonly type: 'ended';
  readonly end: End;
}

/** Any event of a desk. */
export type DeskEvent =
  | RequestedEvent
  | NotifyFailedEvent
  | DecidedEvent
  | ReplacedEvent
  | WithdrawnEvent
  | UsedEvent
  | EndedEvent;
