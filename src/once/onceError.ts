/** The error of a call with `once`, with its reasons. */
import { ToolError } from '../errors.js';

const REASONS = {
  in_progress:
    'this call is already in progress, so it was not started again. Send the same request again to get its result.',
  outcome_unknown:
    'the outcome of this call is unknown. A request was about to run it, but its end was never recorded, so it is not run again. Check what it did before you start a new call.',
  result_not_kept:
    'this call has completed, but its result was not kept, because it was too large or the store had no room. It is not run again.',
  store_unavailable:
    'this request did not run the call, because the store that prevents a second run failed or did not answer in time. An earlier request may have run it. Send the same request again later. If the outcome is then unknown, this request may be the reason, because the store may have noted it.',
  store_full: 'this call was not started, because the store that prevents a second run is full.',
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
