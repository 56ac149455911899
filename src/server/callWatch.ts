/** Reports the events of a call to a listener. A listener cannot change the answer. */
import type { CallEvent, EventBase } from '../define/event.js';
import type { End } from '../define/model.js';
import { isThenable } from '../platform.js';
import type { Step, Watch } from '../engine/steps.js';
import type { CurrentCall } from './callRecord.js';

/** The listener, and the details that it receives. */
export interface Listening {
  readonly onEvent?: ((event: CallEvent) => void) | undefined;
  /** True if events include values, answers and the text of questions. */
  readonly eventValues?: boolean | undefined;
  readonly onUnexpectedError?: ((error: unknown) => void) | undefined;
}

/** Reports the events of one round of a call. */
export interface CallWatch {
  readonly started: (method: string) => void;
  readonly step: Watch;
  /** Reports the end of the round. Only the first call has an effect. */
  readonly ended: (end: End, replayed?: boolean) => void;
}

/** Creates the watch of a call, or returns undefined if there is no listener. */
export function watchCall(
  listening: Listening,
  call: CurrentCall,
  definition: string,
): CallWatch | undefined {
  const { onEvent, eventValues = false } = listening;
  if (onEvent === undefined) return undefined;
  const { id, resumed } = call;
  const startedAt = performance.now();
  let over = false;
  const base = (): EventBase => ({ callId: id, definition, at: Date.now() });
  return {
    started: (method) => {
      tell(listening, { ...base(), type: 'started', method, resumed });
    },
    step: (step) => {
      tell(listening, { ...base(), ...(eventValues ? step : withoutValues(step)) });
    },
    ended: (end, replayed = false) => {
      if (over) return;
      over = true;
      const durationMs = performance.now() - startedAt;
      tell(listening, { ...base(), type: 'completed', end, replayed, durationMs });
    },
  };
}

/**
 * Sends an event to the listener. If the listener throws or rejects, the error goes to
 * `onUnexpectedError`.
 */
export function tell({ onEvent, onUnexpectedError }: Listening, event: CallEvent): void {
  const report = onUnexpectedError ?? (() => undefined);
  try {
    const returned: unknown = onEvent?.(event);
    if (isThenable(returned)) returned.then(undefined, report);
  } catch (error) {
    report(error);
  }
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
