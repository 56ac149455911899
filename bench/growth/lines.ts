/** The lines of a chart, measured size by size. */
import type { Bench } from '../goal.js';
import type { Series } from '../measure/chart.js';
import type { Way } from '../measure/compare.js';
import { costsOf, warm } from '../measure/cost.js';

/** One line: what is done at each size. */
export interface Line {
  readonly name: string;
  readonly way: (size: number) => Way;
  /** Beyond it, it would take too long. */
  readonly upTo?: number;
}

/** Measures all lines at each size in turn, so that they can be held against each other. */
export async function linesOf(
  lines: readonly Line[],
  sizes: readonly number[],
  bench: Bench,
): Promise<Series[]> {
  for (const { way } of lines) await warm(way(sizes[0] ?? 1), bench);
  const points = new Map(lines.map(({ name }) => [name, [] as [number, number][]]));
  for (const size of sizes) {
    const present = lines.filter(({ upTo = Infinity }) => size <= upTo);
    bench.progress(`${size} (${present.map(({ name }) => name).join('; ')})`);
    const ways = present.map(({ way }) => way(size));
    const costs = await costsOf(ways, bench);
    for (const [index, { name }] of present.entries())
      points.get(name)?.push([size, costs[index] ?? Number.NaN]);
  }
  return [...points].map(([name, measured]) => ({ name, points: measured }));
}

/** The same, divided among as many as there are. */
export const each = ({ name, points }: Series): Series => ({
  name,
  points: points.map(([size, cost]) => [size, cost / size]),
});
