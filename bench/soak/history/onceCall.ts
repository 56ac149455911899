/**
 * One call of a tool with `once` as a machine, as its clients and its body see it:
 *
 * ```
 *         claim            body begins            body ends
 *  asked ───────► claimed ─────────────► running ───────────► ended: the same answer from now on
 *                    │                                          ▲
 *                    └───────────────── the user refuses ───────┘
 * ```
 *
 * No arrow leads back, so no order explains a second run, another question after a claim, a result
 * without a run, a run after a refusal, or a second answer.
 */
import type { Machine } from './sequential.js';

/** A request of a client, or the run of a body. */
export type CallAsk = 'request' | 'run';

/** The answer to a request, or the id of a run. */
export type CallAnswer =
  /** The call asks, so nothing has claimed it. */
  | { readonly said: 'asked' }
  /** Something has claimed it. */
  | { readonly said: 'claimed' }
  /** An error that says nothing about the call. */
  | { readonly said: 'nothing' }
  /** The end of the call as text. `run` is the id of the run that the text shows, if any. */
  | { readonly said: 'ended'; readonly text: string; readonly run?: string | undefined }
  /** The body has begun. */
  | { readonly said: 'ran'; readonly run: string };

/** The state of a call. */
export type CallState = 'asked' | 'claimed' | { readonly run: string } | { readonly text: string };

/** A call of a tool with `once`. */
export const onceCall: Machine<CallState, CallAsk, CallAnswer> = {
  start: 'asked',
  step: (state, { ask, answer }) => {
    if (answer !== undefined) return stepOf(state, answer);
    // A run is logged as one moment, so only requests can be without an answer.
    return ask === 'request' && state === 'asked' ? ['claimed'] : [];
  },
};

function stepOf(state: CallState, answer: CallAnswer): readonly CallState[] {
  switch (answer.said) {
    case 'nothing':
      return [state];
    case 'asked':
      return state === 'asked' ? [state] : [];
    case 'claimed':
      if (state === 'asked') return ['claimed'];
      return isEnded(state) ? [] : [state];
    case 'ran':
      return state === 'asked' || state === 'claimed' ? [{ run: answer.run }] : [];
    case 'ended':
      return stepToEnd(state, answer);
  }
}

function stepToEnd(
  state: CallState,
  { text, run }: CallAnswer & { readonly said: 'ended' },
): readonly CallState[] {
  if (isEnded(state)) return state.text === text ? [state] : [];
  const known = typeof state === 'object' ? state.run : undefined;
  return known === run ? [{ text }] : [];
}

function isEnded(state: CallState): state is { readonly text: string } {
  return typeof state === 'object' && 'text' in state;
}
