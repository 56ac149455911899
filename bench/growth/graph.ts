/** How the time of a call grows with its graph. */
import { largeWithResolvers } from '../cases/large.js';
import type { Bench } from '../goal.js';
import type { Chart, Series } from '../measure/chart.js';
import { timed } from '../measure/compare.js';

const SIZES = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];

/** The best of a few slices, in microseconds a call. */
async function best(serve: () => Promise<unknown>, { effort, quick }: Bench): Promise<number> {
  const rounds = quick ? 3 : 7;
  const once = await timed(async () => {
    await serve();
  }, 'wall');
  const times = Math.max(1, Math.min(10_000, Math.floor(effort.sliceMs / once)));
  const slice = async (): Promise<void> => {
    for (let time = 0; time < times; time += 1) await serve();
  };
  await slice();
  const taken: number[] = [];
  for (let round = 0; round < rounds; round += 1) taken.push(await timed(slice, 'cpu'));
  return (Math.min(...taken) / times) * 1000;
}

/** Chains and fans, with functions that give values and with functions that give promises. */
export async function graphGrowth(bench: Bench): Promise<Chart> {
  const series: Series[] = [];
  for (const layout of ['chain', 'fan'] as const) {
    for (const pace of ['sync', 'async'] as const) {
      const points: [number, number][] = [];
      for (const size of bench.quick ? SIZES.slice(0, -1) : SIZES) {
        bench.progress(`a ${layout} of ${size} ${pace} resolvers`);
        const serve = largeWithResolvers(layout, size, pace);
        points.push([size, await best(() => serve(0), bench)]);
      }
      series.push({ name: `${layout}, ${pace}`, points });
    }
  }
  return { title: 'A call, by the size of its graph', x: 'resolvers', y: 'µs a call', series };
}
