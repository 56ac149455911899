/** The counts of the fleet soak. */

/** The counts of a run. */
export interface Counts {
  started: number;
  completed: number;
  rounds: number;
  /** Rounds with a restart of a process since the round before. */
  acrossRestart: number;
  resent: number;
  rotations: number;
  /** Misused states that were refused, by the kind of misuse. */
  readonly refused: Map<string, number>;
  /** Descriptions of flows that did not complete. */
  readonly lost: string[];
  /** Descriptions of misused states that were accepted. */
  readonly accepted: string[];
}

/** The rounds of one service after the first of their call, and the processes that served them. */
export interface Turns {
  again: number;
  /** The rounds that another process served than the round before. */
  elsewhere: number;
}

export function newCounts(): Counts {
  return {
    started: 0,
    completed: 0,
    rounds: 0,
    acrossRestart: 0,
    resent: 0,
    rotations: 0,
    refused: new Map(),
    lost: [],
    accepted: [],
  };
}

export function add(counts: Map<string, number>, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

export function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
