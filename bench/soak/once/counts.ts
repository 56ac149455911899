/** What is counted while it goes on. */

/** The counts of a run. */
export interface Counts {
  /** Calls that were begun. */
  flows: number;
  /** Tokens that were sent again. */
  replays: number;
  /** Replies that a call is in progress. */
  inProgress: number;
  /** Replies that the store cannot be reached. */
  unavailable: number;
  /** Calls without an end, and replies that are none of the documented ones; in words. */
  readonly lost: string[];
  /** Replies that contradict an earlier one of the same call; in words. */
  readonly differed: string[];
}

export function newCounts(): Counts {
  return { flows: 0, replays: 0, inProgress: 0, unavailable: 0, lost: [], differed: [] };
}
