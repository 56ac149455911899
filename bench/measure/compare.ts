/**
 * Measures two ways of doing the same against each other.
 *
 * The same program takes a tenth more or less from one minute to the next, so nothing is measured
 * alone. Short slices of both ways, and a second helping of the opponent, follow each other in
 * shuffled order; each round gives one ratio, and the figure is the median of them. The second
 * helping is the A/A row: how far the opponent is off from itself is how far the figure can be.
 */
import { performance } from 'node:perf_hooks';

import { median, quantile, seeded, shuffled } from './statistics.js';

/** One way of doing it. */
export interface Way {
  readonly name: string;
  /** Does it so many times. */
  readonly run: (times: number) => Promise<void> | void;
}

/** A way that does one piece of work after the other, each told its number. */
export function repeating(name: string, work: (time: number) => unknown): Way {
  const run = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) await work(time);
  };
  return { name, run };
}

/** How thoroughly is measured. */
export interface Effort {
  /** How many rounds of slices. */
  readonly rounds: number;
  /** How long a slice is, about. */
  readonly sliceMs: number;
  /** For how long each way runs beforehand, about, so that the engine has compiled it. */
  readonly warmMs: number;
  readonly seed: number;
}

/** How much longer one way takes than the other: 2 is twice as long. */
export interface Ratio {
  readonly median: number;
  /** The middle half of all rounds. */
  readonly spread: readonly [number, number];
  /** The best slice against the best slice: a second opinion. */
  readonly best: number;
  /** The opponent against itself. */
  readonly same: number;
}

/** What is counted: the processor's time by default, for waiting costs nothing. */
export type Clock = 'cpu' | 'wall';

/** Measures `ours` against `theirs`. */
export async function compare(
  ours: Way,
  theirs: Way,
  { rounds, sliceMs, warmMs, seed, clock = 'cpu' }: Effort & { readonly clock?: Clock },
): Promise<Ratio> {
  const random = seeded(seed);
  // What waits does not get faster.
  if (clock === 'cpu') for (const way of [ours, theirs]) await calibrated(way, warmMs);
  const slices = {
    ours: { run: ours.run, times: await calibrated(ours, sliceMs) },
    theirs: { run: theirs.run, times: await calibrated(theirs, sliceMs) },
  };
  const order = ['ours', 'theirs', 'again'] as const;
  const taken: Record<(typeof order)[number], number[]> = { ours: [], theirs: [], again: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const which of shuffled(order, random)) {
      const { run, times } = which === 'ours' ? slices.ours : slices.theirs;
      taken[which].push((await timed(() => run(times), clock)) / times);
    }
  }
  const ratios = taken.ours.map((cost, round) => cost / (taken.theirs[round] ?? Number.NaN));
  const same = taken.again.map((cost, round) => cost / (taken.theirs[round] ?? Number.NaN));
  return {
    median: median(ratios),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    best: Math.min(...taken.ours) / Math.min(...taken.theirs, ...taken.again),
    same: median(same),
  };
}

/** How often it has to be done to fill a slice, found by doing it: this warms it up, too. */
export async function calibrated({ run }: Way, sliceMs: number): Promise<number> {
  let times = 1;
  for (;;) {
    const took = await timed(() => run(times), 'wall');
    if (took >= sliceMs / 2) return Math.max(1, Math.round((times * sliceMs) / took));
    times *= took === 0 ? 8 : Math.min(8, Math.max(2, Math.floor(sliceMs / took)));
  }
}

/** How many milliseconds something takes. */
export async function timed(work: () => Promise<void> | void, clock: Clock): Promise<number> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  if (clock === 'wall') return performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1000;
}
