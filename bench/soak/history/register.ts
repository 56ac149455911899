/**
 * One key of a `RecordStore` as a machine: the table of `src/store/recordStore.ts`. A record may
 * expire from the end of its `ttlMs` on, and never earlier.
 */
import type { Machine, Operation } from './sequential.js';

/** A step of a store on one key. */
export type StoreAsk =
  | { readonly step: 'get' }
  | {
      readonly step: 'put';
      readonly value: string;
      readonly was?: string | undefined;
      readonly ttlMs: number;
    };

/** What `get` returned, or what `put` returned. */
export type StoreAnswer = { readonly value?: string | undefined } | boolean;

/** The record of the key, and the earliest time at which it can have expired. */
export interface KeyState {
  readonly value?: string;
  readonly until?: number;
}

/** The accepted difference between the clock of a history and that of a store. */
const TOLERANCE_MS = 50;

/** One key of a store. */
export const register: Machine<KeyState, StoreAsk, StoreAnswer> = {
  start: {},
  step: (state, operation) => {
    const { until = Infinity } = state;
    const before = operation.to >= until - TOLERANCE_MS ? [state, {}] : [state];
    return before.flatMap((now) => stepOf(now, operation));
  },
};

function stepOf(
  state: KeyState,
  { ask, answer, from }: Operation<StoreAsk, StoreAnswer>,
): readonly KeyState[] {
  if (ask.step === 'get')
    return typeof answer === 'object' && answer.value === state.value ? [state] : [];
  const fits = state.value === ask.was || state.value === ask.value;
  if (answer === false) return fits ? [] : [state];
  return fits ? [{ value: ask.value, until: from + ask.ttlMs }] : [];
}
