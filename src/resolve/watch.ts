/**
 * How a round is watched. Nobody watching costs nothing but a look; what is watched is told with
 * everything there is, and what may leave the server is for the listener's side to decide.
 */
import type {
  AnsweredEvent,
  AskedEvent,
  DeclinedEvent,
  EventBase,
  FellBackEvent,
  RanEvent,
  RestoredEvent,
} from '../define/event.js';
import type { Outcome } from '../define/model.js';
import { isQuestion } from '../define/question.js';
import type { Calls } from '../graph/calls.js';
import type { Plan } from '../graph/plan.js';
import { isThenable } from '../platform.js';
import type { Asked } from '../question/asked.js';

type WithoutBase<E> = E extends EventBase ? Omit<E, keyof EventBase> : never;

/** Something that happened to one resolver. */
export type Step = WithoutBase<
  RanEvent | RestoredEvent | AskedEvent | AnsweredEvent | DeclinedEvent | FellBackEvent
>;

/** Told of every step of a round. */
export type Watch = (step: Step) => void;

/** The calls of a plan, watched. */
export function watchedCalls({ calls, nodes }: Plan, watch: Watch): Pick<Calls, 'call'> {
  return {
    call: (index, supply, ctx) =>
      watched(watch, nodes[index]?.key ?? '', () => calls.call(index, supply, ctx)),
  };
}

/** Runs a resolver's function and tells how long it took and what came of it. */
function watched(watch: Watch, resolver: string, run: () => unknown): unknown {
  const startedAt = performance.now();
  const note = (gave: RanEvent['gave'], value?: unknown): void => {
    const durationMs = performance.now() - startedAt;
    watch({ type: 'ran', resolver, durationMs, gave, ...(gave === 'value' && { value }) });
  };
  const noteValue = (value: unknown): unknown => {
    note(isQuestion(value) ? 'question' : 'value', value);
    return value;
  };
  const noteError = (error: unknown): never => {
    note('error');
    throw error;
  };
  try {
    const returned = run();
    return isThenable(returned)
      ? Promise.resolve(returned).then(noteValue, noteError)
      : noteValue(returned);
  } catch (error) {
    return noteError(error);
  }
}

/** A question's end, as a step. */
export function answerStep(
  resolver: string,
  { data }: Asked,
  { outcome, fresh }: { readonly outcome: Outcome<unknown>; readonly fresh: boolean },
): Step {
  if (outcome.action !== 'accept')
    return { type: 'declined', resolver, action: outcome.action, fresh };
  const { kind } = data;
  return { type: 'answered', resolver, kind, by: BY[kind], fresh, value: outcome.data };
}

const BY = { form: 'person', url: 'person', sample: 'model', roots: 'client' } as const;
