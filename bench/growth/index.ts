/** How cost grows: the charts of docs/performance.md, and the numbers that they are drawn from. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Bench } from '../goal.js';
import { drawChart, type Chart } from '../measure/chart.js';
import { flowsGrowth } from './flows.js';
import { graphGrowth } from './graph.js';
import { roundsGrowth } from './rounds.js';
import { stateGrowth } from './state.js';
import { toolsGrowth } from './tools.js';

/** What is drawn, by the name of its picture. */
export const growths: Readonly<Record<string, (bench: Bench) => Promise<Chart>>> = {
  tools: toolsGrowth,
  graph: graphGrowth,
  rounds: roundsGrowth,
  state: stateGrowth,
  flows: flowsGrowth,
};

/** A chart, and where its numbers were measured. */
export interface SavedChart extends Chart {
  readonly date: string;
  readonly node: string;
}

const NUMBERS = new URL('../growth.json', import.meta.url);
const PICTURES = new URL('../../docs/performance/', import.meta.url);
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
    const date = new Date().toISOString().slice(0, 10);
    if (!bench.quick) saveNumbers(name, { date, node: process.version, ...chart });
    const picture = drawPicture(name, chart, bench.quick ? SCRATCH : PICTURES);
    console.log(fileURLToPath(picture));
  }
}

/** Draws a chart into the docs, or elsewhere. */
export function drawPicture(name: string, chart: Chart, folder = PICTURES): URL {
  mkdirSync(folder, { recursive: true });
  const picture = new URL(`${name}.svg`, folder);
  writeFileSync(picture, drawChart(chart));
  return picture;
}

function saveNumbers(name: string, chart: SavedChart): void {
  const charts = { ...readNumbers(), [name]: chart };
  writeFileSync(NUMBERS, `${JSON.stringify(charts, null, 2)}\n`);
}

/** The charts that were measured, by name. */
export function readNumbers(): Readonly<Record<string, SavedChart>> {
  if (!existsSync(NUMBERS)) return {};
  return JSON.parse(readFileSync(NUMBERS, 'utf8')) as Record<string, SavedChart>;
}
