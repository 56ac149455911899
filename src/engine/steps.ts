/**
 * The steps of a round, as its watcher receives them. A step contains all known data. The
 * listener's side decides what may leave the server.
 */
import type {
  AnsweredEvent,
  AskedEvent,
  DeclinedEvent,
  EventBase,
  FellBackEvent,
  RanEvent,
  RestoredEvent,
} from '../author/event.js';
import type { Outcome } from '../author/model.js';
import { isQuestion } from '../author/question.js';
import { isThenable } from '../values.js';
import type { Asked } from '../question/asked.js';
import type { Verdict } from './ledger.js';

type WithoutBase<E> = E extends EventBase ? Omit<E, keyof EventBase> : never;

/** An event of one resolver, without the properties of its call. */
export type Step = WithoutBase<
  RanEvent | RestoredEvent | AskedEvent | AnsweredEvent | DeclinedEvent | FellBackEvent
>;

/** Receives every step of a round. */
export type Watch = (step: Step) => void;

/** Runs a resolver's function and reports its duration and kind of result to the watcher. */
export function runWatched(watch: Watch, resolver: string, run: () => unknown): unknown {
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

/** The answer to a question. */
export interface Answered {
  readonly outcome: Outcome<unknown>;
  /** True if the answer came with this request. */
  readonly fresh: boolean;
  /** The decision, if the question was an approval. */
  readonly verdict?: Verdict;
}

/** Creates the step for an answered question. */
export function answerStep(
  resolver: string,
  { data: { kind } }: Asked,
  { outcome, fresh, verdict }: Answered,
): Step {
  const by = ANSWERED_BY[kind];
  const approval =
    verdict && ({ kind: 'approval', by: 'approver', approvalId: verdict.id } as const);
  return outcome.action === 'accept'
    ? { type: 'answered', resolver, kind, by, fresh, ...approval, value: outcome.data }
    : { type: 'declined', resolver, action: outcome.action, fresh, ...approval };
}

const ANSWERED_BY = {
  form: 'person',
  url: 'person',
  sample: 'model',
  roots: 'client',
  approval: 'approver',
} as const;
