/** The error of a call with `once`, with its reasons. */
import { ToolError } from '../errors.js';

const REASONS = {
  in_progress:
    'this call is in progress: nothing was started a second time. Send the same round again to get its result',
  outcome_unknown:
    'the outcome of this call is unknown: it was started, and its end was never recorded. It is not run again; check what it did before you start a new one',
  result_not_kept:
    'this call has been completed, but its result was too large to be kept. It is not run again',
  store_unavailable:
    'nothing was started: the store that keeps this call from running twice cannot be reached, so it may have run before. Send the same round again later',
  store_full: 'nothing was started: the store that keeps this call from running twice is full',
} as const;

/** The reason that a result carries in its `_meta`. */
export type OnceReason = keyof typeof REASONS;

/** The property of a result's `_meta` that holds the reason. */
export const ONCE_META_KEY = 'mcp-resolve/once';

/** The error that ends a call with `once` that has no result to return. */
export class OnceError extends ToolError {
  constructor(readonly reason: OnceReason) {
    super(REASONS[reason]);
  }
}
