/** What is counted, and whether it is as it should be. */

/** The counts of a run. */
export interface Counts {
  started: number;
  completed: number;
  rounds: number;
  /** Rounds between which a process of the service was restarted. */
  acrossRestart: number;
  resent: number;
  rotations: number;
  /** States sent where they do not belong and refused, by what was wrong. */
  readonly refused: Map<string, number>;
  /** Flows that did not come to their end, in words. */
  readonly lost: string[];
  /** States taken where they do not belong, in words. */
  readonly accepted: string[];
}

/** The rounds of one service that came after another round, and by whom they were served. */
export interface Turns {
  again: number;
  /** By another process than the round before. */
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
