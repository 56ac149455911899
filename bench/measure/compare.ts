/**
 * Compares two ways to do the same work.
 *
 * The same program differs by 10 % from one minute to the next, so nothing is measured alone. Each
 * round runs three short slices in shuffled order: ours, theirs, and theirs again. The figure is
 * the median of the ratios of all rounds. The third slice gives the A/A row: the figure can be off
 * by as much as the other way differs from itself.
 */
import { performance } from 'node:perf_hooks';

import { median, quantile, seeded, shuffled } from './statistics.js';

/** One way to do the work. */
export interface Way {
  readonly name: string;
  /** Does the work this many times. */
  readonly run: (times: number) => Promise<void> | void;
}

/** Creates a way that does the work sequentially, with the number of each repetition. */
export function repeating(name: string, work: (time: number) => unknown): Way {
  const run = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) await work(time);
  };
  return { name, run };
}

/** The effort of a measurement. */
export interface Effort {
  /** The number of rounds. */
  readonly rounds: number;
  /** The approximate duration of a slice. */
  readonly sliceMs: number;
  /** The approximate time that each way runs first, so that V8 optimizes it. */
  readonly warmMs: number;
  readonly seed: number;
}

/** The time of one way divided by that of the other. 2 is twice as long. */
export interface Ratio {
  readonly median: number;
  /** The middle half of all rounds. */
  readonly spread: readonly [number, number];
  /** The ratio of the best slices, as a cross-check. */
  readonly best: number;
  /** The other way against itself. */
  readonly same: number;
}

/** The clock. CPU time is the default, and does not count waiting. */
export type Clock = 'cpu' | 'wall';

/** Compares `ours` with `theirs`. */
export async function compare(
  ours: Way,
  theirs: Way,
  { rounds, sliceMs, warmMs, seed, clock = 'cpu' }: Effort & { readonly clock?: Clock },
): Promise<Ratio> {
  const random = seeded(seed);
  // Waiting does not get faster.
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

/** Returns the repetitions that fill a slice. Runs the way to find out, which also warms it up. */
export async function calibrated({ run }: Way, sliceMs: number): Promise<number> {
  let times = 1;
  for (;;) {
    const took = await timed(() => run(times), 'wall');
    if (took >= sliceMs / 2) return Math.max(1, Math.round((times * sliceMs) / took));
    times *= took === 0 ? 8 : Math.min(8, Math.max(2, Math.floor(sliceMs / took)));
  }
}

/** Returns the milliseconds that `work` takes. */
export async function timed(work: () => Promise<void> | void, clock: Clock): Promise<number> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  if (clock === 'wall') return performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1000;
}
