/**
 * Compares the latency of single repetitions, where {@link compare} compares their total cost.
 * Slices of both ways run in shuffled order, and the figure is the ratio of the medians of a
 * quantile.
 */
import { performance } from 'node:perf_hooks';

import type { Effort, Ratio } from './compare.js';
import { median, quantile, seeded, shuffled } from './statistics.js';

/** One way to do the work. Returns the milliseconds of each repetition. */
export type Sampled = (times: number) => Promise<readonly number[]>;

/** The slices, and the quantile to compare. */
export interface Slices {
  readonly rounds: Effort['rounds'];
  readonly seed: Effort['seed'];
  /** The repetitions in a slice. */
  readonly times: number;
  /** 0.5 for the p50, 0.99 for the p99. */
  readonly share: number;
}

/** Compares a quantile of `ours` with that of `theirs`. */
export async function compareLatency(
  ours: Sampled,
  theirs: Sampled,
  { rounds, seed, times, share }: Slices,
): Promise<Ratio> {
  const random = seeded(seed);
  const ways = { ours, theirs, again: theirs };
  const order = ['ours', 'theirs', 'again'] as const;
  const taken: Record<(typeof order)[number], number[]> = { ours: [], theirs: [], again: [] };
  for (const which of order) await ways[which](times);
  for (let round = 0; round < rounds; round += 1) {
    for (const which of shuffled(order, random))
      taken[which].push(quantile(await ways[which](times), share));
  }
  const ratios = taken.ours.map((took, round) => took / (taken.theirs[round] ?? Number.NaN));
  return {
    median: median(taken.ours) / median(taken.theirs),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    best: Math.min(...taken.ours) / Math.min(...taken.theirs, ...taken.again),
    same: median(taken.again) / median(taken.theirs),
  };
}

/** Creates a function that runs `work` and records its duration. */
export function stopwatch(work: () => Promise<unknown>): {
  readonly took: number[];
  readonly lap: () => Promise<void>;
} {
  const took: number[] = [];
  const lap = async (): Promise<void> => {
    const start = performance.now();
    await work();
    took.push(performance.now() - start);
  };
  return { took, lap };
}
