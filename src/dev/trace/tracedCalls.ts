/** Groups a stream of events by call, and within a call by round. */
import type {
  CallEvent,
  CompletedEvent,
  RejectedEvent,
  ResolverEvent,
  StartedEvent,
} from '../../author/event.js';

/** An event about one resolver. */
export type StepEvent = Extract<CallEvent, ResolverEvent>;

/** One round of a call. */
export interface TracedRound {
  readonly started: StartedEvent;
  readonly steps: readonly StepEvent[];
  /** Absent while the round runs. */
  readonly completed?: CompletedEvent;
}

/** All rounds of a call, in order. */
export interface TracedCall {
  readonly callId: string;
  readonly definition: string;
  readonly rounds: readonly TracedRound[];
}

/** A call, or a rejected state, whose call is unknown. */
export type Traced = TracedCall | RejectedEvent;

interface GrowingRound extends TracedRound {
  readonly steps: StepEvent[];
  completed?: CompletedEvent;
}

interface GrowingCall extends TracedCall {
  readonly rounds: GrowingRound[];
}

/** Groups events into calls, in the order in which the calls began. */
export function tracedCalls(events: Iterable<CallEvent>): readonly Traced[] {
  const traced: Traced[] = [];
  const calls = new Map<string, GrowingCall>();
  for (const event of events) {
    if (event.type === 'rejected') {
      traced.push(event);
      continue;
    }
    const { callId, definition } = event;
    const call = calls.get(callId) ?? { callId, definition, rounds: [] };
    if (!calls.has(callId)) traced.push(call);
    calls.set(callId, call);
    addEvent(call, event);
  }
  return traced;
}

/** Adds an event to the latest round of a call. A resolver may end after its round. */
function addEvent({ rounds }: GrowingCall, event: Exclude<CallEvent, RejectedEvent>): void {
  const round = rounds.at(-1);
  if (event.type === 'started') rounds.push({ started: event, steps: [] });
  else if (event.type === 'completed') {
    if (round !== undefined) round.completed = event;
  } else round?.steps.push(event);
}
