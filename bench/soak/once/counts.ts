/** The counts of the once soak. */

/** The counts of a run. */
export interface Counts {
  /** Started calls. */
  flows: number;
  /** Resent tokens. */
  replays: number;
  /** Replies that a call is in progress. */
  inProgress: number;
  /** Replies that the store is unavailable. */
  unavailable: number;
  /** Descriptions of calls that did not end, and of undocumented replies. */
  readonly lost: string[];
  /** Descriptions of replies that contradict an earlier one of the same call. */
  readonly differed: string[];
}

export function newCounts(): Counts {
  return { flows: 0, replays: 0, inProgress: 0, unavailable: 0, lost: [], differed: [] };
}
