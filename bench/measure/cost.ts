/** What a piece of work costs, for charts: where {@link compare} gives ratios, this gives times. */
import type { Bench } from '../goal.js';
import { calibrated, timed, type Way } from './compare.js';

/** Does it for so long that the compiler of the engine is through with it. */
export async function warm(way: Way, { quick }: Bench): Promise<void> {
  await calibrated(way, quick ? 600 : 3000);
}

/**
 * What each of these ways costs a time, in microseconds of the processor. Slices are taken in turn,
 * and the best of each counts: whatever else the machine does only adds to it.
 */
export async function costsOf(ways: readonly Way[], { effort, quick }: Bench): Promise<number[]> {
  const slices: { readonly slice: () => Promise<number>; best: number }[] = [];
  for (const way of ways) {
    const times = await calibrated(way, effort.sliceMs);
    const slice = async (): Promise<number> => (await timed(() => way.run(times), 'cpu')) / times;
    slices.push({ slice, best: Infinity });
  }
  for (let round = 0; round < (quick ? 3 : 7); round += 1) {
    for (const one of slices) one.best = Math.min(one.best, await one.slice());
  }
  return slices.map(({ best }) => best * 1000);
}
