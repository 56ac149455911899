/** Tells whoever listens what happens in a call. A listener cannot change the answer. */
import type { CallEvent, EventBase } from '../define/event.js';
import type { End } from '../define/model.js';
import { isThenable } from '../platform.js';
import type { Step, Watch } from '../engine/steps.js';
import type { CurrentCall } from './callRecord.js';

/** Who listens, and how much they get to see. */
export interface Listening {
  readonly onEvent?: ((event: CallEvent) => void) | undefined;
  /** Whether values, answers and the texts of questions are told too. */
  readonly eventValues?: boolean | undefined;
  readonly onUnexpectedError?: ((error: unknown) => void) | undefined;
}

/** Watches one round of a call. */
export interface CallWatch {
  readonly started: (method: string) => void;
  readonly step: Watch;
  /** Only the first end counts. */
  readonly ended: (end: End, replayed?: boolean) => void;
}

/** Watches a call, if anybody listens. */
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

/** Tells a listener. What it throws, now or later, is reported and forgotten. */
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
