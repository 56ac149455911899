/**
 * One call of a tool with `once` as a machine, as its clients and its body see it:
 *
 * ```
 *         claim            body begins            body ends
 *  asked ───────► claimed ─────────────► running ───────────► ended: the same answer from now on
 *    ▲               │  │                                       ▲
 *    └── released ───┘  └────────────── the user refuses ───────┘
 * ```
 *
 * If the store fails at the end, the first client receives the end, and the call stays as it was:
 * claimed or running, with an end that one client knows.
 *
 * No arrow leads back from a run or an end, so no order explains a second run, another question
 * after a run, a result without a run, a run after a refusal, or a second answer.
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

/** The state of a call. `told` is an end that a client knows, but perhaps not the store. */
export type CallState = 'asked' | Claimed | { readonly text: string };

interface Claimed {
  readonly run?: string | undefined;
  readonly told?: string;
}

const CLAIMED: Claimed = {};

/** A call of a tool with `once`. */
export const onceCall: Machine<CallState, CallAsk, CallAnswer> = {
  start: 'asked',
  step: (state, { ask, answer }) => {
    if (answer !== undefined) return stepOf(state, answer);
    // A run is logged as one moment, so only requests can be without an answer.
    return ask === 'request' && state === 'asked' ? [CLAIMED] : [];
  },
};

function stepOf(state: CallState, answer: CallAnswer): readonly CallState[] {
  switch (answer.said) {
    case 'nothing':
      return [state];
    case 'asked':
      return state === 'asked' || isOnlyClaimed(state) ? ['asked'] : [];
    case 'claimed':
      if (state === 'asked') return [CLAIMED];
      return 'text' in state ? [] : [state];
    case 'ran':
      return state === 'asked' || isOnlyClaimed(state) ? [{ run: answer.run }] : [];
    case 'ended':
      return stepToEnd(state, answer);
  }
}

function stepToEnd(
  state: CallState,
  { text, run }: CallAnswer & { readonly said: 'ended' },
): readonly CallState[] {
  if (typeof state === 'object' && 'text' in state) return state.text === text ? [state] : [];
  const known = state === 'asked' ? CLAIMED : state;
  if (known.run !== run) return [];
  if (known.told === undefined) return [{ text }, { run, told: text }];
  // Only one client can receive an end that the store does not have.
  return known.told === text ? [{ text }] : [];
}

function isOnlyClaimed(state: CallState): boolean {
  return state !== 'asked' && !('text' in state || state.run !== undefined || 'told' in state);
}
