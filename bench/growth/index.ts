/** How cost grows: the charts of docs/performance.md. */
import { mkdirSync, writeFileSync } from 'node:fs';

import type { Bench } from '../goal.js';
import { drawChart, type Chart } from '../measure/chart.js';
import { graphGrowth } from './graph.js';

/** What is drawn, by the name of its picture. */
export const growths: Readonly<Record<string, (bench: Bench) => Promise<Chart>>> = {
  graph: graphGrowth,
};

const PICTURES = new URL('../../docs/performance/', import.meta.url);

/** Measures and draws the charts of these names, or all. */
export async function drawGrowth(names: readonly string[], bench: Bench): Promise<void> {
  const unknown = names.filter((name) => !Object.hasOwn(growths, name));
  if (unknown.length > 0) throw new Error(`There is no chart ${unknown.join(', ')}.`);
  mkdirSync(PICTURES, { recursive: true });
  for (const [name, measure] of Object.entries(growths)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const chart = await measure(bench);
    writeFileSync(new URL(`${name}.svg`, PICTURES), drawChart(chart));
    for (const { name: line, points } of chart.series) {
      console.log(`${line}: ${points.map(([x, y]) => `${x} ${y.toPrecision(3)}`).join(', ')}`);
    }
    console.log(`docs/performance/${name}.svg`);
  }
}
