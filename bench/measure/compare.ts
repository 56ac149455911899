/**
 * Compares two ways to do the same work.
 *
 * The same program differs by 10 % from one minute to the next, so nothing is measured alone: short
 * slices of all ways alternate, in shuffled order. Each way runs in processes of its own
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
  /** The approximate time of a slice. */
  readonly sliceMs: number;
  /** The approximate time that each way runs first, so that V8 optimizes it. */
  readonly warmMs: number;
  readonly seed: number;
  /** The processes per way. */
  readonly perWay: number;
  /** The processes of the ways. If omitted, all ways run in this process. */
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

/** Returns the milliseconds so far. */
export type Clock = () => number | Promise<number>;

/** The CPU time of this process, which does not count waiting. */
export const cpuClock: Clock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

export const wallClock: Clock = () => performance.now();

/** One of the ways, where it runs. */
export interface Runner {
  /** Warms the way up. */
  readonly prepare: (effort: Pick<Effort, 'warmMs' | 'sliceMs'>) => Promise<void>;
  /** Runs a slice, and returns the milliseconds of one repetition. */
  readonly slice: () => Promise<number>;
}

/** The processes that run the ways of a goal. */
export interface Processes {
  /**
   * Returns the runners of both ways of the next comparison. Returns `undefined` in a process that
   * runs a way of another comparison.
   */
  readonly next: (ways: readonly [Way, Way]) => Promise<Pair | undefined>;
}

/** The runners of both ways. */
export interface Pair {
  readonly ours: readonly Runner[];
  readonly theirs: readonly Runner[];
  readonly stop: () => void;
}

const NO_RATIO: Ratio = { median: NaN, spread: [NaN, NaN], best: NaN, same: NaN };

/** Compares the CPU time of `ours` and `theirs`. */
export async function compare(ours: Way, theirs: Way, effort: Effort): Promise<Ratio> {
  if (effort.processes === undefined) return compareHere(ours, theirs, effort, cpuClock);
  const pair = await effort.processes.next([ours, theirs]);
  if (pair === undefined) return NO_RATIO;
  try {
    const all = [...pair.ours, ...pair.theirs];
    // Two at a time: a machine has at least two cores, and no figure is taken yet.
    await inPairs(all, (runner) => runner.prepare(effort));
    const taken = await slicesOf(all, effort);
    return ratioOf(taken.slice(0, pair.ours.length), taken.slice(pair.ours.length));
  } finally {
    pair.stop();
  }
}

/** Compares the duration of `ours` and `theirs` in this process, which is precise for waiting. */
export function compareDurations(ours: Way, theirs: Way, effort: Effort): Promise<Ratio> {
  return compareHere(ours, theirs, effort, wallClock);
}

async function compareHere(ours: Way, theirs: Way, effort: Effort, clock: Clock): Promise<Ratio> {
  const runners = [ours, theirs, theirs].map((way) => runnerOf(way, clock));
  for (const runner of runners) await runner.prepare(effort);
  const [our = [], ...their] = await slicesOf(runners, effort);
  return ratioOf([our], their);
}

async function inPairs<T>(values: readonly T[], work: (value: T) => Promise<void>): Promise<void> {
  const left = [...values];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all([worker(), worker()]);
}

/** The milliseconds of a repetition in each slice of a runner. */
export type Slices = readonly number[];

/** Runs slices of all runners, which are prepared, in shuffled order. */
export async function slicesOf(
  runners: readonly Runner[],
  { rounds, seed }: Pick<Effort, 'rounds' | 'seed'>,
): Promise<readonly Slices[]> {
  const random = seeded(seed);
  const taken = runners.map((runner) => ({ runner, slices: [] as number[] }));
  for (let round = 0; round < rounds; round += 1)
    for (const { runner, slices } of shuffled(taken, random)) slices.push(await runner.slice());
  return taken.map(({ slices }) => slices);
}

/** Returns the ratio of two ways from the slices of their runners. */
export function ratioOf(ours: readonly Slices[], theirs: readonly Slices[]): Ratio {
  const [our, their] = [ours.map(median), theirs.map(median)];
  const ratios = our.flatMap((one) => their.map((other) => one / other));
  const half = (rest: number): number => median(their.filter((_, place) => place % 2 === rest));
  return {
    median: median(our) / median(their),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    best: Math.min(...ours.flat()) / Math.min(...theirs.flat()),
    same: half(0) / half(1),
  };
}

/** Runs a way from this process. */
export function runnerOf(way: Way, clock: Clock): Runner {
  let times = 1;
  return {
    prepare: async ({ warmMs, sliceMs }) => {
      // Waiting does not get faster.
      if (clock !== wallClock) await calibrated(way, warmMs, clock);
      times = await calibrated(way, sliceMs, clock);
    },
    slice: async () => (await timed(() => way.run(times), clock)) / times,
  };
}

/** Returns the repetitions that fill a slice. Runs the way to find out, which also warms it up. */
async function calibrated({ run }: Way, sliceMs: number, clock: Clock): Promise<number> {
  let times = 1;
  for (;;) {
    const took = await timed(() => run(times), clock);
    if (took >= sliceMs / 2) return Math.max(1, Math.round((times * sliceMs) / took));
    times *= took <= 0 ? 8 : Math.min(8, Math.max(2, Math.floor(sliceMs / took)));
  }
}

async function timed(work: () => Promise<void> | void, clock: Clock): Promise<number> {
  const start = await clock();
  await work();
  return (await clock()) - start;
}
