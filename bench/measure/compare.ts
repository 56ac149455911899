/**
 * Compares two ways to do the same work.
 *
 * The same program differs by 10 % from one minute to the next, so nothing is measured alone: short
 * slices of both ways alternate, in shuffled order. Each way runs in processes of its own
 * (processes.ts), because a way pays for what the other one switches on, such as the promise hooks
 * of AsyncLocalStorage on Node 20. There are several per way, because two processes of one program
 * differ, too.
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
  /** The processes of the ways. If omitted, both run in this process. */
  readonly processes?: Processes;
}

/** The time of one way divided by that of the other. 2 is twice as long. */
export interface Ratio {
  readonly median: number;
  /** The middle half of the ratios of each process to each other one. */
  readonly spread: readonly [number, number];
  /** The ratio of the best slices, as a cross-check. */
  readonly best: number;
  /** Half of the processes of the other way against the other half. */
  readonly same: number;
}

/** The clock. CPU time is the default, and does not count waiting. */
export type Clock = 'cpu' | 'wall';

/** One of the two ways, where it runs. */
export interface Runner {
  /** Warms the way up. */
  readonly prepare: (warmMs: number, sliceMs: number) => Promise<void>;
  /** Runs a slice, and returns the milliseconds of one repetition. */
  readonly slice: () => Promise<number>;
}

/** The processes that run the ways of a goal. */
export interface Processes {
  /**
   * Returns the runners of both ways of the next comparison. Returns `undefined` in a process that
   * runs a way of another comparison.
   */
  readonly next: (ways: readonly [Way, Way], clock: Clock) => Promise<Pair | undefined>;
}

/** The runners of both ways. */
export interface Pair {
  readonly ours: readonly Runner[];
  readonly theirs: readonly Runner[];
  readonly stop?: () => void;
}

const NO_RATIO: Ratio = { median: NaN, spread: [NaN, NaN], best: NaN, same: NaN };

/** Compares `ours` with `theirs`. */
export async function compare(
  ours: Way,
  theirs: Way,
  effort: Effort & { readonly clock?: Clock },
): Promise<Ratio> {
  const { clock = 'cpu', processes } = effort;
  const here: Pair = {
    ours: [runnerOf(ours, clock)],
    theirs: [1, 2].map(() => runnerOf(theirs, clock)),
  };
  const pair = processes === undefined ? here : await processes.next([ours, theirs], clock);
  if (pair === undefined) return NO_RATIO;
  try {
    return await measure(pair, effort);
  } finally {
    pair.stop?.();
  }
}

async function measure(
  { ours, theirs }: Pair,
  { rounds, sliceMs, warmMs, seed }: Effort,
): Promise<Ratio> {
  const random = seeded(seed);
  const taken = new Map([...ours, ...theirs].map((runner) => [runner, [] as number[]]));
  for (const runner of taken.keys()) await runner.prepare(warmMs, sliceMs);
  for (let round = 0; round < rounds; round += 1) {
    for (const [runner, costs] of shuffled([...taken], random)) costs.push(await runner.slice());
  }
  const costOf = (runner: Runner): number => median(taken.get(runner) ?? []);
  const [our, their] = [ours.map(costOf), theirs.map(costOf)];
  const ratios = our.flatMap((one) => their.map((other) => one / other));
  const best = (runners: readonly Runner[]): number =>
    Math.min(...runners.flatMap((runner) => taken.get(runner) ?? []));
  return {
    median: median(our) / median(their),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    best: best(ours) / best(theirs),
    same:
      median(their.filter((_, place) => place % 2 === 0)) /
      median(their.filter((_, place) => place % 2 === 1)),
  };
}

/** Runs a way in this process. */
export function runnerOf(way: Way, clock: Clock): Runner {
  let times = 1;
  return {
    prepare: async (warmMs, sliceMs) => {
      // Waiting does not get faster.
      if (clock === 'cpu') await calibrated(way, warmMs);
      times = await calibrated(way, sliceMs);
    },
    slice: async () => (await timed(() => way.run(times), clock)) / times,
  };
}

/** Returns the repetitions that fill a slice. Runs the way to find out, which also warms it up. */
async function calibrated({ run }: Way, sliceMs: number): Promise<number> {
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
