/** How cost grows: the charts of docs/performance.md, and the numbers behind them. */
import { fileURLToPath } from 'node:url';

import type { Bench } from '../goal.js';
import type { Chart } from '../measure/chart.js';
import { flowsGrowth } from './flows.js';
import { drawPicture, saveChart } from './numbers.js';
import { roundsGrowth } from './rounds.js';
import { stateGrowth } from './state.js';
import { toolsGrowth } from './tools.js';

/** What is drawn, by the name of its picture. */
export const growths: Readonly<Record<string, (bench: Bench) => Promise<Chart>>> = {
  tools: toolsGrowth,
  rounds: roundsGrowth,
  state: stateGrowth,
  flows: flowsGrowth,
};

/** What a quick run draws is for looking at, and is not kept. */
const SCRATCH = new URL('../../.scratch/growth/', import.meta.url);

/** Measures the charts of these names, draws them and keeps their numbers. */
export async function drawGrowth(
  names: readonly string[],
  benchFor: (name: string) => Bench,
): Promise<void> {
  for (const name of names) {
    const bench = benchFor(name);
    const chart = await growths[name]?.(bench);
    if (chart === undefined) continue;
    for (const { name: line, points } of chart.series)
      console.log(`${line}: ${points.map(([x, y]) => `${x} ${y.toPrecision(3)}`).join(', ')}`);
    const picture = bench.quick
      ? drawPicture(name, chart, SCRATCH)
      : drawPicture(name, saveChart(name, chart));
    console.log(fileURLToPath(picture));
  }
}
