/** How the cost of a call grows with its graph. */
import { largeWithResolvers } from '../cases/large.js';
import type { Bench } from '../goal.js';
import type { Chart, Series } from '../measure/chart.js';
import { repeating } from '../measure/compare.js';
import { linesOf, type Line } from './lines.js';

const SIZES = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];

/** Chains and fans, with functions that give values and with functions that give promises. */
export async function graphGrowth(bench: Bench): Promise<Chart> {
  const series: Series[] = [];
  for (const layout of ['chain', 'fan'] as const) {
    for (const pace of ['sync', 'async'] as const) {
      const name = `${layout}, ${pace}`;
      const way: Line['way'] = (size) => repeating(name, largeWithResolvers(layout, size, pace));
      // One after the other: four graphs of a million would not fit into memory.
      series.push(
        ...(await linesOf([{ name, way }], bench.quick ? SIZES.slice(0, -1) : SIZES, bench)),
      );
    }
  }
  return { title: 'A call, by the size of its graph', x: 'resolvers', y: 'µs a call', series };
}
