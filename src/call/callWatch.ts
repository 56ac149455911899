/** Reports the events of a call to a listener. A listener cannot change the answer. */
import type { Server } from '@modelcontextprotocol/server';
import type { CallEvent, EventBase } from '../author/event.js';
import { isThenable } from '../values.js';
import type { Step } from '../engine/steps.js';
import { shownError, Warnings } from '../log.js';
import type { Logger } from '../log.js';
import type { Rejection } from '../state/sealOptions.js';
import type { Call, CallWatch } from './call.js';
import { notifyOnerror } from './operator.js';

/** A listener, and the destination of its errors. */
interface Listening {
  readonly onEvent: ((event: CallEvent) => void) | undefined;
  readonly onUnexpectedError: (error: unknown) => void;
}

/** The part of a call that its watch reads. */
type Watched = Pick<
  Call,
  'id' | 'name' | 'resumed' | 'boundary' | 'settings' | 'onUnexpectedError'
>;

/** Creates the watch of a call, or returns undefined if there is no listener. */
export function watchCall({
  id,
  name: definition,
  resumed,
  boundary,
  settings: { onEvent, eventValues },
  onUnexpectedError,
}: Watched): CallWatch | undefined {
  if (onEvent === undefined) return undefined;
  const listening = { onEvent, onUnexpectedError };
  const startedAt = Date.now();
  const elapsed = stopwatch();
  let over = false;
  const issuedAt = resumed ? boundary?.opened?.issuedAt : undefined;
  // On the modern era, answers arrive with the request, and the client got the questions with its state.
  let afterMs = issuedAt === undefined ? undefined : startedAt - issuedAt * 1000;
  let pushedAt: number | undefined;
  // `Date.now()` counts whole milliseconds, and most resolvers take less.
  const base = (now = elapsed()): EventBase => ({ callId: id, definition, at: startedAt + now });
  return {
    reportStart: (method) => {
      tell(listening, { ...base(), type: 'started', method, resumed });
    },
    reportStep: (step) => {
      const now = elapsed();
      if (step.type === 'asked') pushedAt = now;
      if (pushedAt !== undefined) afterMs = now - pushedAt;
      const timed = isFreshAnswer(step) &&
        afterMs !== undefined && { afterMs: Math.max(0, afterMs) };
      tell(listening, { ...base(now), ...(eventValues ? step : withoutValues(step)), ...timed });
    },
    reportEnd: (end, replayed = false) => {
      if (over) return;
      over = true;
      tell(listening, { ...base(), type: 'completed', end, replayed, durationMs: elapsed() });
    },
  };
}

/**
 * Sends an event to the listener. If the listener throws or rejects, the error goes to
 * `onUnexpectedError`.
 */
function tell({ onEvent, onUnexpectedError: report }: Listening, event: CallEvent): void {
  try {
    const returned: unknown = onEvent?.(event);
    if (isThenable(returned)) returned.then(undefined, report);
  } catch (error) {
    report(error);
  }
}

/** A listener, and the destinations of its errors. */
interface RejectionListener {
  readonly onEvent: (event: CallEvent) => void;
  readonly logger: Logger;
  /** The server whose `onerror` receives errors of the listener, if there is one. */
  readonly server?: Server;
}

/** Creates a function that reports rejected states to a listener. */
export function createRejectionListener({
  onEvent,
  logger,
  server,
}: RejectionListener): (rejection: Rejection) => void {
  const onUnexpectedError = (error: unknown): void => {
    if (server === undefined || !notifyOnerror(server, error))
      Warnings.of(logger).failure(`\`onEvent\` failed: ${shownError(error)}`);
  };
  return ({ reason, method }) => {
    tell({ onEvent, onUnexpectedError }, { type: 'rejected', at: Date.now(), reason, method });
  };
}

function stopwatch(): () => number {
  const startedAt = performance.now();
  return () => performance.now() - startedAt;
}

/** Returns true for an answer that came with this request. Approvals come from a desk. */
function isFreshAnswer(step: Step): boolean {
  return (step.type === 'answered' || step.type === 'declined') && step.fresh;
}

function withoutValues(step: Step): Step {
  const {
    value: _,
    question: __,
    ...rest
  } = step as Step & {
    readonly value?: unknown;
    readonly question?: unknown;
  };
  return rest;
}
